"""The order form in widgets of wxWidgets. wxform.py LOG"""
import sys

import wx

log = open(sys.argv[1], "a", buffering=1)
app = wx.App()
window = wx.Frame(None, title="Order", size=(500, 600))
body = wx.Panel(window)
rows = wx.BoxSizer(wx.VERTICAL)
body.SetSizer(rows)


def row(name, make):
    line = wx.BoxSizer(wx.HORIZONTAL)
    line.Add(wx.StaticText(body, label=name))
    made = make()
    line.Add(made)
    rows.Add(line)
    return made


customer = row("Customer", lambda: wx.TextCtrl(body, size=(200, -1)))
gift = wx.CheckBox(body, label="Gift wrap")
rows.Add(gift)
size = row("Size", lambda: wx.Choice(body, choices=["Small", "Medium", "Large"]))
size.SetSelection(0)
amount = row("Amount", lambda: wx.SpinCtrl(body, min=0, max=100))


def send(_):
    log.write("sent %s|%s|%s|%d\n" % (customer.GetValue(), gift.GetValue(), size.GetStringSelection(), amount.GetValue()))
    done.SetLabel("Thank you")


def button(name, does=None):
    made = wx.Button(body, label=name)
    made.Bind(wx.EVT_BUTTON, does or (lambda _: log.write("clicked %s\n" % name)))
    rows.Add(made)
    return made


button("Send", send)
button("Locked").Disable()
button("Twin")
button("Twin")
done = wx.StaticText(body, label="Not sent")
rows.Add(done)
menu = wx.Menu()
clear = menu.Append(wx.ID_ANY, "Clear")
window.Bind(wx.EVT_MENU, lambda _: (customer.Clear(), log.write("cleared\n")), clear)
bar = wx.MenuBar()
bar.Append(menu, "Edit")
window.SetMenuBar(bar)
window.Show()
log.write("shown\n")
app.MainLoop()

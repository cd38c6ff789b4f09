import sys, json, gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gtk, GLib
out = sys.argv[1]
loop = GLib.MainLoop()
w = Gtk.Window(title="Order", default_width=500, default_height=500)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, margin_top=12, margin_start=12, margin_end=12, spacing=6)
def field(label, widget):
    row = Gtk.Box(spacing=6)
    l = Gtk.Label(label=label)
    l.set_mnemonic_widget(widget)
    row.append(l)
    widget.set_hexpand(True)
    row.append(widget)
    box.append(row)
    return widget
name = field("Name", Gtk.Entry())
town = field("Town", Gtk.Entry())
secret = field("Password", Gtk.PasswordEntry())
gift = Gtk.CheckButton(label="Gift")
box.append(gift)
post = Gtk.CheckButton(label="Post", active=True)
courier = Gtk.CheckButton(label="Courier", group=post)
box.append(post)
box.append(courier)
colour = field("Colour", Gtk.DropDown.new_from_strings(["Red", "Green", "Blue"]))
said = Gtk.Label(label="Nothing sent")
def send(*_):
    said.set_text("Sent")
    json.dump({"name": name.get_text(), "town": town.get_text(), "secret": secret.get_text(), "gift": gift.get_active(), "courier": courier.get_active(), "colour": colour.get_selected_item().get_string()}, open(out, "w"))
def more(*_):
    d = Gtk.MessageDialog(transient_for=w, modal=True, text="More of it?", buttons=Gtk.ButtonsType.YES_NO, title="More")
    d.connect("response", lambda d, r: (said.set_text("Answer %d" % r), d.destroy()))
    d.show()
for label, act in (("More", more), ("Send", send)):
    b = Gtk.Button(label=label)
    b.connect("clicked", act)
    box.append(b)
box.append(said)
w.set_child(box)
w.connect("destroy", lambda *_: loop.quit())
w.present()
loop.run()

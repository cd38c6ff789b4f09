import sys, json, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
out = sys.argv[1]
w = Gtk.Window(title="Order", default_width=500, default_height=500)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, margin=12, spacing=6)
def field(label, widget):
    row = Gtk.Box(spacing=6)
    l = Gtk.Label(label=label)
    l.set_mnemonic_widget(widget)
    row.pack_start(l, False, False, 0)
    row.pack_start(widget, True, True, 0)
    box.pack_start(row, False, False, 0)
    return widget
name = field("Name", Gtk.Entry())
town = field("Town", Gtk.Entry())
secret = field("Password", Gtk.Entry(visibility=False, input_purpose=Gtk.InputPurpose.PASSWORD))
gift = Gtk.CheckButton(label="Gift")
box.pack_start(gift, False, False, 0)
post = Gtk.RadioButton(label="Post")
courier = Gtk.RadioButton(label="Courier", group=post)
box.pack_start(post, False, False, 0)
box.pack_start(courier, False, False, 0)
colour = Gtk.ComboBoxText()
for c in ("Red", "Green", "Blue"): colour.append_text(c)
colour.set_active(0)
field("Colour", colour)
said = Gtk.Label(label="Nothing sent")
def send(*_):
    said.set_text("Sent")
    json.dump({"name": name.get_text(), "town": town.get_text(), "secret": secret.get_text(), "gift": gift.get_active(), "courier": courier.get_active(), "colour": colour.get_active_text()}, open(out, "w"))
def more(*_):
    d = Gtk.MessageDialog(transient_for=w, modal=True, text="More of it?", buttons=Gtk.ButtonsType.YES_NO, title="More")
    d.connect("response", lambda d, r: (said.set_text("Answer %d" % r), d.destroy()))
    d.show()
for label, act in (("More", more), ("Send", send)):
    b = Gtk.Button(label=label)
    b.connect("clicked", act)
    box.pack_start(b, False, False, 0)
box.pack_start(said, False, False, 0)
w.add(box)
w.connect("destroy", Gtk.main_quit)
w.show_all()
Gtk.main()

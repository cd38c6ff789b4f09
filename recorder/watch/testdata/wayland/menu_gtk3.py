import sys, json, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk, Gdk
out = sys.argv[1]
w = Gtk.Window(title="Desk", default_width=400, default_height=300)
keys = Gtk.AccelGroup()
w.add_accel_group(keys)
said = Gtk.Label(label="Nothing done")
done = []
def do(what):
    done.append(what)
    said.set_text("Done: " + ", ".join(done))
bar = Gtk.MenuBar()
top = Gtk.MenuItem(label="File")
menu = Gtk.Menu()
top.set_submenu(menu)
bar.append(top)
for label, key in (("Stamp", None), ("File away", None), ("Copy twice", "b")):
    item = Gtk.MenuItem(label=label)
    item.connect("activate", lambda _, what=label: do(what))
    if key:
        item.add_accelerator("activate", keys, ord(key), Gdk.ModifierType.CONTROL_MASK, Gtk.AccelFlags.VISIBLE)
    menu.append(item)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
box.pack_start(bar, False, False, 0)
box.pack_start(Gtk.Entry(), False, False, 0)
box.pack_start(said, True, True, 0)
send = Gtk.Button(label="Send")
send.connect("clicked", lambda _: json.dump({"name": ", ".join(done)}, open(out, "w")))
box.pack_start(send, False, False, 0)
w.add(box)
w.show_all()
w.connect("destroy", Gtk.main_quit)
Gtk.main()

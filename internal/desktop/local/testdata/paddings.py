"""Buttons and password fields of GTK 4 in what has paddings and borders.

It writes a line for each button that is clicked. The characters of the fields
are of a colour that nothing else has.
"""
import gi

for name in ["Gdk", "Gtk"]:
    gi.require_version(name, "4.0")
from gi.repository import Gdk, GLib, Gtk

Gtk.init()
window = Gtk.Window(title="Paddings", default_width=400)
window.set_titlebar(Gtk.HeaderBar())
css = Gtk.CssProvider()
style = b".padded { padding: 20px; border: 5px solid #333; margin: 7px; } entry { color: #f0f; }"
css.load_from_data(style.decode(), -1) if Gtk.get_minor_version() > 8 else css.load_from_data(style)
Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), css, 600)
column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)


def button(name):
    made = Gtk.Button(label=name)
    made.connect("clicked", lambda _: print("clicked", name, flush=True))
    return made


def padded(child):
    box = Gtk.Box(css_classes=["padded"])
    box.append(child)
    return box


rows = Gtk.ListBox()
for child in [Gtk.PasswordEntry(text="Wgjq"), button("Row")]:
    rows.append(child)
tabs = Gtk.Notebook()
tabs.append_page(padded(padded(button("Tab"))), Gtk.Label(label="First"))
frame = Gtk.Frame(child=button("Frame"), label="Framed")
for child in [button("Plain"), padded(button("Padded")), padded(Gtk.PasswordEntry(text="Wgjq")), frame, rows, tabs]:
    column.append(child)
window.set_child(column)
window.present()
GLib.MainLoop().run()

"""A GTK 3 window with N rows that does on command what applications do.

Each line on standard input is Python, run in the main loop with the names
below; "done" on standard output says that it was.
"""
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import GLib, Gtk

rows = int(sys.argv[1])
window = Gtk.Window(title="Sandbox %d" % rows)
window.set_default_size(500, 400)
window.connect("destroy", Gtk.main_quit)
box = Gtk.VBox()
window.add(box)

entry = Gtk.Entry()
box.pack_start(entry, False, False, 0)
ask = Gtk.Button(label="Ask")
box.pack_start(ask, False, False, 0)


def show_dialog(_):
    dialog = Gtk.MessageDialog(transient_for=window, modal=True, buttons=Gtk.ButtonsType.OK, text="Sure?")
    dialog.set_title("Question")
    dialog.run()
    dialog.destroy()
    ask.set_label("Asked")


ask.connect("clicked", show_dialog)
adjustment = Gtk.Adjustment(value=10, lower=0, upper=100, step_increment=1)
scale = Gtk.Scale(orientation=Gtk.Orientation.HORIZONTAL, adjustment=adjustment)
box.pack_start(scale, False, False, 0)

notebook = Gtk.Notebook()
box.pack_start(notebook, True, True, 0)
scrolled = Gtk.ScrolledWindow()
lines = Gtk.VBox()
scrolled.add(lines)
notebook.append_page(scrolled, Gtk.Label(label="Rows"))
notebook.append_page(Gtk.CheckButton(label="On the second page"), Gtk.Label(label="More"))
for i in range(rows):
    made = Gtk.Button(label="Button %d" % i) if i % 2 == 0 else Gtk.Label(label="Label %d" % i)
    lines.pack_start(made, False, False, 0)


def command(source, _):
    line = source.readline()
    if not line:
        return False
    exec(line, globals())
    while Gtk.events_pending():
        Gtk.main_iteration()
    print("done", flush=True)
    return True


GLib.io_add_watch(sys.stdin, GLib.IO_IN, command)
window.show_all()
Gtk.main()

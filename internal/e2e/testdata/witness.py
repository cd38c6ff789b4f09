"""A GTK 3 window that writes down what is done to it.

witness.py LOG [TITLE [OPTION]...]. Each thing done is a line of LOG, such as
"clicked OK". The options: twins (two buttons of one name), dialog (a modal
question comes up at once), picture=FILE (shows it), wide (a long list).
"""
import os
import sys

import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gdk, GLib, Gtk

log = open(sys.argv[1], "a", buffering=1)
title = sys.argv[2] if len(sys.argv) > 2 else "Witness"
options = dict(o.partition("=")[::2] for o in sys.argv[3:])


def say(*words):
    log.write(" ".join(str(w) for w in words) + "\n")


window = Gtk.Window(title=title)
window.set_default_size(640, 600)
window.connect("destroy", Gtk.main_quit)
window.connect("delete-event", lambda *_: say("closed"))
box = Gtk.VBox(spacing=2)
window.add(box)


def named(widget, name):
    widget.get_accessible().set_name(name)
    box.pack_start(widget, False, False, 0)
    return widget


def button(label, into=None):
    made = Gtk.Button(label=label)
    made.connect("clicked", lambda _: say("clicked", label))
    (into or box).pack_start(made, False, False, 0)
    return made


entry = named(Gtk.Entry(), "Name")
entry.connect("changed", lambda e: say("entry", e.get_text()))
row = Gtk.HBox()
box.pack_start(row, False, False, 0)
for label in ("OK", "Apply"):
    button(label, row)
button("Disabled", row).set_sensitive(False)
if "twins" in options:
    button("Twin", row)
    button("Twin", row)

check = named(Gtk.CheckButton(label="Check"), "Check")
check.connect("toggled", lambda c: say("check", c.get_active()))
combo = named(Gtk.ComboBoxText(), "Colour")
for colour in ("red", "green", "blue"):
    combo.append_text(colour)
combo.set_active(0)
combo.connect("changed", lambda c: say("combo", c.get_active_text()))
spin = named(Gtk.SpinButton.new_with_range(0, 100, 1), "Count")
spin.connect("value-changed", lambda s: say("spin", s.get_value_as_int()))
scale = named(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1), "Volume")
scale.connect("value-changed", lambda s: say("scale", int(s.get_value())))

tabs = Gtk.Notebook()
for page in ("First", "Second"):
    tabs.append_page(Gtk.Label(label=page + " page"), Gtk.Label(label=page))
tabs.connect("switch-page", lambda _n, _p, number: say("tab", number))
box.pack_start(tabs, False, False, 0)

if "wide" in options:
    rows = Gtk.VBox()
    scrolled = Gtk.ScrolledWindow()
    scrolled.set_size_request(-1, 120)
    scrolled.add(rows)
    box.pack_start(scrolled, False, False, 0)
    for i in range(40):
        button("Row %d" % i, rows)


def pressed(_, e):
    often = {Gdk.EventType._2BUTTON_PRESS: 2, Gdk.EventType._3BUTTON_PRESS: 3}.get(e.type, 1)
    keys = " ctrl" if e.state & Gdk.ModifierType.CONTROL_MASK else ""
    say("press %d ×%d at %d,%d%s" % (e.button, often, e.x_root, e.y_root, keys))


def released(_, e):
    say("release %d at %d,%d" % (e.button, e.x_root, e.y_root))


canvas = Gtk.EventBox()
canvas.set_size_request(-1, 120)
canvas.add_events(Gdk.EventMask.SCROLL_MASK | Gdk.EventMask.ENTER_NOTIFY_MASK)
canvas.connect("button-press-event", pressed)
canvas.connect("button-release-event", released)
canvas.connect("scroll-event", lambda _, e: say("scroll", e.direction.value_nick))
canvas.connect("enter-notify-event", lambda *_: say("entered"))
if "picture" in options:
    canvas.add(Gtk.Image.new_from_file(options["picture"]))
named(canvas, "Canvas")
text = Gtk.TextView()
text.get_accessible().set_name("Body")
box.pack_start(text, True, True, 0)


def key(_, e):
    say("key", Gdk.keyval_name(e.keyval))
    return False


def key_up(_, e):
    say("key-up", Gdk.keyval_name(e.keyval))
    return False


window.connect("key-press-event", key)
window.connect("key-release-event", key_up)


def ask():
    dialog = Gtk.MessageDialog(transient_for=window, modal=True, buttons=Gtk.ButtonsType.YES_NO, text="Really?")
    dialog.set_title("Question")
    say("answered", Gtk.ResponseType(dialog.run()).value_nick)
    dialog.destroy()
    return False


def state():
    """What cannot be a line of the log, as it changes by itself."""
    where = window.get_focus()
    name = where.get_accessible().get_name() if where else ""
    part = sys.argv[1] + ".part"
    with open(part, "w") as f:
        f.write("%s active=%s focus=%s caret=%d" % (title, window.is_active(), name, entry.get_position()))
    os.replace(part, sys.argv[1] + ".state")
    return True


GLib.timeout_add(20, state)
if "dialog" in options:
    GLib.idle_add(ask)
window.show_all()
say("shown")
Gtk.main()

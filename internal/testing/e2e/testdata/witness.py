"""A GTK 3 window that writes down what is done to it.

witness.py LOG [TITLE [OPTION]...]. Each thing done is a line of LOG, such as
"clicked OK". The options: twins (two buttons of one name), doubled (a
second OK), dialog (a modal question comes up at once), picture=FILE (shows it),
wide (a long list), keys (thirty more buttons), tells (what was clicked last is shown), busy (it draws for
two seconds).
Tricks: swap (two buttons change places), anew (a button is made anew), renew
(when the pointer is on it), upper (a field changes what is typed), steal (a
dialog comes up while something is typed), jack (a window comes up above the
button that the pointer is on), fickle (a button is disabled when the pointer is
on it), curious (a modal question comes up when the pointer is on a button).
"""
import os
import sys

import gi

gi.require_version("Gdk", "3.0")
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


told = Gtk.Label(label="Did nothing")
if "tells" in options:
    box.pack_start(told, False, False, 0)


def named(widget, name):
    widget.get_accessible().set_name(name)
    box.pack_start(widget, False, False, 0)
    return widget


def clicked(label):
    say("clicked", label)
    told.set_text("Did " + label)


def button(label, into=None):
    made = Gtk.Button(label=label)
    made.connect("clicked", lambda _: clicked(label))
    (into or box).pack_start(made, False, False, 0)
    return made


entry = named(Gtk.Entry(), "Name")
entry.connect("changed", lambda e: say("entry", e.get_text()))
row = Gtk.HBox()
box.pack_start(row, False, False, 0)
for label in ("OK", "Apply"):
    button(label, row)
button("Disabled", row).set_sensitive(False)


def swap():
    places = row.get_children()
    row.reorder_child(places[1], 0)
    return True


def anew():
    """Makes one of the buttons anew; it says whether to do so again."""
    row.get_children()[1].destroy()
    made = button("Apply", row)
    row.reorder_child(made, 1)
    made.show()
    return "anew" in options


def renew(old, _):
    GLib.idle_add(anew)


def upper(e):
    text = e.get_text()
    if text != text.upper():
        e.set_text(text.upper())
        e.set_position(-1)


def steal(e):
    if len(e.get_text()) == 3:
        dialog = Gtk.Dialog(title="Thief", transient_for=window)
        field = Gtk.Entry()
        field.connect("changed", lambda f: say("stolen", f.get_text()))
        dialog.get_content_area().add(field)
        dialog.show_all()


def jack(*_):
    above = Gtk.Window(title="Above")
    above.move(*window.get_position())
    above.set_default_size(640, 600)
    made = Gtk.Button(label="Wrong")
    made.connect("clicked", lambda _: say("clicked", "Wrong"))
    above.add(made)
    above.show_all()


apply = row.get_children()[1]
if "swap" in options:
    GLib.timeout_add(170, swap)
if "anew" in options:
    GLib.timeout_add(230, anew)
if "renew" in options:
    apply.connect("enter-notify-event", renew)
if "upper" in options:
    entry.connect("changed", upper)
if "steal" in options:
    entry.connect("changed", steal)
if "jack" in options:
    apply.connect("enter-notify-event", jack)
if "curious" in options:
    apply.connect("enter-notify-event", lambda *_: GLib.idle_add(ask) and None)
if "fickle" in options:
    apply.connect("enter-notify-event", lambda b, _: b.set_sensitive(False))
if "doubled" in options:
    button("OK", row)
if "twins" in options:
    button("Twin", row)
    button("Twin", row)

if "keys" in options:
    for line in range(3):
        keys = Gtk.HBox(homogeneous=True)
        box.pack_start(keys, False, False, 0)
        for n in range(10):
            button("Key %d" % (10 * line + n), keys)

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


def entered(_, e):
    if e.mode == Gdk.CrossingMode.NORMAL:
        say("entered")


canvas = Gtk.EventBox()
canvas.set_size_request(-1, 120)
canvas.add_events(Gdk.EventMask.SCROLL_MASK | Gdk.EventMask.ENTER_NOTIFY_MASK)
canvas.connect("button-press-event", pressed)
canvas.connect("button-release-event", released)
canvas.connect("scroll-event", lambda _, e: say("scroll", e.direction.value_nick))
canvas.connect("enter-notify-event", entered)
if "picture" in options:
    canvas.add(Gtk.Image.new_from_file(options["picture"]))
named(canvas, "Canvas")
text = Gtk.TextView()
text.get_accessible().set_name("Body")
text.get_buffer().connect("changed", lambda b: say("body", b.get_property("text")))
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


if "busy" in options:
    turning = Gtk.Spinner(active=True)
    turning.set_size_request(80, 80)
    box.pack_start(turning, False, False, 0)

    def rest():
        turning.stop()
        say("rests")

    GLib.timeout_add(2000, rest)
GLib.timeout_add(20, state)
if "dialog" in options:
    GLib.idle_add(ask)
window.show_all()
tabs.connect("switch-page", lambda _n, _p, number: say("tab", number))
say("shown")
Gtk.main()

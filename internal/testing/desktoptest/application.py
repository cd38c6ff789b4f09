"""The GTK 3 application of the contract that every desktop passes.

It reads commands from standard input, one per line, and answers each with a
line "=" on standard output, or "= " and what was asked for. Every other line
tells what reached it, such as: click "OK". With the option --window TITLE it
only shows a window and reads nothing.
"""
import json
import sys
import warnings

import gi

gi.require_version("Atk", "1.0")
gi.require_version("Gdk", "3.0")
gi.require_version("Gtk", "3.0")
from gi.repository import Atk, Gdk, GLib, Gtk

warnings.simplefilter("ignore", DeprecationWarning)


def quoted(text):
    return json.dumps(text, ensure_ascii=False)


def say(what, name, *rest):
    print(what, quoted(name), *rest, flush=True)


if sys.argv[1:2] == ["--window"]:
    only = Gtk.Window(title=sys.argv[2])
    only.set_default_size(300, 100)
    only.connect("destroy", Gtk.main_quit)
    only.show_all()
    Gtk.main()
    sys.exit()

window = Gtk.Window(title="Contract")
window.set_default_size(520, 720)
window.connect("destroy", Gtk.main_quit)
box = Gtk.VBox(spacing=4)
window.add(box)
named = {"Contract": window}
windows = {}


def add(widget, name, into=None):
    """Puts a widget into the window, under a name that readers of the screen see."""
    named[name] = widget
    widget.get_accessible().set_name(name)
    (into or box).pack_start(widget, False, False, 0)
    return widget


def button(name, into):
    made = add(Gtk.Button(label=name), name, into)
    made.connect("clicked", lambda _: say("click", name))
    return made


menus = Gtk.MenuBar()
box.pack_start(menus, False, False, 0)
file = Gtk.MenuItem(label="File")
menus.append(file)
menu = Gtk.Menu()
file.set_submenu(menu)
named["File"] = file
for label in ("New", "Save"):
    item = Gtk.MenuItem(label=label)
    item.connect("activate", lambda _, label=label: say("click", label))
    menu.append(item)
    named[label] = item
menu.connect("map", lambda _: say("menu", "File", "open"))
menu.connect("unmap", lambda _: say("menu", "File", "closed"))

name = add(Gtk.Entry(), "Name")
code = add(Gtk.Entry(visibility=False), "Code")
for field in (name, code):
    field.connect("changed", lambda f: say("text", f.get_accessible().get_name(), quoted(f.get_text())))
body = Gtk.TextView()
body.set_size_request(-1, 80)
add(body, "Body")
body.get_buffer().connect("changed", lambda b: say("text", "Body", quoted(b.get_property("text"))))

buttons = Gtk.HBox()
box.pack_start(buttons, False, False, 0)
for label in ("OK", "Apply", "Disabled"):
    button(label, buttons)
switches = Gtk.HBox()
box.pack_start(switches, False, False, 0)
home = Gtk.RadioButton(label="Home")
toggles = {
    "Urgent": Gtk.CheckButton(label="Urgent"),
    "Bold": Gtk.ToggleButton(label="Bold"),
    "Home": home,
    "Work": Gtk.RadioButton(label="Work", group=home),
}
for label, toggle in toggles.items():
    add(toggle, label, switches)
    toggle.connect("toggled", lambda t, label=label: say("toggle", label, "on" if t.get_active() else "off"))

colours = ("red", "green", "blue")
choice = add(Gtk.ComboBoxText(), "Colour")
for colour in colours:
    choice.append_text(colour)
choice.connect("changed", lambda c: say("choose", "Colour", quoted(c.get_active_text() or "")))
volume = add(Gtk.Scale.new_with_range(Gtk.Orientation.HORIZONTAL, 0, 100, 1), "Volume")
volume.connect("value-changed", lambda s: say("number", "Volume", int(s.get_value())))

tabs = Gtk.Notebook()
tabs.append_page(Gtk.Label(label="First page"), Gtk.Label(label="First"))
apart = Gtk.HBox()
button("Apart", apart)
tabs.append_page(apart, Gtk.Label(label="Second"))
box.pack_start(tabs, False, False, 0)

rows = Gtk.VBox()
scrolled = Gtk.ScrolledWindow(overlay_scrolling=False)
scrolled.set_size_request(-1, 110)
scrolled.add(rows)
add(scrolled, "Rows")
for i in range(40):
    button("Row %d" % i, rows)

canvas = Gtk.EventBox()
canvas.get_accessible().set_role(Atk.Role.CANVAS)
canvas.set_size_request(-1, 110)
canvas.add_events(
    Gdk.EventMask.BUTTON_PRESS_MASK
    | Gdk.EventMask.BUTTON_RELEASE_MASK
    | Gdk.EventMask.POINTER_MOTION_MASK
    | Gdk.EventMask.ENTER_NOTIFY_MASK
    | Gdk.EventMask.SCROLL_MASK
)
add(canvas, "Canvas")
mouse = {1: "left", 2: "middle", 3: "right"}


def paint(*colour):
    canvas.override_background_color(Gtk.StateFlags.NORMAL, Gdk.RGBA(*(part / 255 for part in colour)))


def spot(e):
    held = " ctrl" if e.state & Gdk.ModifierType.CONTROL_MASK else ""
    return "at %d,%d%s" % (e.x, e.y, held)


def pressed(_, e):
    again = {Gdk.EventType._2BUTTON_PRESS: "double", Gdk.EventType._3BUTTON_PRESS: "triple"}
    say(again.get(e.type, "press"), "Canvas", mouse.get(e.button, e.button), spot(e))


last = []


def moved(_, e):
    if e.type == Gdk.EventType.ENTER_NOTIFY and e.mode != Gdk.CrossingMode.NORMAL:
        return
    if [e.x, e.y] != last:  # both events may tell of one move
        last[:] = [e.x, e.y]
        say("move", "Canvas", spot(e))


canvas.connect("button-press-event", pressed)
canvas.connect("button-release-event", lambda _, e: say("release", "Canvas", mouse.get(e.button, e.button), spot(e)))
canvas.connect("motion-notify-event", moved)
canvas.connect("enter-notify-event", moved)
canvas.connect("scroll-event", lambda _, e: say("wheel", "Canvas", e.direction.value_nick))

keys = {"Shift_L": "shift", "Control_L": "ctrl", "F7": "f7", "F8": "f8"}
down = set()


def key(_, e):
    name = keys.get(Gdk.keyval_name(e.keyval))
    if name and name not in down:  # and not one that the server repeats
        down.add(name)
        say("key", name, "down")
    return False


def key_up(_, e):
    name = keys.get(Gdk.keyval_name(e.keyval))
    if name:
        down.discard(name)
        say("key", name, "up")
    return False


window.connect("key-press-event", key)
window.connect("key-release-event", key_up)
window.connect("delete-event", lambda *_: say("close", "Contract") or True)


def settle():
    """Handles all that the display has sent."""
    Gdk.Display.get_default().sync()
    while Gtk.events_pending():
        Gtk.main_iteration()


def shows(widget):
    return widget.get_mapped() and widget.get_allocated_width() > 1


def place(widget):
    """Where a widget is drawn: of a window the whole, with its frame."""
    if isinstance(widget, Gtk.Window):
        r = widget.get_window().get_frame_extents()
        return [r.x, r.y, r.width, r.height]
    top = widget.get_toplevel()
    x, y = widget.translate_coordinates(top, 0, 0)
    _, left, upper = top.get_window().get_origin()
    a = widget.get_allocation()
    return [left + x, upper + y, a.width, a.height]


def boxes():
    return json.dumps({n: place(w) for n, w in named.items() if shows(w)})


def other(title, at):
    """Shows a second window of the application, with a field in it."""
    made = Gtk.Window(title=title)
    made.set_default_size(300, 200)
    made.move(at[0], at[1])
    field = Gtk.Entry()
    field.get_accessible().set_name("In " + title)
    field.connect("changed", lambda f: say("text", "In " + title, quoted(f.get_text())))
    made.add(field)
    windows[title], named[title], named["In " + title] = made, made, field
    made.connect("delete-event", lambda *_: say("close", title))
    made.connect("destroy", lambda _: (windows.pop(title), named.pop(title), named.pop("In " + title)))
    made.show_all()


def front():
    """Brings the window to the front, as its user would."""
    window.deiconify()
    try:
        gi.require_version("GdkX11", "3.0")
        from gi.repository import GdkX11

        window.present_with_time(GdkX11.x11_get_server_time(window.get_window()))
    except (ValueError, TypeError):
        window.present()


def reset():
    for made in list(windows.values()):
        made.destroy()
    menus.cancel()
    for field in (name, code):
        field.set_text("")
    body.get_buffer().set_text("")
    for child in named["Apply"], named["OK"]:
        child.set_sensitive(True)
        child.show()
    named["Disabled"].set_sensitive(False)
    for label, toggle in toggles.items():
        toggle.set_active(label == "Home")
    choice.set_active(0)
    volume.set_value(0)
    tabs.set_current_page(0)
    scrolled.get_vadjustment().set_value(0)
    paint(200, 40, 80)
    name.grab_focus()
    down.clear()
    last.clear()
    if "Doomed" not in named:
        button("Doomed", buttons).show()
    window.move(40, 30)
    front()
    while not window.is_active():
        Gtk.main_iteration()


def run(command, *args):
    if command == "boxes":
        return boxes()
    if command == "remove":
        named.pop(args[0]).destroy()
    elif command == "disable":
        named[args[0]].set_sensitive(False)
    elif command == "paint":
        paint(*(int(part) for part in args))
    elif command == "open":
        other(args[0], place(canvas)[:2])
    elif command == "cover":
        other("Cover", place(named[args[0]])[:2])
    elif command == "reset":
        reset()
    elif command != "settle":
        raise ValueError("no command " + command)
    return ""


def commanded(source, _):
    line = source.readline()
    if not line:
        Gtk.main_quit()
        return False
    answer = run(*line.split())
    settle()
    print("=", answer, flush=True)
    return True


GLib.io_add_watch(sys.stdin, GLib.IO_IN | GLib.IO_HUP, commanded)
window.move(40, 30)
window.show_all()
canvas.get_window().set_event_compression(False)  # so that no move is left out
Gtk.main()

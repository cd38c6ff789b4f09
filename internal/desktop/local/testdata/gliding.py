"""A button that glides to and fro after the key m, until the key r. After the
key j it jumps each time that it is clicked.

It writes a line for all that happens to it: gliding, resting, jumping, each press
of a mouse button, which hit or missed, and each that made a double click.
"""
import gi

gi.require_version("Gtk", "3.0")
gi.require_version("Gdk", "3.0")
from gi.repository import Gdk, Gtk  # noqa: E402

WAY, ROUND = 500, 4_000_000  # pixels, and microseconds there and back

window = Gtk.Window(title="Gliding", default_width=800, default_height=200)
area, around = Gtk.Fixed(), Gtk.EventBox()
button = Gtk.Button(label="Catch me", width_request=200, height_request=60)
mode = "resting"
modes = {"m": "gliding", "r": "resting", "j": "jumping"}


def tell(word):
    print(word, flush=True)
    return False


def frame(_, clock):
    if mode == "gliding":
        part = clock.get_frame_time() % ROUND / ROUND
        area.move(button, int(WAY * (2 * part if part < 0.5 else 2 - 2 * part)), 50)
    return True


def key(_, event):
    global mode
    mode = modes[event.string]
    return tell(mode)


def pressed(word):
    return lambda _, event: tell(word if event.type == Gdk.EventType.BUTTON_PRESS else "double")


def clicked(_):
    if mode == "jumping":
        area.move(button, WAY - area.child_get_property(button, "x"), 50)


button.connect("button-press-event", pressed("hit"))
button.connect("clicked", clicked)
around.connect("button-press-event", pressed("missed"))
window.connect("key-press-event", key)
window.connect("destroy", Gtk.main_quit)
area.put(button, 0, 50)
around.add(area)
window.add(around)
window.add_tick_callback(frame)
window.show_all()
Gtk.main()

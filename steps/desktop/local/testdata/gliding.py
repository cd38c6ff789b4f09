"""A button that glides to and fro after the key m, until the key r.

It writes a line for all that happens to it: gliding, resting, and each press of
a mouse button, which hit or missed.
"""
import gi

gi.require_version("Gtk", "3.0")
from gi.repository import Gtk  # noqa: E402

WAY, ROUND = 500, 4_000_000  # pixels, and microseconds there and back

window = Gtk.Window(title="Gliding", default_width=800, default_height=200)
area, around = Gtk.Fixed(), Gtk.EventBox()
button = Gtk.Button(label="Catch me", width_request=200, height_request=60)
gliding = False


def tell(word):
    print(word, flush=True)
    return False


def frame(_, clock):
    if gliding:
        part = clock.get_frame_time() % ROUND / ROUND
        area.move(button, int(WAY * (2 * part if part < 0.5 else 2 - 2 * part)), 50)
    return True


def key(_, event):
    global gliding
    gliding = event.string == "m"
    return tell("gliding" if gliding else "resting")


button.connect("button-press-event", lambda *_: tell("hit"))
around.connect("button-press-event", lambda *_: tell("missed"))
window.connect("key-press-event", key)
window.connect("destroy", Gtk.main_quit)
area.put(button, 0, 50)
around.add(area)
window.add(around)
window.add_tick_callback(frame)
window.show_all()
Gtk.main()

"""Widgets of GTK 4 that open popovers. It writes a line for what was chosen in them."""
import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, GLib, Gtk  # noqa: E402


def tell(*words):
    print(*words, flush=True)


def button(name):
    made = Gtk.Button(label=name)
    made.connect("clicked", lambda _: tell("clicked", name))
    return made


window = Gtk.Window(title="Popovers", default_width=400)
rows = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=30, margin_top=20, margin_start=50)

size = Gtk.DropDown.new_from_strings(["Small", "Medium", "Large"])
size.connect("notify::selected", lambda *_: tell("chose", size.get_selected_item().get_string()))
rows.append(size)

inside = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
for name in ("First", "Second", "Third"):
    inside.append(button(name))
rows.append(Gtk.MenuButton(label="More", popover=Gtk.Popover(child=inside)))

menu = Gio.Menu()
group = Gio.SimpleActionGroup()
for name in ("Cut", "Copy", "Glue"):
    action = Gio.SimpleAction.new(name.lower(), None)
    action.connect("activate", lambda _a, _p, n=name: tell("did", n))
    group.add_action(action)
    menu.append(name, "do." + name.lower())
rows.insert_action_group("do", group)
rows.append(Gtk.MenuButton(label="Menu", menu_model=menu, direction=Gtk.ArrowType.UP))

window.set_child(rows)
window.present()
GLib.MainLoop().run()

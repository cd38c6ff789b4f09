"""The order form in widgets of GTK 4, or of libadwaita. gtk4.py LOG [adwaita]"""
import sys

import gi

gi.require_version("Gtk", "4.0")
from gi.repository import Gio, Gtk

log = open(sys.argv[1], "a", buffering=1)
adwaita = "adwaita" in sys.argv
if adwaita:
    gi.require_version("Adw", "1")
    from gi.repository import Adw
kind = Adw.Application if adwaita else Gtk.Application
app = kind(application_id="org.example.Order", flags=Gio.ApplicationFlags.NON_UNIQUE)


def show(_):
    window = (Adw.ApplicationWindow if adwaita else Gtk.ApplicationWindow)(application=app, title="Order", default_width=500)
    rows = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
    if adwaita:
        page = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        page.append(Adw.HeaderBar())
        page.append(rows)
        window.set_content(page)
    else:
        window.set_child(rows)

    def row(name, widget):
        line = Gtk.Box(spacing=8)
        label = Gtk.Label(label=name)
        label.set_mnemonic_widget(widget)
        line.append(label)
        line.append(widget)
        rows.append(line)
        return widget
        return widget

    customer = row("Customer", Gtk.Entry())
    gift = Gtk.CheckButton(label="Gift wrap")
    rows.append(gift)
    size = row("Size", Gtk.DropDown.new_from_strings(["Small", "Medium", "Large"]))
    amount = row("Amount", Gtk.SpinButton.new_with_range(0, 100, 1))
    done = Gtk.Label(label="Not sent")

    def send(_):
        log.write("sent %s|%s|%s|%d\n" % (customer.get_text(), gift.get_active(), size.get_selected_item().get_string(), amount.get_value_as_int()))
        done.set_text("Thank you")

    def button(name, does=None):
        made = Gtk.Button(label=name)
        made.connect("clicked", does or (lambda _: log.write("clicked %s\n" % name)))
        rows.append(made)
        return made

    button("Send", send)
    button("Locked").set_sensitive(False)
    button("Twin")
    button("Twin")
    rows.append(done)
    window.present()
    log.write("shown\n")


app.connect("activate", show)
app.run([])

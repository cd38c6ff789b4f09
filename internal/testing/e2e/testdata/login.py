"""A window of GTK 3 or Qt 6 with a field for a name and one for a password.

login.py gtk|qt FILE. Each time Enter is pressed in the password field, a line of FILE is
what the two fields hold, and both are emptied.
"""
import sys

toolkit, path = sys.argv[1:]


def sent(user, secret):
    with open(path, "a") as f:
        f.write(f"{user.get()} {secret.get()}\n")
    user.set("")
    secret.set("")


class Field:
    def __init__(self, get, set):
        self.get, self.set = get, set


if toolkit == "gtk":
    import gi

    gi.require_version("Gtk", "3.0")
    from gi.repository import Gtk

    window = Gtk.Window(title="Login")
    window.connect("destroy", Gtk.main_quit)
    box = Gtk.VBox()
    user, secret = Gtk.Entry(), Gtk.Entry(visibility=False)
    for widget, name in (user, "User"), (secret, "Secret"):
        widget.get_accessible().set_name(name)
        box.pack_start(widget, False, False, 0)
    fields = [Field(e.get_text, e.set_text) for e in (user, secret)]
    secret.connect("activate", lambda _: sent(*fields))
    window.add(box)
    window.show_all()
    Gtk.main()
else:
    from PyQt6.QtWidgets import QApplication, QLineEdit, QVBoxLayout, QWidget

    app = QApplication([])
    window = QWidget(windowTitle="Login")
    layout = QVBoxLayout(window)
    user, secret = QLineEdit(), QLineEdit(echoMode=QLineEdit.EchoMode.Password)
    for widget, name in (user, "User"), (secret, "Secret"):
        widget.setAccessibleName(name)
        layout.addWidget(widget)
    fields = [Field(e.text, e.setText) for e in (user, secret)]
    secret.returnPressed.connect(lambda: sent(*fields))
    window.show()
    app.exec()

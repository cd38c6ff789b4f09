"""A form in a window that is too small for it, in the toolkit that is named.

It writes a line for all that happens to its controls. Those of the name "Near"
are at its top, the others below many lines; "Deep" is at the end of a list in
the form that scrolls by itself.
"""
import sys

LINES = 60
TOOLKIT = sys.argv[1]
FRUIT = ["Apple", "Pear", "Plum"]


def tell(*words):
    print(*words, flush=True)


def gtk(version):
    import gi

    gi.require_version("Gtk", version)
    from gi.repository import GLib, Gtk  # noqa: E402

    def add(box, child):
        box.append(child) if version == "4.0" else box.add(child)

    def put(window, child):
        window.set_child(child) if version == "4.0" else window.add(child)

    def button(name):
        made = Gtk.Button(label=name)
        made.connect("clicked", lambda _: tell("clicked", name))
        return made

    def fill(form):
        add(form, button("Near"))
        for i in range(LINES):
            add(form, Gtk.Label(label="Line %d" % i))
        add(form, button("Far"))
        line = Gtk.Box(spacing=6)
        label = Gtk.Label(label="_Name", use_underline=True)
        entry = Gtk.Entry()
        entry.connect("changed", lambda e: tell("name", e.get_text()))
        label.set_mnemonic_widget(entry)
        add(line, label)
        add(line, entry)
        add(form, line)
        agree = Gtk.CheckButton(label="Agree")
        agree.connect("toggled", lambda c: tell("agree", c.get_active()))
        add(form, agree)
        if version == "4.0":
            combo = Gtk.DropDown.new_from_strings(FRUIT)
            combo.connect("notify::selected", lambda c, _: tell("fruit", FRUIT[c.get_selected()]))
        else:
            combo = Gtk.ComboBoxText()
            for fruit in FRUIT:
                combo.append_text(fruit)
            combo.connect("changed", lambda c: tell("fruit", c.get_active_text()))
        add(form, combo)
        inner = Gtk.ScrolledWindow(height_request=120)
        rows = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
        for i in range(LINES):
            add(rows, Gtk.Label(label="Row %d" % i))
        add(rows, button("Deep"))
        put(inner, rows)
        add(form, inner)

    loop = GLib.MainLoop()
    if version == "4.0":
        Gtk.init()
    window = Gtk.Window(title="Scrolled", default_width=400, default_height=300)
    outer = Gtk.ScrolledWindow()
    form = Gtk.Box(orientation=Gtk.Orientation.VERTICAL, spacing=6)
    fill(form)
    put(outer, form)
    put(window, outer)
    window.present() if version == "4.0" else window.show_all()
    loop.run()


def qt(version):
    widgets = __import__("PyQt%d.QtWidgets" % version, fromlist=["QtWidgets"])
    app = widgets.QApplication(sys.argv[:1])

    def button(name):
        made = widgets.QPushButton(name)
        made.clicked.connect(lambda: tell("clicked", name))
        return made

    def scrolling(children):
        area, held = widgets.QScrollArea(), widgets.QWidget()
        column = widgets.QVBoxLayout(held)
        for child in children:
            column.addWidget(child)
        area.setWidget(held)
        area.setWidgetResizable(True)
        return area

    entry, agree, combo = widgets.QLineEdit(), widgets.QCheckBox("Agree"), widgets.QComboBox()
    entry.setAccessibleName("Name")
    entry.textChanged.connect(lambda text: tell("name", text))
    agree.toggled.connect(lambda on: tell("agree", on))
    combo.addItems(FRUIT)
    combo.currentTextChanged.connect(lambda text: tell("fruit", text))
    inner = scrolling([widgets.QLabel("Row %d" % i) for i in range(LINES)] + [button("Deep")])
    inner.setFixedHeight(120)
    lines = [widgets.QLabel("Line %d" % i) for i in range(LINES)]
    outer = scrolling([button("Near"), *lines, button("Far"), entry, agree, combo, inner])
    outer.setWindowTitle("Scrolled")
    outer.resize(400, 300)
    outer.show()
    app.exec()


{"gtk3": lambda: gtk("3.0"), "gtk4": lambda: gtk("4.0"), "qt5": lambda: qt(5), "qt6": lambda: qt(6)}[TOOLKIT]()

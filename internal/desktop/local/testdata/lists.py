"""Lists, and what shows more than it tells, in the toolkit that is named.

It writes a line for each row that is selected. "Insert" puts a row before the
others of the list of cells, and "Page" scrolls them by as many as show.
"""
import sys

TOOLKIT = sys.argv[1]
BIG = 5000


def tell(*words):
    print(*words, flush=True)


def gtk(version):
    import gi

    for name in ["Gdk", "Gtk"]:
        gi.require_version(name, version)
    from gi.repository import Gdk, GLib, Gtk

    new = version == "4.0"
    if new:
        Gtk.init()
    column = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)

    def scrolled(child, height=90):
        pane = Gtk.ScrolledWindow(height_request=height)
        pane.set_child(child) if new else pane.add(child)
        column.append(pane) if new else column.add(pane)
        return pane

    def store(name, count):
        made = Gtk.ListStore(str)
        for i in range(count):
            made.append(["%s %d" % (name, i)])
        return made

    def tree(model, title):
        made = Gtk.TreeView(model=model)
        made.append_column(Gtk.TreeViewColumn(title, Gtk.CellRendererText(), text=0))
        return made

    def button(name, does):
        made = Gtk.Button(label=name)
        made.connect("clicked", lambda _: does())
        column.append(made) if new else column.add(made)

    scrolled(Gtk.IconView(model=store("Icon", 9), text_column=0))
    scrolled(tree(store("Big", BIG if not new else 9), "Bigs"))
    scrolled(tree(Gtk.ListStore(str), "Nothing"), 60)
    if new:
        model = Gtk.StringList.new(["Row %d" % i for i in range(1000)])
        selection = Gtk.SingleSelection(model=model, autoselect=False, can_unselect=True)
        selection.connect("notify::selected-item", lambda s, _: s.get_selected_item() and tell("selected", s.get_selected_item().get_string()))
        factory = Gtk.SignalListItemFactory()
        factory.connect("setup", lambda _, item: item.set_child(Gtk.Label(xalign=0)))
        factory.connect("bind", lambda _, item: item.get_child().set_text(item.get_item().get_string()))
        cells = Gtk.ListView(model=selection, factory=factory)
    else:
        model = store("Row", 200)
        cells = tree(model, "Rows")
        cells.get_selection().connect("changed", lambda s: s.get_selected()[1] and tell("selected", model[s.get_selected()[1]][0]))
    pane = scrolled(cells, 150)
    button("Insert", lambda: model.splice(0, 0, ["New"]) if new else model.insert(0, ["New"]))
    button("Remove", lambda: model.remove(0) if new else model.remove(model.get_iter_first()))
    button("Page", lambda: pane.get_vadjustment().set_value(pane.get_vadjustment().get_value() + pane.get_vadjustment().get_page_size()))

    css = Gtk.CssProvider()
    style = b".drawn { background-image: linear-gradient(to right, #a03 50%, #06c 50%); }"
    css.load_from_data(style.decode(), -1) if new and Gtk.get_minor_version() > 8 else css.load_from_data(style)
    for name in ["drawn", "blank"]:
        area = Gtk.Box(height_request=60) if new else Gtk.EventBox(height_request=60)
        if new:
            area.add_css_class(name)
            Gtk.StyleContext.add_provider_for_display(Gdk.Display.get_default(), css, 600)
            column.append(area)
        else:
            area.get_style_context().add_class(name)
            area.get_style_context().add_provider(css, 600)
            column.add(area)
    window = Gtk.Window(title="Lists", default_width=500)
    window.set_child(column) if new else window.add(column)
    window.present() if new else window.show_all()
    GLib.MainLoop().run()


def qt6():
    from PyQt6 import QtCore, QtGui, QtWidgets

    class Drawn(QtWidgets.QWidget):
        def paintEvent(self, _):
            QtGui.QPainter(self).fillRect(10, 10, 30, 30, QtCore.Qt.GlobalColor.red)

    app = QtWidgets.QApplication(sys.argv[:1])
    window = QtWidgets.QWidget()
    column = QtWidgets.QVBoxLayout(window)
    model = QtCore.QStringListModel(["Big %d" % i for i in range(BIG)])
    big = QtWidgets.QListView()
    big.setModel(model)
    scene = QtWidgets.QGraphicsScene()
    scene.addText("A scene")
    table = QtWidgets.QTableWidget(40, 5)
    for row in range(40):
        table.setItem(row, 1, QtWidgets.QTableWidgetItem("Cell %d" % row))
    for widget in [big, table, QtWidgets.QGraphicsView(scene), Drawn(), QtWidgets.QWidget(), QtWidgets.QListWidget()]:
        widget.setMinimumHeight(90)
        column.addWidget(widget)
    window.setWindowTitle("Lists")
    window.resize(500, 500)
    window.show()
    app.exec()


{"gtk3": lambda: gtk("3.0"), "gtk4": lambda: gtk("4.0"), "qt6": qt6}[TOOLKIT]()

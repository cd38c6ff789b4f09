"""A GTK 3 window with two pages of WebKit, of which the first shows."""
import gi

gi.require_version("Gtk", "3.0")
gi.require_version("WebKit2", "4.1")
from gi.repository import Gtk, WebKit2

PAGES = [
    """<!doctype html><title>Page</title><h1>Heading</h1>
<button id=in onclick="this.textContent = 'Clicked'">Inside</button>
<input aria-label=Field value=words> <label for=last>Last name</label> <input id=last>
<input type=password aria-label=Secret value=hush>""",
    "<!doctype html><button>Elsewhere</button>",
]

window = Gtk.Window(title="Web", default_width=500, default_height=400)
box = Gtk.VBox()
box.pack_start(Gtk.Button(label="Outside"), False, False, 0)
notebook = Gtk.Notebook()
for page in PAGES:
    view = WebKit2.WebView()
    view.load_html(page, None)
    notebook.append_page(view, Gtk.Label(label="Page"))
box.pack_start(notebook, True, True, 0)
window.add(box)
window.connect("destroy", Gtk.main_quit)
window.show_all()
Gtk.main()

package local_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/scratch"
	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual/virtualtest"
	"understudy/steps/desktop/wayland/waylandtest"
	"understudy/steps/kinds"
)

// countingWindows are programs of different toolkits with a window "Counting" of two
// buttons. Each writes a line into the file of its argument for a click: the button,
// or "elsewhere".
var countingWindows = map[string]string{
	"GTK 3": `
import sys, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
out = open(sys.argv[1], "a", buffering=1)
w = Gtk.Window(title="Counting", default_width=400, default_height=300)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
for name in ("Alpha", "Beta"):
    b = Gtk.Button(label=name, halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER)
    b.connect("clicked", lambda _, n=name: print(n, file=out))
    box.pack_start(b, True, True, 0)
w.add(box)
w.connect("button-press-event", lambda *_: print("elsewhere", file=out))
w.show_all()
Gtk.main()
`,
	"GTK 3 with a header bar": `
import sys, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
out = open(sys.argv[1], "a", buffering=1)
w = Gtk.Window(title="Counting", default_width=400, default_height=300)
w.set_titlebar(Gtk.HeaderBar(title="Counting", show_close_button=True))
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
for name in ("Alpha", "Beta"):
    b = Gtk.Button(label=name, halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER)
    b.connect("clicked", lambda _, n=name: print(n, file=out))
    box.pack_start(b, True, True, 0)
w.add(box)
w.connect("button-press-event", lambda *_: print("elsewhere", file=out))
w.show_all()
Gtk.main()
`,
	"GTK 4": `
import sys, gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gtk, GLib
out = open(sys.argv[1], "a", buffering=1)
w = Gtk.Window(title="Counting", default_width=400, default_height=300)
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
for name in ("Alpha", "Beta"):
    b = Gtk.Button(label=name, halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER, vexpand=True)
    b.connect("clicked", lambda _, n=name: print(n, file=out))
    box.append(b)
press = Gtk.GestureClick()
press.connect("pressed", lambda _g, _n, x, y: box.pick(x, y, Gtk.PickFlags.DEFAULT) == box and print("elsewhere", file=out))
box.add_controller(press)
w.set_child(box)
w.present()
GLib.MainLoop().run()
`,
	"Qt 6": `
import sys
from PyQt6.QtWidgets import QApplication, QPushButton, QVBoxLayout, QWidget
from PyQt6.QtCore import Qt
out = open(sys.argv[1], "a", buffering=1)
app = QApplication(sys.argv)
class Window(QWidget):
    def mousePressEvent(self, _): print("elsewhere", file=out)
w = Window(windowTitle="Counting")
w.resize(400, 300)
column = QVBoxLayout(w)
for name in ("Alpha", "Beta"):
    b = QPushButton(name)
    b.clicked.connect(lambda _, n=name: print(n, file=out))
    column.addWidget(b, alignment=Qt.AlignmentFlag.AlignCenter)
w.show()
app.exec()
`,
}

// Whatever toolkit a window of Wayland is of, tiled or floating and at any scale, a
// click that is said to be done is the one that the window counted, and no other.
func TestClicksLandOnSway(t *testing.T) {
	virtualtest.TakesTime(t)
	virtualtest.Need(t, "/usr/bin/python3")
	for _, scale := range []int{1, 2} {
		session := waylandtest.Start(t, "xwayland disable", fmt.Sprintf("output * resolution %dx%d scale %d", 1280*scale, 900*scale, scale))
		session.Enter(t)
		t.Setenv("GSK_RENDERER", "cairo")
		d := open(t, desktop.Options{Display: session.Wayland, Dir: scratch.Dir(t)})
		for toolkit, program := range countingWindows {
			t.Run(fmt.Sprintf("%s at scale %d", toolkit, scale), func(t *testing.T) {
				s := &testDesktop{T: t, Desktop: d}
				s.countsClicks(session, program)
			})
		}
	}
}

// countsClicks starts a program, clicks its buttons and compares with what it counted.
func (s *testDesktop) countsClicks(session *waylandtest.Session, program string) {
	s.Helper()
	script, counted := filepath.Join(s.TempDir(), "counting.py"), filepath.Join(s.TempDir(), "counted")
	if err := os.WriteFile(script, []byte(program), 0o600); err != nil {
		s.Fatal(err)
	}
	s.launch("/usr/bin/python3 " + script + " " + counted)
	var want strings.Builder
	for _, layout := range []string{"floating disable", "floating enable", "move absolute position 300 px 200 px"} {
		s.eventually("sway places the window", func() bool {
			_, err := session.Message(`[title="^Counting$"] ` + layout)
			return err == nil
		})
		for _, name := range []string{"Alpha", "Beta"} {
			s.does(kinds.ClickElement, map[string]any{"selector": "role:button && name:" + name, "timeout_ms": 60_000.0})
			want.WriteString(name + "\n")
			s.eventually("the window counts "+name+", "+layout, func() bool {
				got, _ := os.ReadFile(counted)
				if strings.Contains(string(got), "elsewhere") || len(got) > len(want.String()) {
					s.Fatalf("%s: it counted %q, want %q", layout, got, want.String())
				}
				return string(got) == want.String()
			})
		}
	}
}

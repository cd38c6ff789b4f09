package local_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps/kinds"
)

// countingGTK3 is the window of GTK 3, with more said of it.
func countingGTK3(more string) string {
	return `
import sys, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
out = open(sys.argv[1], "a", buffering=1)
w = Gtk.Window(title="Counting", default_width=400, default_height=300)
` + more + `
box = Gtk.Box(orientation=Gtk.Orientation.VERTICAL)
for name in ("Alpha", "Beta"):
    b = Gtk.Button(label=name, halign=Gtk.Align.CENTER, valign=Gtk.Align.CENTER)
    b.connect("clicked", lambda _, n=name: print(n, file=out))
    box.pack_start(b, True, True, 0)
w.add(box)
w.connect("button-press-event", lambda *_: print("elsewhere", file=out))
w.show_all()
Gtk.main()
`
}

// countingWindows are programs of different toolkits with a window "Counting" of two
// buttons. Each writes a line into the file of its argument for a click: the button,
// or "elsewhere".
var countingWindows = map[string]string{
	"GTK 3":                   countingGTK3(""),
	"GTK 3 with a header bar": countingGTK3(`w.set_titlebar(Gtk.HeaderBar(title="Counting", show_close_button=True))`),
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

// A placedSession is a session whose compositor places windows as a test says, past
// all that is tested.
type placedSession struct {
	*virtualtest.Session
	layouts []string
	place   func(layout string) error // places the window that counts
}

// countingTitle is a pattern of the title of a window that counts.
const countingTitle = `^Counting( - Chromium)?$`

func swayOfScale(t *testing.T, scale int) placedSession {
	s := virtualtest.StartSway(t, "xwayland disable", fmt.Sprintf("output * resolution %dx%d scale %d", 1280*scale, 900*scale, scale))
	return placedSession{s, []string{"floating disable", "floating enable", "move absolute position 300 px 200 px"}, func(layout string) error {
		_, err := s.Message(fmt.Sprintf(`[title="%s"] %s`, countingTitle, layout))
		return err
	}}
}

func kwinOfScale(t *testing.T, scale int) placedSession {
	s := virtualtest.StartKWin(t, desktop.Size{W: 1280, H: 900}, scale)
	return placedSession{s, []string{"x: 20, y: 10, width: 700, height: 500", "x: 300, y: 200, width: 500, height: 400"}, func(layout string) error {
		said, err := s.Script(fmt.Sprintf(`workspace.clientList().filter(w => /%s/.test(w.caption)).map(w => { w.frameGeometry = {%s}; return "placed" })`, countingTitle, layout))
		if err == nil && said != "placed" {
			err = fmt.Errorf("KWin said %q", said)
		}
		return err
	}}
}

func gnomeOfScale(t *testing.T, scale int) placedSession {
	s := virtualtest.StartGNOME(t, scale)
	return placedSession{s.Session, []string{"20, 60, 700, 500", "300, 200, 500, 400"}, func(layout string) error {
		// A window may keep its first size for a while, and may refuse to be as small as wanted.
		var is string
		err := s.Eval(&is, fmt.Sprintf(`(() => {
			const actor = global.get_window_actors().find(a => /%s/.test(a.meta_window.title));
			if (!actor?.mapped) return "not mapped";
			const w = actor.meta_window, [x, y, width, height] = [%s].map(v => v * %d), is = w.get_frame_rect();
			if (is.x === x && is.y === y && is.width >= width && is.height >= height) return "placed";
			w.unmaximize(3); // both ways
			w.move_resize_frame(true, x, y, width, height);
			return [is.x, is.y, is.width, is.height].join(", ");
		})()`, countingTitle, layout, scale))
		if err == nil && is != "placed" {
			err = fmt.Errorf("%w: it is %s, wanted %s at scale %d", desktop.ErrNotFound, is, layout, scale)
		}
		return err
	}}
}

// Whatever toolkit a window of Wayland is of, tiled or floating and at any scale, a
// click that is said to be done is the one that the window counted, and no other.
func TestAtLengthClicksLandOnSway(t *testing.T) { clicksLand(t, swayOfScale) }

func TestAtLengthClicksLandOnKWin(t *testing.T) { clicksLand(t, kwinOfScale) }

func TestAtLengthClicksLandOnGNOME(t *testing.T) { clicksLand(t, gnomeOfScale) }

func clicksLand(t *testing.T, start func(t *testing.T, scale int) placedSession) {
	virtualtest.Need(t, "/usr/bin/python3")
	for _, scale := range []int{1, 2} {
		session := start(t, scale)
		session.Enter(t)
		t.Setenv("GSK_RENDERER", "cairo")
		d := open(t, desktop.Options{Display: session.Wayland, Dir: scratch.Dir(t)})
		t.Run(fmt.Sprintf("Chromium at scale %d", scale), func(t *testing.T) {
			s := &testDesktop{T: t, Desktop: d}
			s.countsClicksOfAPage(session)
		})
		for toolkit, program := range countingWindows {
			t.Run(fmt.Sprintf("%s at scale %d", toolkit, scale), func(t *testing.T) {
				s := &testDesktop{T: t, Desktop: d}
				s.countsClicks(session, program)
			})
		}
	}
}

// countsClicks starts a program, clicks its buttons and compares with what it counted.
func (s *testDesktop) countsClicks(session placedSession, program string) {
	s.Helper()
	script, counted := filepath.Join(s.TempDir(), "counting.py"), filepath.Join(s.TempDir(), "counted")
	if err := os.WriteFile(script, []byte(program), 0o600); err != nil {
		s.Fatal(err)
	}
	s.launch("/usr/bin/python3 " + script + " " + counted)
	s.clicksEverywhere(session, func() string {
		got, _ := os.ReadFile(counted)
		return string(got)
	})
}

// countsClicksOfAPage does the same in a browser.
func (s *testDesktop) countsClicksOfAPage(session placedSession) {
	s.Helper()
	virtualtest.Need(s, "chromium")
	var counted struct {
		sync.Mutex
		text string
	}
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost {
			counted.Lock()
			defer counted.Unlock()
			counted.text += strings.TrimPrefix(r.URL.Path, "/") + "\n"
			return
		}
		_, _ = io.WriteString(w, pageOfButtons)
	}))
	s.Cleanup(page.Close)
	s.launch("chromium --ozone-platform=wayland --no-sandbox --no-first-run --password-store=basic --disable-gpu --force-renderer-accessibility --user-data-dir=" + s.TempDir() + "/profile " + page.URL)
	s.clicksEverywhere(session, func() string {
		counted.Lock()
		defer counted.Unlock()
		return counted.text
	})
	alpha := map[string]any{"selector": "role:button && name:Alpha", "timeout_ms": 100.0}
	at := s.seen("role:button && name:Alpha").Element.Bounds.Center()
	s.does(kinds.ClickElement, map[string]any{"selector": "role:combo box && name:Colour"})
	s.eventually("its list is open, and nobody knows where", func() bool {
		_, err := s.ElementAt(s.Context(), at)
		return err != nil && strings.Contains(err.Error(), "popup")
	})
	if o := s.tries(kinds.ClickElement, alpha); o.Err == nil {
		s.Error("a click while the list is open is said to be done")
	}
	s.does(kinds.PressKeyGlobal, map[string]any{"key": "{Escape}"})
	s.does(kinds.SelectOption, map[string]any{"selector": "role:combo box && name:Colour", "option_name": "Blue"})
	s.eventually("it has the colour", func() bool { return s.seen("role:combo box && name:Colour").Element.Text == "Blue" })
}

// pageOfButtons posts the name of the button that is clicked, or "elsewhere".
const pageOfButtons = `<!doctype html><meta charset="utf-8"><title>Counting</title>
<body style="text-align: center; height: 90vh">
<p><button>Alpha</button><p><button>Beta</button>
<p><select aria-label="Colour"><option>Red<option>Green<option>Blue</select>
<script>
addEventListener("mousedown", e => { if (!e.target.closest("select")) fetch("/" + (e.target.closest("button")?.textContent ?? "elsewhere"), {method: "POST"}) })
</script>`

// clicksEverywhere clicks the buttons of a window that counts, wherever it is
// placed.
func (s *testDesktop) clicksEverywhere(session placedSession, counted func() string) {
	s.Helper()
	var want strings.Builder
	for _, layout := range session.layouts {
		var why error
		s.Cleanup(func() {
			if why != nil {
				s.Logf("the window was not placed: %v", why)
			}
		})
		s.eventually("the window is placed", func() bool {
			why = session.place(layout)
			return why == nil
		})
		for _, name := range []string{"Alpha", "Beta"} {
			s.does(kinds.ClickElement, map[string]any{"selector": "role:button && name:" + name, "timeout_ms": 60_000.0})
			want.WriteString(name + "\n")
			s.eventually("the window counts "+name+", "+layout, func() bool {
				got := counted()
				if strings.Contains(got, "elsewhere") || len(got) > want.Len() {
					s.Fatalf("%s: it counted %q, want %q", layout, got, want.String())
				}
				return got == want.String()
			})
		}
	}
}

// writingWindows are programs with one field "Text", each of which writes what that
// holds into the file of its argument.
var writingWindows = map[string]string{
	"GTK 3": `
import sys, gi
gi.require_version("Gtk", "3.0")
from gi.repository import Gtk
w = Gtk.Window(title="Writing", default_width=600, default_height=400)
t = Gtk.TextView(wrap_mode=Gtk.WrapMode.CHAR)
t.get_accessible().set_name("Text")
b = t.get_buffer()
b.connect("changed", lambda _: open(sys.argv[1], "w").write(b.get_text(*b.get_bounds(), True)))
w.add(t)
w.show_all()
Gtk.main()
`,
	"GTK 4": `
import sys, gi
gi.require_version("Gtk", "4.0")
from gi.repository import Gtk, GLib
w = Gtk.Window(title="Writing", default_width=600, default_height=400)
t = Gtk.TextView(wrap_mode=Gtk.WrapMode.CHAR)
t.update_property([Gtk.AccessibleProperty.LABEL], ["Text"])
b = t.get_buffer()
b.connect("changed", lambda _: open(sys.argv[1], "w").write(b.get_text(*b.get_bounds(), True)))
w.set_child(t)
w.present()
GLib.MainLoop().run()
`,
	"Qt 6": `
import sys
from PyQt6.QtWidgets import QApplication, QPlainTextEdit
app = QApplication(sys.argv)
w = QPlainTextEdit(windowTitle="Writing", accessibleName="Text")
w.textChanged.connect(lambda: open(sys.argv[1], "w").write(w.toPlainText()))
w.resize(600, 400)
w.show()
app.exec()
`,
}

// What is typed arrives as it was meant, whatever the script and the toolkit.
func TestAtLengthTextArrivesOnSway(t *testing.T) { textArrives(t, swayOfScale) }

func TestAtLengthTextArrivesOnKWin(t *testing.T) { textArrives(t, kwinOfScale) }

func TestAtLengthTextArrivesOnGNOME(t *testing.T) { textArrives(t, gnomeOfScale) }

func textArrives(t *testing.T, start func(t *testing.T, scale int) placedSession) {
	virtualtest.Need(t, "/usr/bin/python3", "chromium")
	session := start(t, 1)
	session.Enter(t)
	t.Setenv("GSK_RENDERER", "cairo")
	d := open(t, desktop.Options{Display: session.Wayland, Dir: scratch.Dir(t)})
	text := strings.Repeat("Grüße an alle, «мир и труд», Γειά σου Κόσμε, 你好世界 😀 ~^€. ", 20)
	for toolkit, program := range writingWindows {
		t.Run(toolkit, func(t *testing.T) {
			s := &testDesktop{T: t, Desktop: d}
			script, file := filepath.Join(t.TempDir(), "writing.py"), filepath.Join(t.TempDir(), "text")
			if err := os.WriteFile(script, []byte(program), 0o600); err != nil {
				t.Fatal(err)
			}
			s.launch("/usr/bin/python3 " + script + " " + file)
			s.types(text, func() string {
				got, _ := os.ReadFile(file)
				return string(got)
			})
		})
	}
	t.Run("Chromium", func(t *testing.T) {
		s := &testDesktop{T: t, Desktop: d}
		var got atomic.Value
		got.Store("")
		page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if b, _ := io.ReadAll(r.Body); r.Method == http.MethodPost {
				got.Store(string(b))
				return
			}
			_, _ = io.WriteString(w, `<!doctype html><meta charset="utf-8"><title>Writing</title><textarea aria-label="Text" rows="20" cols="60"></textarea>
<script>
let last, area = document.querySelector("textarea")
setInterval(() => { if (area.value != last) fetch("/", {method: "POST", body: last = area.value}) }, 50)
</script>`)
		}))
		t.Cleanup(page.Close)
		s.launch("chromium --ozone-platform=wayland --no-sandbox --no-first-run --password-store=basic --disable-gpu --force-renderer-accessibility --user-data-dir=" + t.TempDir() + "/profile " + page.URL)
		s.types(text, func() string { return got.Load().(string) })
	})
}

// types types text by keys into a field, and compares it with what arrived.
func (s *testDesktop) types(text string, arrived func() string) {
	s.Helper()
	s.does(kinds.TypeIntoElement, map[string]any{"selector": "role:entry && name:Text", "text_to_type": text, "method": "keys", "timeout_ms": 60_000.0})
	s.eventually("the text arrives", func() bool { return len(arrived()) >= len(text) })
	if got := arrived(); got != text {
		s.Errorf("%d characters were typed, and it holds %q", len([]rune(text)), got)
	}
}

package local_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/virtualtest"
	"understudy/steps"
	"understudy/steps/kinds"
)

// scrolledPage is the form of testdata/scrolled.py as a page.
const scrolledPage = `<!doctype html><title>Scrolled</title><meta charset="utf-8">
<button>Near</button><div style="height: 3000px"></div><button>Far</button>
<p><label>Name <input id="name"></label></p><p><label><input type="checkbox" id="agree"> Agree</label></p>
<p><label>Fruit <select id="fruit"><option>Apple<option>Pear<option>Plum</select></label></p>
<div style="height: 120px; overflow: auto"><div style="height: 900px"></div><button>Deep</button></div>
<script>
	const tell = what => navigator.sendBeacon("/", what)
	for (const b of document.querySelectorAll("button")) b.onclick = () => tell("clicked " + b.textContent)
	document.getElementById("name").oninput = e => tell("name " + e.target.value)
	agree.onchange = () => tell("agree " + (agree.checked ? "True" : "False"))
	fruit.onchange = () => tell("fruit " + fruit.value)
</script>`

// What is scrolled out of view is brought into view before it is acted on: down and
// up again, and in a list that scrolls within the form.
func TestAtLengthWhatIsScrolledAwayIsActedOn(t *testing.T) {
	for toolkit, needs := range map[string]string{
		"gtk3": "/usr/lib/*/girepository-1.0/Gtk-3.0.typelib", "gtk4": "/usr/lib/*/girepository-1.0/Gtk-4.0.typelib",
		"qt5": "/usr/lib/python3/dist-packages/PyQt5", "qt6": "/usr/lib/python3/dist-packages/PyQt6",
	} {
		t.Run(toolkit, func(t *testing.T) {
			virtualtest.Need(t, "/usr/bin/python3", needs)
			s, told := showScrolled(t, "env GSK_RENDERER=cairo QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 /usr/bin/python3 testdata/scrolled.py "+toolkit, "")
			s.actScrolled(toolkit, told)
		})
	}
	t.Run("qml", func(t *testing.T) {
		virtualtest.Need(t, "/usr/lib/qt6/bin/qml")
		s, told := showScrolled(t, "env QT_FORCE_STDERR_LOGGING=1 /usr/lib/qt6/bin/qml testdata/scrolled.qml", "qml: ")
		s.actScrolled("qml", told)
		s.does(kinds.ClickElement, map[string]any{"selector": "role:button && name:Beside", "window_selector": "window:Scrolled", "timeout_ms": 60_000.0})
		s.eventually("what is beside is clicked", func() bool { return told("clicked Beside") == 1 })
		if n := told("wheel"); n > 0 {
			t.Error("the wheel was turned over a number", n, "times")
		}
	})
	t.Run("chromium", func(t *testing.T) {
		p := showPage(t, scrolledPage)
		p.actScrolled("chromium", p.count)
	})
}

// showScrolled shows a form by a command of this folder, and counts what it told in lines
// that begin with a prefix.
func showScrolled(t *testing.T, command, prefix string) (s *testDesktop, told func(what string) int) {
	t.Helper()
	s = &testDesktop{T: t, Desktop: open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})}
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(scratch.Dir(t), "told")
	if err := os.WriteFile(out, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s.launch("sh -c 'cd " + here + "; exec " + command + " >" + out + " 2>&1'")
	return s, func(what string) (n int) {
		text, err := os.ReadFile(out)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			if line == prefix+what+"\n" {
				n++
			}
		}
		return n
	}
}

// actScrolled acts on the controls of the form, of which each second is far from the
// one before. The form has told of something a number of times.
func (s *testDesktop) actScrolled(toolkit string, told func(what string) int) {
	s.Helper()
	near := map[string]any{"selector": "role:button && name:Near"}
	const name = "name:Name && state:editable"
	for _, act := range []struct {
		kind  steps.Kind
		args  map[string]any
		tells string
	}{
		{kinds.ClickElement, map[string]any{"selector": "role:button && name:Far"}, "clicked Far"},
		{kinds.ClickElement, map[string]any{"selector": "role:checkbox && name:Agree"}, "agree True"},
		{kinds.TypeIntoElement, map[string]any{"selector": name, "text_to_type": "Ada"}, "name Ada"},
		{kinds.SetSelected, map[string]any{"selector": "role:checkbox && name:Agree", "state": false}, "agree False"},
		{kinds.SetValue, map[string]any{"selector": name, "value": "Grace"}, "name Grace"},
		{kinds.ClickElement, map[string]any{"selector": "role:button && name:Deep"}, "clicked Deep"},
		{kinds.SelectOption, map[string]any{"selector": "role:combobox", "option_name": "Pear"}, "fruit Pear"},
	} {
		if act.kind.Name == kinds.SelectOption.Name && !slices.Contains([]string{"gtk3", "chromium"}, toolkit) {
			continue // their boxes take no choice, wherever they are
		}
		for _, step := range []struct {
			kind  steps.Kind
			args  map[string]any
			tells string
		}{{kinds.ClickElement, near, "clicked Near"}, act} {
			step.args["window_selector"], step.args["timeout_ms"] = "window:Scrolled", 60_000.0
			before := told(step.tells)
			s.does(step.kind, step.args)
			s.eventually("the form tells "+step.tells, func() bool { return told(step.tells) == before+1 })
			if step.kind.Name == kinds.SetValue.Name || step.kind.Name == kinds.SelectOption.Name {
				s.isInView(step.args["selector"].(string))
			}
		}
	}
}

// isInView wants the middle of an element to be within its window.
func (s *testDesktop) isInView(text string) {
	s.Helper()
	s.eventually(text+" is in view", func() bool {
		tree, err := s.Tree(s.Context(), desktop.Scope{Title: "Scrolled", Full: true})
		if err != nil {
			s.Fatal(err)
		}
		found := selector.MustParse(text).Find(tree.Roots)
		return len(found) == 1 && found[0].WindowBounds.Contains(found[0].Bounds.Center())
	})
}

package local_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"understudy/internal/scratch"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
	"understudy/steps/desktop/virtual/virtualtest"
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
			s := &testDesktop{T: t, Desktop: open(t, desktop.Options{Display: "virtual", Dir: scratch.Dir(t)})}
			script, err := filepath.Abs("testdata/scrolled.py")
			if err != nil {
				t.Fatal(err)
			}
			out := filepath.Join(scratch.Dir(t), "told")
			if err := os.WriteFile(out, nil, 0o600); err != nil {
				t.Fatal(err)
			}
			s.launch("sh -c 'exec env GSK_RENDERER=cairo QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1 /usr/bin/python3 " + script + " " + toolkit + " >" + out + "'")
			s.actScrolled(toolkit, func(what string) int {
				text, err := os.ReadFile(out)
				if err != nil {
					t.Fatal(err)
				}
				return len(slices.DeleteFunc(slices.Collect(strings.Lines(string(text))), func(line string) bool { return line != what+"\n" }))
			})
		})
	}
	t.Run("chromium", func(t *testing.T) {
		p := showPage(t, scrolledPage)
		p.actScrolled("chromium", p.count)
	})
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
		if act.kind.Name == kinds.SelectOption.Name && (toolkit == "gtk4" || strings.HasPrefix(toolkit, "qt")) {
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

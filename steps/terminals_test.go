package steps

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
)

// TestTerminalsAreClosed acts in a terminal and beside it, for callers with the right to run
// commands and without.
func TestTerminalsAreClosed(t *testing.T) {
	data := t.TempDir()
	t.Setenv("XDG_DATA_DIRS", data)
	if err := os.Mkdir(filepath.Join(data, "applications"), 0o700); err != nil {
		t.Fatal(err)
	}
	entry := "[Desktop Entry]\nType=Application\nName=Term\nExec=theterm\nCategories=System;TerminalEmulator;\n"
	if err := os.WriteFile(filepath.Join(data, "applications", "term.desktop"), []byte(entry), 0o600); err != nil {
		t.Fatal(err)
	}
	denied := errors.New("no shell")
	for _, c := range []struct {
		say     string
		act     func(term, text *desktop.Element) desktop.Action
		on      string // the window that is active
		refusal error
		off     bool
		closed  bool
	}{
		{"keys", func(_, _ *desktop.Element) desktop.Action { return desktop.Type{Text: "id"} }, "Term", denied, false, true},
		{"a chord", func(_, _ *desktop.Element) desktop.Action { return desktop.Press{Chord: desktop.Chord{Key: "a"}} }, "Term", denied, false, true},
		{"a key that is held", func(_, _ *desktop.Element) desktop.Action { return desktop.KeyDown{Key: "a"} }, "Term", denied, false, true},
		{"a click", func(e, _ *desktop.Element) desktop.Action {
			return desktop.Click{At: e.Bounds.Center(), Button: desktop.Middle}
		}, "Text", denied, false, true},
		{"an element, behind", func(e, _ *desktop.Element) desktop.Action { return desktop.Invoke{Element: e.Handle} }, "Text", denied, false, true},
		{"keys for another window", func(_, _ *desktop.Element) desktop.Action { return desktop.Type{Text: "id"} }, "Text", denied, false, false},
		{"an element of another window", func(_, e *desktop.Element) desktop.Action { return desktop.Invoke{Element: e.Handle} }, "Term", denied, false, false},
		{"keys of who may run commands", func(_, _ *desktop.Element) desktop.Action { return desktop.Type{Text: "id"} }, "Term", nil, false, false},
		{"keys where terminals may be", func(_, _ *desktop.Element) desktop.Action { return desktop.Type{Text: "id"} }, "Term", denied, true, false},
	} {
		t.Run(c.say, func(t *testing.T) {
			place := func(n *fake.Node, x int) *fake.Node { return n.At(x, 0, 300, 300) }
			f := fake.New(place(fake.Window("Term", "theterm", fake.Button("Paste")), 0), place(fake.Window("Text", "editor", fake.Button("Save")), 400))
			plain := f.Desktop()
			windows, err := plain.Windows(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			tree, err := plain.Tree(t.Context(), desktop.Scope{Full: true})
			if err != nil {
				t.Fatal(err)
			}
			named := map[string]*desktop.Element{}
			for _, root := range tree.Roots {
				root.Walk(func(e *desktop.Element) bool { named[e.Name] = e; return true })
			}
			for _, w := range windows {
				if w.Title == c.on {
					if err := plain.Do(t.Context(), desktop.Manage{Window: w.ID, Do: desktop.Activate}); err != nil {
						t.Fatal(err)
					}
				}
			}
			env := &Env{Desktop: plain, Children: Children{NoTerminals: !c.off}, Try: Try{Refusal: func(string) error { return c.refusal }}}
			env.account()
			before := len(f.Journal())
			err = env.Desktop.Do(t.Context(), c.act(named["Paste"], named["Save"]))
			left, _ := plain.Windows(t.Context())
			did := strings.Join(f.Journal()[before:], "\n")
			if c.closed != (CodeOf(err) == Denied) || c.closed != (len(left) == 1) || c.closed && len(f.Journal()) != before+1 || c.closed && env.Acted() != ActedNo || !c.closed && err != nil {
				t.Errorf("%v, acted %s, %d windows are left; it did\n%s", err, env.Acted(), len(left), did)
			}
		})
	}
}

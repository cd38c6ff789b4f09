//go:build linux

package atspi

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"understudy/internal/desktop"
)

// editor is a program with a field for text of many lines.
type editor struct {
	name    string
	command []string
	ready   func(*desktop.Element) bool // shows when the program has started
	want    func(*desktop.Element) bool // the field
}

// editors are one of each toolkit that has a say in focus and text.
func editors(t testing.TB) []editor {
	return []editor{
		{"mousepad", []string{"mousepad", "--disable-server"}, named("menu", "Help"), func(e *desktop.Element) bool { return e.Role == "text" }},
		{"featherpad", []string{"featherpad", "--standalone"}, named("menuitem", "File"), func(e *desktop.Element) bool {
			return e.Role == "text" && e.States.Has(desktop.MultiLine)
		}},
		{"chromium", chromium(t), named("button", "In the shadow"), func(e *desktop.Element) bool { return e.ID == "note" }},
	}
}

// Saved in the middle of a text, restored after another window had the
// keyboard: what is typed then lands exactly there.
func TestAtLengthFocusAndCaretComeBack(t *testing.T) {
	d := onDesk(t, "mousepad", "featherpad", "chromium", "zenity")
	for _, x := range editors(t) {
		t.Run(x.name, func(t *testing.T) {
			app := d.open(t, x.ready, x.command[0], x.command[1:]...)
			other := d.open(t, named("button", "OK"), "zenity", "--entry", "--entry-text=other")
			d.window(t, app)
			text := d.element(t, app, x.want)
			if err := d.client.Do(t.Context(), desktop.GrabFocus{Element: text.Handle}); err != nil {
				t.Fatal(err)
			}
			reads := func(want string) func() bool {
				return func() bool {
					e, err := d.client.Refresh(t.Context(), text.Handle)
					return err == nil && strings.TrimSpace(e.Text) == want
				}
			}
			eventually(t, "it has the focus", func() bool {
				f, err := d.client.SaveFocus(t.Context())
				return err == nil && f.Element == text.Handle
			}, nil)
			d.keys(t, "ctrl+a", "o", "n", "e", "space", "t", "w", "o")
			eventually(t, "the text is typed", reads("one two"), nil)
			caretAt(t, d, text.Handle, 0, func() { d.keys(t, "ctrl+Home") })
			caretAt(t, d, text.Handle, 3, func() { d.keys(t, "Right", "Right", "Right") })
			saved, err := d.client.SaveFocus(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			d.window(t, other)
			d.keys(t, "x")
			if err := d.client.Do(t.Context(), desktop.RestoreFocus{State: saved}); err != nil {
				t.Fatal(err)
			}
			d.window(t, app)
			again, err := d.client.SaveFocus(t.Context())
			if err != nil || again != saved {
				t.Errorf("the focus is %+v, %v; want %+v", again, err, saved)
			}
			d.keys(t, "shift+X")
			eventually(t, "the text lands at the caret", reads("oneX two"), nil)
		})
	}
}

// caretAt acts until the caret of an element is somewhere.
func caretAt(t *testing.T, d *desk, h desktop.Handle, want int, act func()) {
	t.Helper()
	act()
	var f desktop.FocusState
	eventually(t, "the caret is there", func() bool {
		f, _ = d.client.SaveFocus(t.Context())
		return f.Element == h && f.Caret == want
	}, &f)
}

// keys presses keys, one after the other.
func (d *desk) keys(t *testing.T, keys ...string) {
	t.Helper()
	c := exec.Command("xdotool", append([]string{"key", "--delay", "30"}, keys...)...)
	c.Env = d.env
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestASelectionComesBack(t *testing.T) {
	s := openSandbox(t, 2)
	s.do("entry.set_text('one two three')")
	s.do("entry.grab_focus()")
	s.desk.window(t, s.Cmd)
	s.do("entry.select_region(4, 7)")
	saved, err := s.desk.client.SaveFocus(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if saved.Selection != [2]int{4, 7} || saved.Caret != 7 {
		t.Fatalf("saved %+v, want the selection from 4 to 7", saved)
	}
	s.do("ask.grab_focus()")
	if err := s.desk.client.Do(t.Context(), desktop.RestoreFocus{State: saved}); err != nil {
		t.Fatal(err)
	}
	if again, err := s.desk.client.SaveFocus(t.Context()); err != nil || again != saved {
		t.Errorf("the focus is %+v, %v; want %+v", again, err, saved)
	}
	s.do("entry.destroy()")
	if err := s.desk.client.Do(t.Context(), desktop.RestoreFocus{State: saved}); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("an element that is gone: %v, want %v", err, desktop.ErrNotFound)
	}
}

func TestNothingFocusedIsNoError(t *testing.T) {
	d := onDesk(t)
	c := d.still(t)
	c.options.Windows = nil
	f, err := c.SaveFocus(t.Context())
	if err != nil || f.Element != "" || f.Caret != -1 {
		t.Errorf("%+v, %v; want nothing", f, err)
	}
}

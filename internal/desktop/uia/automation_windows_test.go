package uia

import (
	"context"
	"errors"
	"testing"

	"understudy/internal/desktop"
)

// form is a provider with an element of each pattern, in a window with the handle 7.
func form(t *testing.T, poor bool) (*Client, family, *fakeRoot) {
	t.Helper()
	f := family{}
	w := f.add(nil, "Form", "Window", map[property]any{propHandle: int32(7), propCanWindow: true})
	f.add(w, "OK", "Button", map[property]any{propCanInvoke: true, propAutomationID: "ok", propBox: []float64{10, 20, 30, 40}})
	f.add(w, "Old", "Button", map[property]any{propCanLegacy: true, propLegacyDefault: "Press"})
	f.add(w, "Bold", "CheckBox", map[property]any{propCanToggle: true, propToggleState: int32(1)})
	f.add(w, "Name", "Edit", map[property]any{propCanValue: true, propValue: "Łódź 😀", propFocusable: true})
	f.add(w, "Code", "Edit", map[property]any{propCanValue: true, propValue: "secret", propPassword: true})
	f.add(w, "Volume", "Slider", map[property]any{propCanRange: true, propNumber: 2.5, propMinimum: 0.0, propMaximum: 100.0})
	body := f.add(w, "Body", "Document", map[property]any{propCanText: true, propFocused: true})
	body.text, body.from, body.to = []rune("wörd one"), 2, 4
	combo := f.add(w, "Colour", "ComboBox", map[property]any{propCanExpand: true})
	f.add(combo, "red", "ListItem", map[property]any{propCanSelect: true, propSelected: true})
	f.add(combo, "blue", "ListItem", map[property]any{propCanSelect: true, propCanScrollItem: true, propOffscreen: true})
	inner := f.add(w, "Within", "Window", map[property]any{propCanWindow: true})
	f.add(inner, "Deep", "Text", nil)
	root := keep(&fakeRoot{fakeBase: fakeBase{table: rootTable}, windows: map[uintptr]*fakeElement{7: w}, focus: body, poor: poor})
	a, err := startAutomation(func() (*object, error) { return pointerTo(root), nil })
	if err != nil {
		t.Fatal(err)
	}
	windows := []desktop.Window{{ID: 7, Title: "Form", Process: "form", PID: 70, Active: true, Bounds: desktop.Rect{W: 500, H: 500}}}
	c := newClient(Options{
		Windows:  func(context.Context) ([]desktop.Window, error) { return windows, nil },
		Activate: func(context.Context, desktop.WindowID) error { return nil },
	}, named{"u", a}, named{"h", handles{}})
	return c, f, root
}

// find returns the element with a name.
func find(t *testing.T, c *Client, name string) *desktop.Element {
	t.Helper()
	tree, err := c.Tree(t.Context(), desktop.Scope{Hidden: true})
	if err != nil {
		t.Fatal(err)
	}
	var found *desktop.Element
	tree.Walk(func(e *desktop.Element) bool {
		if e.Name == name {
			found = e
		}
		return found == nil
	})
	if found == nil {
		t.Fatalf("the tree has no %s", name)
	}
	return found
}

// ways are the two ways in which a tree is read: at once, and level by level.
var ways = map[string]bool{"at once": false, "level by level": true}

func TestAFormIsRead(t *testing.T) {
	for say, poor := range ways {
		t.Run(say, func(t *testing.T) {
			c, f, _ := form(t, poor)
			for name, want := range map[string]struct {
				role  desktop.Role
				text  string
				state desktop.States
			}{
				"Form": {"frame", "", desktop.Active}, "OK": {"button", "", desktop.Enabled}, "Bold": {"checkbox", "", desktop.Checked},
				"Name": {"entry", "Łódź 😀", desktop.Editable}, "Code": {"password", "", desktop.Enabled}, "Volume": {"slider", "", desktop.Enabled},
				"Body": {"text", "", desktop.Focused | desktop.MultiLine}, "red": {"listitem", "", desktop.Selected}, "Deep": {"label", "", desktop.Showing},
			} {
				if e := find(t, c, name); e.Role != want.role || e.Text != want.text || !e.States.Has(want.state) || e.Window != 7 || e.Process != "form" {
					t.Errorf("%s is %+v, want %+v", name, e, want)
				}
			}
			if e := find(t, c, "OK"); e.ID != "ok" || e.Bounds != (desktop.Rect{X: 10, Y: 20, W: 30, H: 40}) {
				t.Errorf("the button is %+v", e)
			}
			if e := find(t, c, "Volume"); e.Value == nil || *e.Value != (desktop.Range{Now: 2.5, Max: 100}) {
				t.Errorf("the number is %+v", e.Value)
			}
			if e := find(t, c, "blue"); e.States.Has(desktop.Showing) || e.Parent.Name != "Colour" || e.Index != 1 {
				t.Errorf("the second entry is %+v", e)
			}
			_ = c.Close()
			f.balanced(t)
		})
	}
}

// A tree is one call, however many elements it has.
func TestATreeIsReadAtOnce(t *testing.T) {
	c, f, root := form(t, false)
	find(t, c, "Deep") // also finds out that UI Automation tells of the window
	before := root.reads.Load()
	find(t, c, "Deep")
	if n := root.reads.Load() - before; n != 1 {
		t.Errorf("%d calls read the tree, want 1", n)
	}
	if got := f["Colour"].heard(); got != "" {
		t.Errorf("a combo box was asked by itself: %s", got)
	}
}

// A browser may tell only of its window at first when everything is asked at once.
func TestAShyWindowIsReadLevelByLevel(t *testing.T) {
	c, f, _ := form(t, false)
	f["Form"].props[propFramework] = "Chrome"
	find(t, c, "Deep")
}

func TestPatternsOfAForm(t *testing.T) {
	c, f, _ := form(t, false)
	handle := func(name string) desktop.Handle { return find(t, c, name).Handle }
	for _, a := range []struct {
		do   desktop.Action
		of   string
		want string
	}{
		{desktop.Invoke{Element: handle("OK")}, "OK", "invoke"},
		{desktop.Invoke{Element: handle("Old")}, "Old", "default"},
		{desktop.Invoke{Element: handle("Bold")}, "Bold", "toggle"},
		{desktop.Invoke{Element: handle("red")}, "red", "select"},
		{desktop.Invoke{Element: handle("Colour")}, "Colour", "expand"},
		{desktop.Invoke{Element: handle("Within"), Action: "close"}, "Within", "close"},
		{desktop.SetText{Element: handle("Name"), Text: "日本 € 😀"}, "Name", "set 日本 € 😀"},
		{desktop.SetNumber{Element: handle("Volume"), Value: 42.5}, "Volume", "number"},
		{desktop.Select{Container: handle("Colour"), Child: 1, On: true}, "blue", "select"},
		{desktop.Select{Container: handle("Colour"), Child: 1}, "blue", "select, deselect"},
		{desktop.Reveal{Element: handle("blue")}, "blue", "select, deselect, scroll"},
		{desktop.GrabFocus{Element: handle("Body")}, "Body", "focus"},
	} {
		if err := c.Do(t.Context(), a.do); err != nil {
			t.Errorf("%T of %s: %v", a.do, a.of, err)
		}
		if got := f[a.of].heard(); got != a.want {
			t.Errorf("%T: %s heard %q, want %q", a.do, a.of, got, a.want)
		}
	}
	if got := f["Volume"].props[propNumber]; got != 42.5 {
		t.Errorf("the number is %v, want 42.5", got)
	}
	for say, a := range map[string]desktop.Action{
		"a button that does not scroll":   desktop.Reveal{Element: handle("OK")},
		"text at the caret of a document": desktop.InsertText{Element: handle("Body"), Text: "x"},
	} {
		if err := c.Do(t.Context(), a); !errors.Is(err, desktop.ErrRefused) {
			t.Errorf("%s: %v, want a refusal", say, err)
		}
	}
	f["OK"].gone.Store(true)
	ok := find(t, c, "OK").Handle
	if err := c.Do(t.Context(), desktop.Invoke{Element: ok}); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("what is gone: %v, want not found", err)
	}
	_ = c.Close()
	f.balanced(t)
}

func TestPointsOfAForm(t *testing.T) {
	for say, poor := range ways {
		c, f, _ := form(t, poor)
		e, err := c.Hit(t.Context(), desktop.Point{X: 15, Y: 25})
		if err != nil || e.Name != "OK" || e.Parent == nil || e.Parent.Name != "Form" {
			t.Errorf("%s: at the point is %+v, %v", say, e, err)
		}
		if e != nil && e.Handle != find(t, c, "OK").Handle {
			t.Errorf("%s: the handle is another one than in the tree", say)
		}
		_ = c.Close()
		f.balanced(t)
	}
}

func TestCaretOfADocument(t *testing.T) {
	c, f, _ := form(t, false)
	body := f["Body"]
	saved, err := c.SaveFocus(t.Context())
	if err != nil || saved.Selection != [2]int{2, 4} || saved.Length != 8 || saved.Caret != 4 {
		t.Fatalf("the focus is %+v, %v", saved, err)
	}
	body.from, body.to = 0, 0
	if err := c.Do(t.Context(), desktop.RestoreFocus{State: saved}); err != nil || body.from != 2 || body.to != 4 {
		t.Errorf("the selection is %d to %d, %v; want 2 to 4", body.from, body.to, err)
	}
	_ = c.Close()
	f.balanced(t)
}

// An application that does not return from a call holds up nobody: it is said to be unread,
// and others are read meanwhile. One that hangs while it does something has done it only if it
// answers otherwise.
func TestAProviderThatHangs(t *testing.T) {
	c, f, root := form(t, false)
	stuck := family{}
	hung := stuck.add(nil, "Stuck", "Window", map[property]any{propHandle: int32(8)})
	hung.hangs = make(chan struct{})
	t.Cleanup(func() { close(hung.hangs) })
	root.windows[8] = hung
	both := []desktop.Window{
		{ID: 7, Title: "Form", Process: "form", PID: 70, Bounds: desktop.Rect{W: 500, H: 500}},
		{ID: 8, Title: "Stuck", Process: "stuck", PID: 80, Bounds: desktop.Rect{W: 50, H: 50}},
	}
	c.o.Windows = func(context.Context) ([]desktop.Window, error) { return both, nil }
	tree, err := c.Tree(t.Context(), desktop.Scope{})
	if err != nil || len(tree.Unread) != 1 || tree.Unread[0] != "stuck" || len(tree.Roots) != 1 || tree.Roots[0].Name != "Form" {
		t.Fatalf("the tree is %+v, %v; want the form, and stuck unread", tree, err)
	}
	f["OK"].hangs = make(chan struct{})
	t.Cleanup(func() { close(f["OK"].hangs) })
	if err := c.Do(t.Context(), desktop.Invoke{Element: find(t, c, "OK").Handle}); err != nil {
		t.Errorf("a button that shows a dialog: %v", err)
	}
}

// However often a call hangs, no more threads are started than are bounded.
func TestThreadsAreBounded(t *testing.T) {
	threads := newThreads()
	stop := make(chan struct{})
	ctx, cancel := context.WithCancel(t.Context())
	for range mostThreads {
		go func() {
			_, _ = within(ctx, threads, treeTime, func() (int, error) { <-stop; return 0, nil })
		}()
	}
	var err error
	for err == nil {
		quick, end := context.WithCancel(ctx)
		_, err = within(quick, threads, treeTime, func() (int, error) { return 1, nil })
		end()
	}
	if !errors.Is(err, desktop.ErrUnresponsive) {
		t.Errorf("one call too many: %v, want no answer", err)
	}
	cancel()
	close(stop)
}

package uia

import (
	"context"
	"errors"
	"slices"
	"testing"

	"understudy/internal/desktop"
)

// fakeSource tells of windows that it has as nodes.
type fakeSource struct {
	roots map[desktop.WindowID]*node
	hangs map[desktop.WindowID]bool
	done  []desktop.Action
	caretOf
}

type caretOf struct {
	length, at int
	selection  [2]int
	set        bool
}

func (s *fakeSource) find(w desktop.WindowID, key string) (*node, error) {
	if s.hangs[w] {
		return nil, desktop.ErrUnresponsive
	}
	var found *node
	var walk func(n *node)
	walk = func(n *node) {
		if key == "" || n.key == key {
			found = n
			return
		}
		for _, c := range n.children {
			walk(c)
		}
	}
	if root := s.roots[w]; root != nil {
		walk(root)
	}
	if found == nil {
		return nil, desktop.ErrNotFound
	}
	return found, nil
}

func (s *fakeSource) tells(_ context.Context, w desktop.WindowID) (bool, error) {
	if s.hangs[w] {
		return false, desktop.ErrUnresponsive
	}
	return s.roots[w] != nil, nil
}

func (s *fakeSource) read(_ context.Context, w desktop.WindowID, key string, alone bool) (*node, error) {
	n, err := s.find(w, key)
	if err != nil || !alone {
		return n, err
	}
	only := *n
	only.children = nil
	return &only, nil
}

func (s *fakeSource) at(_ context.Context, w desktop.WindowID, at desktop.Point) ([]*node, error) {
	n, err := s.find(w, "")
	if err != nil {
		return nil, err
	}
	return n.under(at), nil
}

func (s *fakeSource) focused(_ context.Context, w desktop.WindowID) (focused *node, err error) {
	root, err := s.find(w, "")
	if err != nil {
		return nil, err
	}
	for _, c := range root.children {
		if c.states.Has(desktop.Focused) {
			focused = c
		}
	}
	return focused, nil
}

func (s *fakeSource) caret(_ context.Context, _ *node, f *desktop.FocusState) error {
	f.Length, f.Caret, f.Selection = s.length, s.caretOf.at, s.selection
	return nil
}

func (s *fakeSource) setCaret(context.Context, *node, desktop.FocusState) error {
	s.set = true
	return nil
}

func (s *fakeSource) do(_ context.Context, _ *node, a desktop.Action) error {
	s.done = append(s.done, a)
	return nil
}

func (*fakeSource) close() {}

const shows = desktop.Enabled | desktop.Showing

// made returns a node with children.
func made(key, raw string, states desktop.States, children ...*node) *node {
	n := &node{key: key, facts: facts{raw: raw, name: key, states: states, offers: map[pattern]bool{}}}
	if raw == "Button" {
		n.offers[patInvoke] = true
	}
	n.adopt(children)
	return n
}

// desk returns a client of two windows, of which the first source has the upper.
func desk(t *testing.T) (c *Client, first, last *fakeSource) {
	t.Helper()
	field := made("field", "Edit", shows|desktop.Focused|desktop.Editable)
	field.text, field.offers[patValue], field.box = "abc", true, desktop.Rect{X: 10, Y: 10, W: 20, H: 10}
	slider := made("slider", "Slider", shows)
	slider.offers[patRange], slider.value = true, &desktop.Range{Max: 10}
	list := made("list", "List", shows, made("one", "ListItem", shows), made("two", "ListItem", desktop.Enabled))
	list.children[0].offers[patSelect] = true
	pane := made("pane", "Pane", shows, made("deep", "Button", shows))
	first = &fakeSource{hangs: map[desktop.WindowID]bool{}, roots: map[desktop.WindowID]*node{
		2: made("root", "Window", shows, made("OK", "Button", shows), made("off", "Button", desktop.Showing), field, slider, list, pane),
	}}
	last = &fakeSource{hangs: map[desktop.WindowID]bool{}, roots: map[desktop.WindowID]*node{1: made("plain", "Window", shows, made("old", "Button", shows))}}
	first.roots[2].handle, last.roots[1].handle = 2, 1
	windows := []desktop.Window{
		{ID: 1, Title: "Plain", Process: "plain", PID: 10, Bounds: desktop.Rect{W: 50, H: 50}},
		{ID: 2, Title: "Rich", Process: "rich", PID: 20, Bounds: desktop.Rect{W: 100, H: 100}, Active: true},
	}
	c = newClient(Options{
		Windows:  func(context.Context) ([]desktop.Window, error) { return slices.Clone(windows), nil },
		Activate: func(context.Context, desktop.WindowID) error { return nil },
	}, named{"u", first}, named{"h", last})
	t.Cleanup(func() { _ = c.Close() })
	return c, first, last
}

// names returns the names of the elements of a scope.
func names(t *testing.T, c *Client, s desktop.Scope) (list []string, tree *desktop.Tree) {
	t.Helper()
	tree, err := c.Tree(t.Context(), s)
	if err != nil {
		t.Fatal(err)
	}
	tree.Walk(func(e *desktop.Element) bool {
		list = append(list, e.Name)
		return true
	})
	return list, tree
}

func TestTreeOfScopes(t *testing.T) {
	c, _, _ := desk(t)
	for _, s := range []struct {
		say     string
		scope   desktop.Scope
		want    []string
		omitted int
	}{
		{"all that shows, the topmost window first", desktop.Scope{}, []string{"Rich", "OK", "off", "field", "slider", "list", "one", "pane", "deep", "Plain", "old"}, 1},
		{"what does not show too", desktop.Scope{Hidden: true, Window: 2}, []string{"Rich", "OK", "off", "field", "slider", "list", "one", "two", "pane", "deep"}, 0},
		{"a process", desktop.Scope{Process: "plain"}, []string{"Plain", "old"}, 0},
		{"a title", desktop.Scope{Title: "plai"}, []string{"Plain", "old"}, 0},
		{"two levels", desktop.Scope{Window: 2, Depth: 2}, []string{"Rich", "OK", "off", "field", "slider", "list", "pane"}, 3},
		{"three elements", desktop.Scope{Limit: 3}, []string{"Rich", "OK", "off"}, 9},
		{"below an element", desktop.Scope{Root: "u:2:list"}, []string{"list", "one"}, 1},
	} {
		got, tree := names(t, c, s.scope)
		if !slices.Equal(got, s.want) || tree.Omitted != s.omitted {
			t.Errorf("%s: %q and %d left out, want %q and %d", s.say, got, tree.Omitted, s.want, s.omitted)
		}
	}
}

// A container without a name takes no level of a scope.
func TestContainersTakeNoLevel(t *testing.T) {
	c, first, _ := desk(t)
	pane := first.roots[2].children[5]
	pane.name = ""
	if got, _ := names(t, c, desktop.Scope{Window: 2, Depth: 2}); !slices.Contains(got, "deep") {
		t.Errorf("two levels are %q, want the button in the pane too", got)
	}
}

// An application that hangs is said to be unread, and holds up no other.
func TestWhatHangsIsUnread(t *testing.T) {
	c, first, _ := desk(t)
	first.hangs[2] = true
	got, tree := names(t, c, desktop.Scope{})
	if !slices.Equal(tree.Unread, []string{"rich"}) || !slices.Equal(got, []string{"Plain", "old"}) {
		t.Errorf("the tree is %q without %q, want the other window without rich", got, tree.Unread)
	}
	if _, err := c.Tree(t.Context(), desktop.Scope{Root: "u:2:list"}); !errors.Is(err, desktop.ErrUnresponsive) {
		t.Errorf("reading an element of it: %v, want no answer", err)
	}
}

func TestElementAtAPoint(t *testing.T) {
	c, _, _ := desk(t)
	e, err := c.ElementAt(t.Context(), desktop.Point{X: 12, Y: 12})
	if err != nil || e.Handle != "u:2:field" || e.Parent == nil || e.Parent.Role != "frame" || !slices.Equal(e.Hits, []desktop.Handle{"u:2:field"}) {
		t.Errorf("the element is %+v, %v", e, err)
	}
	if e, err := c.Hit(t.Context(), desktop.Point{X: 500, Y: 5}); !errors.Is(err, desktop.ErrNotFound) {
		t.Errorf("where no window is: %+v, %v", e, err)
	}
}

func TestActionsThatElementsOffer(t *testing.T) {
	c, first, last := desk(t)
	for say, a := range map[string]desktop.Action{
		"what is disabled":       desktop.Invoke{Element: "u:2:off"},
		"another action":         desktop.Invoke{Element: "u:2:OK", Action: "fly"},
		"the text of a button":   desktop.SetText{Element: "u:2:OK", Text: "x"},
		"text into a button":     desktop.InsertText{Element: "u:2:OK", Text: "x"},
		"the number of a button": desktop.SetNumber{Element: "u:2:OK", Value: 1},
		"the choice of a pane":   desktop.Select{Container: "u:2:pane", On: true},
	} {
		if err := c.Do(t.Context(), a); !errors.Is(err, desktop.ErrRefused) {
			t.Errorf("%s: %v, want a refusal", say, err)
		}
	}
	for say, a := range map[string]desktop.Action{
		"no handle":         desktop.Invoke{Element: "nonsense"},
		"a window that was": desktop.Invoke{Element: "u:9:OK"},
		"a child that was":  desktop.Select{Container: "u:2:list", Child: 7, On: true},
	} {
		if err := c.Do(t.Context(), a); !errors.Is(err, desktop.ErrNotFound) {
			t.Errorf("%s: %v, want not found", say, err)
		}
	}
	if len(first.done)+len(last.done) > 0 {
		t.Fatalf("what is refused was done: %v %v", first.done, last.done)
	}
	for _, a := range []desktop.Action{desktop.Invoke{Element: "u:2:OK"}, desktop.SetNumber{Element: "u:2:slider", Value: 70}, desktop.Select{Container: "u:2:list", On: true}} {
		if err := c.Do(t.Context(), a); err != nil {
			t.Errorf("%v: %v", a, err)
		}
	}
	want := []desktop.Action{desktop.Invoke{Element: "u:2:OK", Action: "click"}, desktop.SetNumber{Element: "u:2:slider", Value: 10}, desktop.Select{Container: "u:2:list", On: true}}
	if !slices.Equal(first.done, want) {
		t.Errorf("done was %v, want %v", first.done, want)
	}
}

func TestFocusComesBack(t *testing.T) {
	c, first, _ := desk(t)
	first.caretOf = caretOf{length: 3, at: 2, selection: [2]int{1, 2}}
	saved, err := c.SaveFocus(t.Context())
	if err != nil || saved.Element != "u:2:field" || saved.Window != 2 || saved.Begin != "abc" || saved.Caret != 2 {
		t.Fatalf("the focus is %+v, %v", saved, err)
	}
	first.caretOf.at, first.selection = 3, [2]int{3, 3}
	if err := c.Do(t.Context(), desktop.RestoreFocus{State: saved}); err != nil || !first.set {
		t.Errorf("the caret was not put back: %v", err)
	}
	first.set = false
	first.roots[2].children[2].text = "other"
	if err := c.Do(t.Context(), desktop.RestoreFocus{State: saved}); err != nil || first.set {
		t.Errorf("the caret was put back into another text: %v", err)
	}
	first.roots[2].children[2].password = true
	if saved, err := c.SaveFocus(t.Context()); err != nil || saved.Begin != "" || saved.Caret != -1 {
		t.Errorf("of a password this is kept: %+v, %v", saved, err)
	}
}

func TestChangesAreTold(t *testing.T) {
	for _, row := range []struct {
		name   string
		watch  func(*Client, context.Context, func()) error
		change func(field, other *node)
	}{
		{
			"the text of an element",
			func(c *Client, ctx context.Context, f func()) error { return c.WatchElement(ctx, "u:2:field", f) },
			func(field, _ *node) { field.text = "changed" },
		},
		{
			"the focus", (*Client).WatchFocus,
			func(field, other *node) {
				field.states, other.states = field.states&^desktop.Focused, other.states|desktop.Focused
			},
		},
	} {
		t.Run(row.name, func(t *testing.T) {
			c, first, _ := desk(t)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			calls := 0
			err := row.watch(c, ctx, func() {
				if calls++; calls == 1 {
					row.change(first.roots[2].children[2], first.roots[2].children[0])
					return
				}
				cancel()
			})
			if calls != 2 || !errors.Is(err, context.Canceled) {
				t.Errorf("%d calls and %v, want two", calls, err)
			}
		})
	}
}

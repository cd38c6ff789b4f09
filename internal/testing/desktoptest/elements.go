package desktoptest

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// all returns the elements in a scope, read in full.
func (k *kit) all(s desktop.Scope) (list []*desktop.Element) {
	k.Helper()
	s.Full = true
	tree, err := k.Tree(k.Context(), s)
	k.must(err)
	tree.Walk(func(e *desktop.Element) bool {
		list = append(list, e)
		return true
	})
	return list
}

// find returns the elements with a name, without labels.
func (k *kit) find(name string, s desktop.Scope) []*desktop.Element {
	k.Helper()
	return slices.DeleteFunc(k.all(s), func(e *desktop.Element) bool { return e.Name != name || e.Role == "label" })
}

// element waits for the one element with a name that shows.
func (k *kit) element(name string) *desktop.Element {
	k.Helper()
	return k.within(name, desktop.Scope{})
}

// within waits for the one element with a name in a scope.
func (k *kit) within(name string, s desktop.Scope) (e *desktop.Element) {
	k.Helper()
	k.until("the tree has "+name, func() error {
		found := k.find(name, s)
		if len(found) != 1 {
			return fmt.Errorf("it has %d of that name", len(found))
		}
		e = found[0]
		return nil
	})
	return e
}

// absent returns an error if an element with a name shows.
func (k *kit) absent(name string) error {
	k.Helper()
	if found := k.find(name, desktop.Scope{}); len(found) > 0 {
		return fmt.Errorf("the tree has a %s %q", found[0].Role, name)
	}
	return nil
}

// has returns an error unless an element has states.
func (k *kit) has(e *desktop.Element, s desktop.States) error {
	if !e.States.Has(s) {
		return fmt.Errorf("%s %q is %v, want %v", e.Role, e.Name, e.States.Names(), s.Names())
	}
	return nil
}

// controls are the roles of the window's elements that always show.
var controls = map[string]desktop.Role{
	"File": "menu", "Name": "entry", "Code": "password", "Body": "text", "OK": "button", "Apply": "button",
	"Disabled": "button", "Urgent": "checkbox", "Bold": "togglebutton", "Home": "radiobutton", "Work": "radiobutton",
	"Colour": "combobox", "Volume": "slider", "Canvas": "canvas", "Row 0": "button",
}

// seen are those of them that the system tells of.
func (k *kit) seen() iter.Seq2[string, desktop.Role] {
	return func(yield func(string, desktop.Role) bool) {
		for name, role := range controls {
			if why, unseen := k.Unseen[name]; unseen {
				k.Logf("%s is left out: %s", name, why)
			} else if !yield(name, role) {
				return
			}
		}
	}
}

func testTree(k *kit) {
	w := k.window("Contract")
	for name, role := range k.seen() {
		e := k.element(name)
		if !e.Role.Matches(role) {
			k.Errorf("%s is a %s, want a %s", name, e.Role, role)
		}
		if e.Window != w.ID || e.PID != w.PID || e.WindowTitle != "Contract" || e.Handle == "" {
			k.Errorf("%s is said to be in the window %d %q of process %d (handle %q), want %d of %d", name, e.Window, e.WindowTitle, e.PID, e.Handle, w.ID, w.PID)
		}
	}
	for name, s := range map[string]desktop.States{
		"OK": desktop.Enabled | desktop.Focusable | desktop.Showing, "Home": desktop.Checked, "Body": desktop.MultiLine | desktop.Editable, "Name": desktop.Focused,
	} {
		if err := k.has(k.element(name), s); err != nil {
			k.Error(err)
		}
	}
	if e := k.element("Disabled"); e.States.Has(desktop.Enabled) {
		k.Errorf("the disabled button is %v", e.States.Names())
	}
}

func testBoxes(k *kit) {
	monitors, err := k.Monitors(k.Context())
	k.must(err)
	window := k.box("Contract")
	for name := range k.seen() {
		e := k.element(name)
		check(k, "the box of "+name, e.Bounds, k.box(name))
		check(k, "the window around "+name, e.WindowBounds, window)
		if !slices.ContainsFunc(monitors, func(m desktop.Monitor) bool { return m.Bounds.Intersect(e.Bounds) == e.Bounds }) {
			k.Errorf("%s is at %v, which no monitor shows", name, e.Bounds)
		}
	}
}

func testScope(k *kit) {
	k.must(k.App.Do("open Second"))
	k.within("In Second", desktop.Scope{})
	second, pid := k.window("Second"), k.window("Contract").PID
	rows := k.element("Rows")
	for say, c := range map[string]struct {
		scope       desktop.Scope
		holds, does string // not
	}{
		"a window":         {desktop.Scope{Window: second.ID}, "In Second", "OK"},
		"a title":          {desktop.Scope{Title: "econ"}, "In Second", "OK"},
		"a process":        {desktop.Scope{PID: pid}, "OK", ""},
		"another process":  {desktop.Scope{PID: 1}, "", "OK"},
		"below an element": {desktop.Scope{Root: rows.Handle}, "Row 0", "OK"},
		"two levels":       {desktop.Scope{Title: "Contract", Depth: 2}, "OK", "Row 0"},
	} {
		if c.holds != "" {
			k.within(c.holds, c.scope)
		}
		if found := k.find(c.does, c.scope); c.does != "" && len(found) > 0 {
			k.Errorf("%s: the tree holds %s %q too", say, found[0].Role, c.does)
		}
	}
	tree, err := k.Tree(k.Context(), desktop.Scope{Limit: 5})
	k.must(err)
	n := 0
	tree.Walk(func(*desktop.Element) bool { n++; return true })
	if n != 5 || tree.Omitted == 0 {
		k.Errorf("with a limit of 5 the tree has %d elements and leaves %d out, want 5 and some", n, tree.Omitted)
	}
}

func testHidden(k *kit) {
	k.element("OK")
	if err := k.absent("Apart"); err != nil {
		k.Errorf("a button on a page that is not shown: %v", err)
	}
	if e := k.within("Apart", desktop.Scope{Hidden: true}); e.States.Has(desktop.Showing) {
		k.Errorf("a button on a page that is not shown is %v", e.States.Names())
	}
}

// tests returns the two ways to find the element at a point.
func (k *kit) tests() map[string]func(context.Context, desktop.Point) (*desktop.Element, error) {
	return map[string]func(context.Context, desktop.Point) (*desktop.Element, error){"ElementAt": k.ElementAt, "Hit": k.Hit}
}

func testElementAt(k *kit) {
	for name := range k.seen() {
		want := k.element(name)
		for how, at := range k.tests() {
			e, err := at(k.Context(), k.middle(name))
			if err != nil || e.Handle != want.Handle || e.Bounds != want.Bounds {
				k.Errorf("%s at %s: %+v, %v; want %s %q", how, k.middle(name), e, err, want.Role, name)
			}
		}
	}
}

func testNothingThere(k *kit) {
	monitors, err := k.Monitors(k.Context())
	k.must(err)
	r := monitors[0].Bounds
	corner := desktop.Point{X: r.X + r.W - 2, Y: r.Y + r.H - 2}
	for how, at := range k.tests() {
		if e, err := at(k.Context(), corner); !errors.Is(err, desktop.ErrNotFound) {
			k.Errorf("%s at %s: %+v, %v; want not found", how, corner, e, err)
		}
	}
}

func testCovered(k *kit) {
	at := k.middle("OK")
	k.must(k.App.Do("cover OK"))
	k.until("the cover is on top", func() error { return same("the top", k.top().Title, "Cover") })
	cover := k.window("Cover")
	for how, test := range k.tests() {
		k.until(how+" names the cover", func() error {
			e, err := test(k.Context(), at)
			if err != nil {
				return err
			}
			if e.Name == "OK" {
				k.Fatalf("%s names the button that is covered", how)
			}
			return same("the window at the point", e.Window, cover.ID)
		})
	}
}

func testRemoved(k *kit) {
	gone := k.element("Doomed")
	k.must(k.App.Do("remove Doomed"))
	if _, err := k.Refresh(k.Context(), gone.Handle); !errors.Is(err, desktop.ErrNotFound) {
		k.Errorf("reading what was removed: %v, want not found", err)
	}
	if err := k.Do(k.Context(), desktop.Invoke{Element: gone.Handle}); !errors.Is(err, desktop.ErrNotFound) {
		k.Errorf("invoking what was removed: %v, want not found", err)
	}
	if err := k.absent("Doomed"); err != nil {
		k.Error(err)
	}
}

func (k *kit) refresh(e *desktop.Element) *desktop.Element {
	k.Helper()
	now, err := k.Refresh(k.Context(), e.Handle)
	k.must(err)
	return now
}

func testRefresh(k *kit) {
	apply := k.element("Apply")
	k.must(k.has(apply, desktop.Enabled))
	k.must(k.App.Do("disable Apply"))
	if now := k.refresh(apply); now.States.Has(desktop.Enabled) || now.Name != "Apply" || now.Bounds != k.box("Apply") {
		k.Errorf("after it was disabled it reads %q, %v at %s", now.Name, now.States.Names(), now.Bounds)
	}
}

func testReadText(k *kit) {
	k.writeIn("Name", "Ada Łovelace")
	k.writeIn("Body", "one\ntwo")
	for name, want := range map[string]string{"Name": "Ada Łovelace", "Body": "one\ntwo"} {
		e := k.element(name)
		check(k, name+" in the tree", e.Text, want)
		check(k, name+" read alone", k.refresh(e).Text, want)
	}
}

func testPassword(k *kit) {
	const secret = "s3cret-Wörd"
	k.writeIn("Code", secret)
	field := k.element("Code")
	for _, e := range append(k.all(desktop.Scope{Hidden: true}), k.refresh(field)) {
		if text := fmt.Sprintf("%+v", *e); strings.Contains(text, secret) {
			k.Errorf("the password stands in %s", text)
		}
	}
	k.do(desktop.WriteClipboard{Text: "nothing"})
	k.press("ctrl+a ctrl+c")
	k.must(k.App.Do("settle"))
	text, err := k.ReadClipboard(k.Context())
	k.must(err)
	check(k, "the clipboard", text, "nothing")
}

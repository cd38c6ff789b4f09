//go:build linux

package atspi

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

// What a client keeps must never differ from what a new client reads.
func TestCacheEqualsAFreshRead(t *testing.T) {
	s := openSandbox(t, 40)
	fresh := func() *desktop.Tree {
		c, err := s.desk.connect(t)
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		tree, err := c.Tree(t.Context(), desktop.Scope{PID: s.Process.Pid, Hidden: true})
		if err != nil {
			t.Fatal(err)
		}
		return tree
	}
	all := func(*desktop.Element) bool { return true }
	states := func(tree *desktop.Tree) string { // with the states that describe leaves out
		var text strings.Builder
		text.WriteString(outline(tree, all))
		tree.Walk(func(e *desktop.Element) bool {
			for _, n := range e.States.Names() {
				text.WriteString(n + " ")
			}
			text.WriteString("\n")
			return true
		})
		return text.String()
	}
	s.do("ask.get_accessible().set_name('Named')") // ATK does not tell of the first name
	s.tree(desktop.Scope{Hidden: true})
	for _, change := range []string{
		"ask.set_label('Renamed')",
		"lines.set_sensitive(False)",
		"lines.set_sensitive(True)",
		"lines.get_children()[3].hide()",
		"lines.get_children()[3].show()",
		"lines.get_children()[1].set_text('Other words')",
		"lines.remove(lines.get_children()[0])",
		"lines.add(Gtk.CheckButton(label='New', visible=True))",
		"lines.get_children()[-1].set_active(True)",
		"lines.reorder_child(lines.get_children()[-1], 0)",
		"notebook.set_current_page(1)",
		"notebook.set_current_page(0)",
		"scrolled.get_vadjustment().set_value(300)",
		"scrolled.get_vadjustment().set_value(0)",
		"entry.set_text('words')",
		"entry.set_editable(False)",
		"window.resize(500, 900)",
		"lines.get_children()[0].set_size_request(50, 500)",
		"ask.set_sensitive(False)",
		"ask.set_sensitive(True)",
		"entry.grab_focus()",
		"ask.hide()",
		"ask.show()",
		"scale.set_value(70)",
		"box.set_sensitive(False)",
		"box.set_sensitive(True)",
		"entry.set_visibility(False)",
		"window.set_title('Another title')",
		"ask.get_accessible().set_name('Named anew')",
		"lines.foreach(lambda w: w.destroy())",
	} {
		s.do(change)
		var want, got string
		eventually(t, "nothing else changes meanwhile", func() bool {
			// GTK tells of a box before all is laid out anew, and of nothing at the end of it.
			if want = states(fresh()); want != states(fresh()) {
				return false
			}
			got = states(s.tree(desktop.Scope{Hidden: true}))
			return want == states(fresh())
		}, nil)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("after %s (-a new client +the one that keeps):\n%s", change, diff)
		}
	}
}

// Of a first name there is no event.
func TestFirstNameIsReadAfterTheCacheExpires(t *testing.T) {
	s := openSandbox(t, 2)
	s.tree(desktop.Scope{})
	s.do("scale.get_accessible().set_name('Loudness')")
	eventually(t, "the slider has its name", func() bool {
		return find(s.tree(desktop.Scope{}), named("slider", "Loudness")) != nil
	}, nil)
}

func TestStaleElementsAreReadAgain(t *testing.T) {
	s := openSandbox(t, 20)
	app := s.desk.settle(t, s.Cmd)
	c := s.desk.still(t)
	ask := s.element(named("button", "Ask"))
	row := s.element(named("button", "Button 2"))
	read := func(h desktop.Handle) *desktop.Element {
		t.Helper()
		e, err := c.Refresh(t.Context(), h)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	at := func(p desktop.Point) *desktop.Element {
		t.Helper()
		e, err := c.ElementAt(t.Context(), p)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	for range 2 { // the second time by what the first has read
		if e := read(ask.Handle); e.Name != "Ask" || e.Bounds != ask.Bounds || e.Window != app.ID || len(e.Actions) == 0 {
			t.Fatalf("read %+v, want %+v", e, ask)
		}
		if e := at(ask.Bounds.Center()); e.Handle != ask.Handle || e.Bounds != ask.Bounds {
			t.Fatalf("at its middle is %+v, want %+v", e, ask)
		}
		if e := at(row.Bounds.Center()); e.Handle != row.Handle {
			t.Fatalf("at its middle is %+v, want %+v", e, row)
		}
	}
	for _, change := range []struct {
		do   string
		want string
		got  func() string
	}{
		{"ask.set_label('Ask again')", "Ask again", func() string { return read(ask.Handle).Name }},
		{"ask.set_sensitive(False)", "false", func() string { return fmt.Sprint(read(ask.Handle).States.Has(desktop.Enabled)) }},
		{"box.reorder_child(ask, 0)", "elsewhere", func() string { return whether(read(ask.Handle).Bounds == ask.Bounds) }},
		{"lines.get_children()[2].destroy()", "elsewhere", func() string { return whether(at(row.Bounds.Center()).Handle == row.Handle) }},
	} {
		s.do(change.do)
		got := ""
		eventually(t, "after "+change.do+" it is "+change.want, func() bool { got = change.got(); return got == change.want }, &got)
	}
}

func whether(same bool) string {
	if same {
		return "where it was"
	}
	return "elsewhere"
}

// What did not show when it was looked at is looked at again.
func TestHiddenElementsAreReadOnceTheyShow(t *testing.T) {
	d := onDesk(t, "featherpad")
	app := d.open(t, named("menuitem", "File"), "featherpad", "--standalone")
	d.settle(t, app)
	toggle := d.element(t, app, named("button", "Jump to")).Handle
	line := func() *desktop.Element { // the bar that the button shows and hides
		tree, err := d.client.Tree(t.Context(), desktop.Scope{PID: app.Process.Pid, Full: true})
		if err != nil {
			t.Fatal(err)
		}
		return find(tree, func(e *desktop.Element) bool { return e.Role == "spinbutton" && !e.Bounds.Empty() })
	}
	press := func(shows bool) {
		t.Helper()
		if err := d.client.Do(t.Context(), desktop.Invoke{Element: toggle}); err != nil {
			t.Fatal(err)
		}
		eventually(t, "the bar shows, or does not", func() bool { return (line() != nil) == shows }, nil)
	}
	press(true)
	at := line().Bounds.Center()
	c := d.still(t)
	for _, shows := range []bool{true, false, true, false, true} {
		if shows != (line() != nil) {
			press(shows)
		}
		for range 2 { // the second time by what the first has seen
			var got desktop.Role
			eventually(t, "the point is in the bar, or is not", func() bool {
				e, err := c.ElementAt(t.Context(), at)
				if err != nil {
					t.Fatal(err)
				}
				got = e.Role
				return (got == "spinbutton") == shows
			}, &got)
		}
	}
}

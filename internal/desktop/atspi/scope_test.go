//go:build linux

package atspi

import (
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/desktop"
)

// count is how many elements a tree has.
func count(tree *desktop.Tree) (n int) {
	tree.Walk(func(*desktop.Element) bool { n++; return true })
	return n
}

func TestAScopeIsReadAndNoMore(t *testing.T) {
	s := openSandbox(t, 40)
	all := s.tree(desktop.Scope{Hidden: true, Full: true})
	showing := s.tree(desktop.Scope{})
	root := all.Roots[0]
	if showing.Omitted != count(all)-count(showing) || showing.Omitted == 0 {
		t.Errorf("%d of %d show and %d are left out", count(showing), count(all), showing.Omitted)
	}
	page := find(all, func(e *desktop.Element) bool { return e.Role == "pagetablist" })
	for name, test := range map[string]struct {
		scope desktop.Scope
		want  func(*desktop.Tree) bool
	}{
		"by process":      {desktop.Scope{Process: root.Process}, func(t *desktop.Tree) bool { return len(t.Roots) == 1 }},
		"by its own name": {desktop.Scope{Process: "SANDBOX.py"}, func(t *desktop.Tree) bool { return len(t.Roots) == 1 }},
		"as on Windows":   {desktop.Scope{Process: strings.ToUpper(root.Process) + ".exe"}, func(t *desktop.Tree) bool { return len(t.Roots) == 1 }},
		"of nobody":       {desktop.Scope{Process: "nobody"}, func(t *desktop.Tree) bool { return len(t.Roots) == 0 }},
		"by title":        {desktop.Scope{Title: "sandBOX 4"}, func(t *desktop.Tree) bool { return len(t.Roots) == 1 }},
		"by window":       {desktop.Scope{Window: root.Window}, func(t *desktop.Tree) bool { return len(t.Roots) == 1 }},
		"by no window":    {desktop.Scope{Window: 1}, func(t *desktop.Tree) bool { return len(t.Roots) == 0 }},
		"two levels, and what only holds others for none": {desktop.Scope{Depth: 2, Hidden: true}, func(t *desktop.Tree) bool {
			return find(t, named("button", "Ask")) != nil && find(t, roles("pagetablist")) != nil && find(t, roles("pagetab")) == nil && t.Omitted == count(all)-count(t)
		}},
		"five elements": {desktop.Scope{Limit: 5, Hidden: true, Full: true}, func(t *desktop.Tree) bool {
			return count(t) == 5 && t.Omitted == count(all)-5 && !t.Roots[0].Children[0].Children[0].Bounds.Empty()
		}},
		"below an element": {desktop.Scope{Root: page.Handle, Hidden: true}, func(t *desktop.Tree) bool {
			return len(t.Roots) == 1 && t.Roots[0].Handle == page.Handle && find(t, named("button", "Button 0")) != nil &&
				t.Roots[0].Window == root.Window && find(t, named("button", "Ask")) == nil
		}},
		"all of buttons only": {desktop.Scope{Full: true, Of: "button"}, func(t *desktop.Tree) bool {
			button, other := find(t, named("button", "Ask")), find(t, roles("pagetablist"))
			return count(t) == count(showing) && !button.Bounds.Empty() && len(button.Actions) > 0 && other.Bounds.Empty()
		}},
		"without details": {desktop.Scope{}, func(t *desktop.Tree) bool { return t.Roots[0].Bounds.Empty() }},
	} {
		t.Run(name, func(t *testing.T) {
			if test.scope.Process == "" && test.scope.Window == 0 && test.scope.Root == "" && test.scope.Title == "" {
				test.scope.PID = s.Process.Pid
			}
			tree, err := s.desk.client.Tree(t.Context(), test.scope)
			if err != nil {
				t.Fatal(err)
			}
			if !test.want(tree) {
				t.Errorf("%d elements, %d left out:\n%s", count(tree), tree.Omitted, outline(tree, everything))
			}
		})
	}
}

func TestRefsAreNumberedInTreeOrder(t *testing.T) {
	s := openSandbox(t, 4)
	one, other := s.tree(desktop.Scope{}), s.tree(desktop.Scope{})
	if one.ID == other.ID {
		t.Errorf("two trees are both %q", one.ID)
	}
	var refs []string
	one.Walk(func(e *desktop.Element) bool { refs = append(refs, e.Ref); return true })
	if refs[0] != "e1" || refs[1] != "e2" || one.Roots[0].Children[0].Ref != "e2" || one.Roots[0].Children[0].Parent != one.Roots[0] {
		t.Errorf("refs are %q", refs)
	}
}

func TestManyLookAtOnce(t *testing.T) {
	s := openSandbox(t, 40)
	want := count(s.tree(desktop.Scope{Hidden: true}))
	handle := s.element(named("button", "Ask")).Handle
	// Many ask one application at once: on a busy machine it takes its time.
	c := s.desk.another(t, func(o *Options) { o.Timeout = time.Minute })
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			for range 10 {
				tree, err := c.Tree(t.Context(), desktop.Scope{PID: s.Process.Pid, Hidden: true, Full: i%2 == 0})
				if err != nil || count(tree) != want {
					t.Errorf("%v, want %d elements", err, want)
					return
				}
				if e, err := c.Refresh(t.Context(), handle); err != nil || e.Name != "Ask" {
					t.Errorf("%v, %v; want the button Ask", e, err)
					return
				}
			}
		})
	}
	for i := range 20 { // and it changes meanwhile
		s.do("entry.set_text('" + string(rune('a'+i)) + "'); scale.set_value(5)")
	}
	wg.Wait()
}

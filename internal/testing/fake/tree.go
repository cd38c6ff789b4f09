package fake

import (
	"context"
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
)

// unanswered is how long a call to a frozen program takes to fail.
const unanswered = 2 * time.Second

// Freeze makes a program not reply about its elements, until Thaw; its windows
// stay.
func (d *Desktop) Freeze(process string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.frozen[process] = true
}

// Thaw makes a frozen program reply again.
func (d *Desktop) Thaw(process string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	delete(d.frozen, process)
}

// Find returns the one node that a selector matches, or nil if it matches none or
// several.
func (d *Desktop) Find(text string) *Node {
	d.mu.Lock()
	defer d.mu.Unlock()
	found := selector.MustParse(text).Find(d.read(desktop.Scope{Hidden: true, Full: true}).Roots)
	if len(found) != 1 {
		return nil
	}
	return d.node(found[0].Handle)
}

// Add adds a child to a node that is shown.
func (d *Desktop) Add(parent, child *Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	parent.children = append(parent.children, child)
	d.adopt(child, parent)
	if !child.box || child.scrolls {
		at := parent.el.Bounds
		child.settle(&desktop.Point{X: at.X, Y: at.Y + at.H - line})
	}
}

// Remove removes a node; a window is closed.
func (d *Desktop) Remove(n *Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if n.parent == nil {
		d.close(n)
		return
	}
	w := n.window()
	n.walk(func(c *Node) bool {
		if c == d.focused {
			d.unfocus()
		}
		if c == w.last {
			w.last = nil
		}
		if c == d.menu {
			d.menu = nil
		}
		return true
	})
	n.remove()
}

// Set changes the element of a node.
func (d *Desktop) Set(n *Node, f func(e *desktop.Element)) {
	_ = d.change(func() error {
		e := n.el
		e.Text = string(n.text)
		f(&e)
		if e.Text != string(n.text) {
			n.Holding(e.Text)
		}
		e.Text = ""
		n.el = e
		return nil
	})
}

// Get returns the element of a node, with its text in clear.
func (d *Desktop) Get(n *Node) desktop.Element {
	d.mu.Lock()
	defer d.mu.Unlock()
	e := d.element(n, true)
	e.Text = string(n.text)
	return *e
}

// Tree reads the elements in a scope, and names the programs that are frozen.
func (d *Desktop) Tree(ctx context.Context, s desktop.Scope) (*desktop.Tree, error) {
	return get(ctx, d, "Tree", func() (*desktop.Tree, error) {
		if s.Root != "" && d.node(s.Root) == nil {
			return nil, desktop.ErrNotFound
		}
		return d.read(s), nil
	})
}

// reading is a tree while it is read.
type reading struct {
	*Desktop
	scope desktop.Scope
	tree  *desktop.Tree
	count int
}

func (d *Desktop) read(s desktop.Scope) *desktop.Tree {
	d.trees++
	r := &reading{Desktop: d, scope: s, tree: &desktop.Tree{ID: fmt.Sprintf("t%d", d.trees)}}
	for _, w := range d.windows {
		switch {
		case !d.within(w, s):
		case d.frozen[w.el.Process]:
			if !slices.Contains(r.tree.Unread, w.el.Process) {
				r.tree.Unread = append(r.tree.Unread, w.el.Process)
			}
		default:
			top := w
			if s.Root != "" {
				top = d.node(s.Root)
			}
			if e := r.copy(top, 1, nil); e != nil {
				r.tree.Roots = append(r.tree.Roots, e)
			}
		}
	}
	return r.tree
}

// within reports whether a window belongs to a scope.
func (d *Desktop) within(w *Node, s desktop.Scope) bool {
	return s.Admits(&desktop.Window{Process: w.el.Process, PID: d.pids[w.el.Process], Title: w.el.Name, Aliases: w.el.Aliases}) && (s.PID == 0 || s.PID == d.pids[w.el.Process]) &&
		(s.Window == 0 || s.Window == w.el.Window) && (s.Hidden || !w.minimized) &&
		(s.Root == "" || d.node(s.Root).window() == w)
}

// copy reads a node and its descendants, as far as the scope includes them.
func (r *reading) copy(n *Node, depth int, parent *desktop.Element) *desktop.Element {
	if !r.scope.Hidden && !n.has(desktop.Showing) {
		return nil
	}
	if n.el.Name == "" && n.el.Role.Holds() {
		depth--
	}
	if r.scope.Depth > 0 && depth > r.scope.Depth || r.scope.Limit > 0 && r.count >= r.scope.Limit {
		n.walk(func(*Node) bool { r.tree.Omitted++; return true })
		return nil
	}
	r.count++
	e := r.element(n, r.scope.Full)
	e.Ref, e.Parent = fmt.Sprintf("e%d", r.count), parent
	e.Leaf = len(n.children) == 0
	for i, c := range n.children {
		if at := r.scope.CellAt; at != nil && e.Role == "table" && e.Note != "" && !c.el.Bounds.Contains(*at) {
			continue
		}
		if child := r.copy(c, depth+1, e); child != nil {
			child.Index = i
			e.Children = append(e.Children, child)
		}
	}
	return e
}

// element returns the element of a node: with full also its box, text, actions and
// value.
func (s *stack) element(n *Node, full bool) *desktop.Element {
	e, w := n.el, n.window()
	e.Process, e.PID, e.Window, e.WindowTitle = w.el.Process, s.pids[w.el.Process], w.el.Window, w.el.Name
	e.WindowBounds = w.el.Bounds
	e.Attributes = maps.Clone(e.Attributes)
	e.Text = string(n.text)
	if e.Role == "password" {
		e.Text = strings.Repeat("●", len(n.text))
	}
	if n == s.active {
		e.States |= desktop.Active
	}
	if w.minimized {
		e.States &^= desktop.Showing
	}
	if !full {
		e.Text, e.Bounds, e.Actions, e.Value = "", desktop.Rect{}, nil, nil
		return &e
	}
	e.Actions = slices.Clone(e.Actions)
	if e.Value != nil {
		v := *e.Value
		e.Value = &v
	}
	return &e
}

// node returns the live node with a handle, or nil.
func (s *stack) node(h desktop.Handle) *Node {
	var found *Node
	for _, w := range s.windows {
		w.walk(func(n *Node) bool {
			if n.el.Handle == h {
				found = n
			}
			return found == nil
		})
	}
	return found
}

// under returns the deepest node at a point, in the topmost window there.
func (s *stack) under(at desktop.Point) *Node {
	if p := s.panel.Picture; p != nil && image.Pt(at.X-s.panel.At.X, at.Y-s.panel.At.Y).In(p.Rect.Sub(p.Rect.Min)) {
		return nil
	}
	if s.menu != nil {
		if n := s.menu.deepest(at); n != s.menu {
			return n
		}
	}
	for _, w := range slices.Backward(s.windows) {
		if !w.minimized && w.has(desktop.Showing) && w.el.Bounds.Contains(at) {
			return w.deepest(at)
		}
	}
	return nil
}

func (n *Node) deepest(at desktop.Point) *Node {
	for _, c := range slices.Backward(n.children) {
		if c.has(desktop.Showing) && c.el.Bounds.Contains(at) {
			return c.deepest(at)
		}
	}
	return n
}

func (d *Desktop) ElementAt(ctx context.Context, at desktop.Point) (*desktop.Element, error) {
	return get(ctx, d, "ElementAt", func() (*desktop.Element, error) {
		n := d.under(at)
		if n == nil {
			return nil, desktop.ErrNotFound
		}
		if d.frozen[n.window().el.Process] {
			return nil, desktop.ErrUnresponsive
		}
		return d.element(n, true), nil
	})
}

// Hit is ElementAt, because boxes are never out of date here.
func (d *Desktop) Hit(ctx context.Context, at desktop.Point) (*desktop.Element, error) {
	return d.ElementAt(ctx, at)
}

func (d *Desktop) Refresh(ctx context.Context, h desktop.Handle) (*desktop.Element, error) {
	var e *desktop.Element
	err := d.with(ctx, "Refresh", h, func(n *Node) error {
		e = d.element(n, true)
		return nil
	})
	return e, err
}

// with calls f with the node of a handle, if its program replies.
func (d *Desktop) with(ctx context.Context, method string, h desktop.Handle, f func(*Node) error) error {
	if d.stuck(method, h) {
		if err := desktop.Sleep(ctx, unanswered); err != nil {
			return err
		}
		return desktop.ErrUnresponsive
	}
	return d.do(ctx, method, func() error {
		n := d.node(h)
		if n == nil {
			return desktop.ErrNotFound
		}
		return f(n)
	})
}

// stuck reports whether the program of a handle is frozen, and counts the call if
// it is.
func (d *Desktop) stuck(method string, h desktop.Handle) bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	n := d.node(h)
	if n == nil || !d.frozen[n.window().el.Process] {
		return false
	}
	d.count(method)
	return true
}

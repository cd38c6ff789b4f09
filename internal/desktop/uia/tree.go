package uia

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"sync"

	"understudy/internal/desktop"
)

// A part is what was read of one window.
type part struct {
	location
	root *node
	err  error
}

// Tree reads the elements in a scope, those of the topmost window first. An application that
// does not answer in time is in Unread; it is an error only if the scope is one of its
// elements.
func (c *Client) Tree(ctx context.Context, s desktop.Scope) (*desktop.Tree, error) {
	parts, err := c.readParts(ctx, s)
	if err != nil {
		return nil, err
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	t := &desktop.Tree{ID: fmt.Sprintf("w%d", c.trees.Add(1))}
	b := builder{scope: s}
	for _, p := range parts {
		switch {
		case errors.Is(p.err, desktop.ErrUnresponsive):
			if !slices.Contains(t.Unread, p.window.Process) {
				t.Unread = append(t.Unread, p.window.Process)
			}
		case p.err == nil:
			if e := b.build(p, p.root, nil, 1); e != nil {
				t.Roots = append(t.Roots, e)
			}
		}
	}
	t.Omitted = b.omitted
	number := 0
	t.Walk(func(e *desktop.Element) bool {
		number++
		e.Ref = "e" + strconv.Itoa(number)
		return true
	})
	return t, nil
}

// readParts reads the windows of a scope, concurrently, or the one element that it names.
func (c *Client) readParts(ctx context.Context, s desktop.Scope) ([]part, error) {
	if s.Root != "" {
		p, err := c.parse(ctx, s.Root)
		if err != nil {
			return nil, err
		}
		n, err := p.read(ctx, p.window.ID, p.key, false)
		return []part{{location: p, root: n}}, err
	}
	list, err := c.o.Windows(ctx)
	if err != nil {
		return nil, err
	}
	in := slices.DeleteFunc(desktop.Windows(list).Of(s), func(w desktop.Window) bool { return !s.Hidden && (!w.Shows() || !w.Sized()) })
	slices.Reverse(in)
	parts := make([]part, len(in))
	var reading sync.WaitGroup
	for i := range in {
		reading.Go(func() { parts[i] = c.readWindow(ctx, &in[i]) })
	}
	reading.Wait()
	return parts, nil
}

func (c *Client) readWindow(ctx context.Context, w *desktop.Window) part {
	s, err := c.sourceOf(ctx, w.ID)
	p := part{location: location{s, w, ""}, err: err}
	if err == nil {
		p.root, p.err = s.read(ctx, w.ID, "", false)
	}
	return p
}

// A builder makes the elements of a scope of nodes.
type builder struct {
	scope          desktop.Scope
	taken, omitted int
}

// build makes the element of a node at a level, the first being 1, with those below it; nil
// if the scope leaves it out.
func (b *builder) build(p part, n *node, parent *desktop.Element, level int) *desktop.Element {
	shows := n == p.root || b.scope.Hidden || n.states.Has(desktop.Showing)
	if !shows || b.scope.Limit > 0 && b.taken == b.scope.Limit {
		b.omitted += n.count()
		return nil
	}
	b.taken++
	e := p.element(n)
	e.Parent, e.Leaf = parent, len(n.children) == 0
	deep := b.scope.Depth == 0 || level < b.scope.Depth
	for _, c := range n.children {
		if !deep {
			b.omitted += c.count()
			continue
		}
		if child := b.build(p, c, e, level+c.levels()); child != nil {
			e.Children = append(e.Children, child)
		}
	}
	return e
}

// levels returns how many levels of a scope's depth an element takes: none if it is merely a
// container.
func (n *node) levels() int {
	if n.name == "" && n.role().Holds() {
		return 0
	}
	return 1
}

// under returns the elements whose boxes have a point in them, from the innermost to this one.
// Of two that overlap, the last is drawn above the other.
func (n *node) under(at desktop.Point) []*node {
	for _, c := range slices.Backward(n.children) {
		if c.box.Contains(at) && c.states.Has(desktop.Showing) {
			return append(c.under(at), n)
		}
	}
	return []*node{n}
}

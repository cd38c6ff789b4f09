//go:build linux

package atspi

import (
	"cmp"
	"slices"

	"understudy/steps/desktop"
)

// A hit is a node under the point, with its depth in the tree.
type hit struct {
	*node
	level  int
	floats bool // it is in a menu that is open over the rest
}

// A probe looks for what is under a point in a frame. Only where a box holds
// the point it looks further, save where what is inside lies elsewhere.
type probe struct {
	*walk
	framed
	at   desktop.Point
	hits []hit
}

// under finds what is under a point in a frame.
func (w *walk) under(f framed, at desktop.Point) ([]hit, error) {
	p := &probe{walk: w, framed: f, at: at}
	p.look(f.frame, 0, false)
	if err := w.run(); err != nil {
		return nil, err
	}
	p.hits = slices.DeleteFunc(p.hits, func(h hit) bool { return h.isUnseen() })
	if len(p.hits) == 0 && f.onScreen(f.frame.box).Contains(at) {
		p.hits = append(p.hits, hit{node: f.frame})
	}
	return p.hits, nil
}

// isUnseen says whether a node, or one that it is in, turned out not to show.
func (n *node) isUnseen() bool { return n != nil && (n.unseen || n.parent.isUnseen()) }

// look takes a node whose box is known.
func (p *probe) look(n *node, level int, floats bool) {
	inside := p.onScreen(n.box).Contains(p.at)
	if level > maxDepth || !inside && !n.box.Empty() && level > 0 && !opensElsewhere(n) {
		return
	}
	below := floats || !inside && opensMenu(n)
	asks := makesRows(n) || !inside // what does not show often has no box, and much below it
	p.complete(n, func() {
		if level > 0 && !p.shows(n) {
			n.unseen = true
			return
		}
		if inside && level > 0 {
			p.hits = append(p.hits, hit{n, level, floats})
		}
		switch {
		case !asks:
		case has(n.states, bitManagesDescendants):
			p.row(n, level+1)
		default:
			p.descend(n, level+1, below)
		}
	})
	if !asks { // no need to wait for the answer
		p.descend(n, level+1, below)
	}
}

// descend looks at the children of a node.
func (p *probe) descend(n *node, level int, floats bool) {
	p.list(n, func(kids []object) {
		n.listed = kids
		n.children = make([]*node, len(kids))
		for i, k := range kids {
			p.glimpse(k, n, i, func(child *node) {
				n.children[i] = child
				p.look(child, level, floats)
			})
		}
	})
}

// makesRows says whether a node may make its children on demand, too many to
// be listed.
func makesRows(n *node) bool {
	switch roleOf(roleName(n.role)) {
	case "table", "tree", "treetable", "list":
		return true
	}
	return false
}

// row asks a container for the one child at the point.
func (p *probe) row(n *node, level int) {
	const onScreen, inWindow = uint32(0), uint32(1)
	x, y, from := p.at.X, p.at.Y, onScreen
	if p.relative {
		x, y, from = x-p.shift.X, y-p.shift.Y, inWindow
	}
	p.want(n.object, ifaceComponent+".GetAccessibleAtPoint", func(b []any) {
		if o := objectOf(first[[]any](b)); !o.none() && o != n.object {
			p.meet(o, n, -1, func(child *node) {
				n.children = []*node{child}
				p.askBox(child, func() { p.look(child, level, false) })
			})
		}
	}, int32(x), int32(y), from)
}

// glimpse learns only where an object is and what its role is.
func (w *walk) glimpse(o object, parent *node, index int, then func(*node)) {
	n, ok := w.begin(o, parent, index)
	switch {
	case !ok, n.item != nil && !w.relative && !w.shows(n):
	case n.item != nil:
		w.askBox(n, func() { then(n) })
	default:
		both := w.together(2, func() { then(n) })
		w.ask(o, ifaceAccessible+".GetRole", func(b []any, _ error) {
			n.role = first[uint32](b)
			both()
		})
		w.askBox(n, both)
	}
}

// complete learns the basics of a node that was only glimpsed.
func (w *walk) complete(n *node, then func()) {
	if n.parent == nil || n.item != nil {
		w.normalise(n)
		then()
		return
	}
	w.askBesides(n, func() {
		w.normalise(n)
		then()
	})
}

// opensElsewhere says whether what is below a node in the tree may lie outside
// of it on the screen: menus, and the pages of GTK 3's tabs.
func opensElsewhere(n *node) bool {
	return opensMenu(n) || n.item != nil && n.item.opened || roleOf(roleName(n.role)) == "pagetab"
}

// opensMenu says whether a node can have a menu open, over the rest.
func opensMenu(n *node) bool {
	switch roleOf(roleName(n.role)) {
	case "menu", "menuitem", "menubar", "combobox", "popup":
		return true
	}
	return false
}

// deepest is the hit that lies inside the others; of two as deep, the smaller.
// An open menu is over everything else.
func deepest(hits []hit) *node {
	return slices.MaxFunc(hits, func(a, b hit) int {
		if a.floats != b.floats {
			if a.floats {
				return 1
			}
			return -1
		}
		return cmp.Or(cmp.Compare(a.level, b.level), cmp.Compare(b.box.W*b.box.H, a.box.W*a.box.H))
	}).node
}

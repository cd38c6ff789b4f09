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
type pointSearch struct {
	*walker
	frameWindow
	at   desktop.Point
	hits []hit
}

// candidatesAt finds what is under a point in a frame.
func (w *walker) hitsAt(f frameWindow, at desktop.Point) ([]hit, error) {
	p := &pointSearch{walker: w, frameWindow: f, at: at}
	p.examine(f.frame, 0, false)
	if err := w.run(); err != nil {
		return nil, err
	}
	if len(p.hits) == 0 && f.onScreen(f.frame.box).Contains(at) {
		p.hits = append(p.hits, hit{node: f.frame})
	}
	return p.hits, nil
}

// examine takes a node of which it is known where it is and whether it shows.
func (p *pointSearch) examine(n *node, level int, floats bool) {
	inside := p.onScreen(n.box).Contains(p.at)
	if level > maxDepth || level > 0 && !inside && !n.box.Empty() && !p.opensElsewhere(n) {
		return
	}
	if p.hitTest && inside && p.isPage(n) && p.flushed.IsZero() && p.app.remembered.sincePageAsked() > pageIdle {
		p.flush(n.object) // while the rest is looked for
	}
	if inside && level > 0 {
		p.hits = append(p.hits, hit{n, level, floats})
	}
	if has(n.states, bitManagesDescendants) && (makesRows(n) || !inside) {
		p.askRow(n, level+1)
		return
	}
	p.descend(n, level+1, floats || !inside && opensMenu(n))
}

// descend looks at those children of a node that show.
func (p *pointSearch) descend(n *node, level int, floats bool) {
	p.list(n, func(kids []object) {
		n.listed = kids
		n.children = make([]*node, len(kids))
		for i, k := range kids {
			p.loadBrief(k, n, i, func(child *node) {
				if !p.shows(child) {
					p.app.remembered.hide(child.object)
					return
				}
				n.children[i] = child
				p.examine(child, level, floats)
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

// askRow asks a container for the one child at the point.
func (p *pointSearch) askRow(n *node, level int) {
	const onScreen, inWindow = uint32(0), uint32(1)
	x, y, from := p.at.X, p.at.Y, onScreen
	if p.relative {
		x, y, from = x-p.shift.X, y-p.shift.Y, inWindow
	}
	p.want(n.object, ifaceComponent+".GetAccessibleAtPoint", func(b []any) {
		if o := objectOf(first[[]any](b)); !o.none() && o != n.object {
			p.load(o, n, -1, func(child *node) {
				n.children = []*node{child}
				p.askBox(child, func() { p.examine(child, level, false) })
			})
		}
	}, int32(x), int32(y), from)
}

// loadBrief learns of an object what it is, where it is and whether it shows, and
// no more. What did not show when it was looked at before, of which a browser
// has much, is first asked only for that.
func (w *walker) loadBrief(o object, parent *node, index int, then func(*node)) {
	n, ok := w.newNode(o, parent, index)
	switch {
	case !ok, n.item != nil && !w.shows(n):
	case n.item != nil:
		w.askBox(n, func() { then(n) })
	case w.wasHidden(o):
		w.askStates(n, func() {
			if has(n.states, bitShowing) {
				w.askBrief(n, func() { then(n) })
			}
		})
	default:
		w.askBrief(n, func() { then(n) })
	}
}

// wasHidden says whether an object was seen not to show, by its states alone.
func (w *walker) wasHidden(o object) bool { return !w.relative && w.app.remembered.wasHidden(o) }

// askBrief asks an object what it is, where it is and whether it shows.
func (w *walker) askBrief(n *node, then func()) {
	together := w.barrier(3, func() { w.finishBrief(n, then) })
	w.ask(n.object, ifaceAccessible+".GetRole", onSuccess(func(b []any) { n.role = first[uint32](b) }, together))
	w.askStates(n, together)
	w.askBox(n, together)
}

// finishBrief hands on when it is known whether a node shows. One of GTK 4
// without a box may be one that has none and shows all the same.
func (w *walker) finishBrief(n *node, then func()) {
	w.normalise(n)
	if w.relative && n.box.Empty() && has(n.states, bitVisible) {
		w.askOffers(n, then)
		return
	}
	then()
}

// nameAll learns the names of a node and of those that it is in.
func (w *walker) nameAll(n *node) error {
	for m := n; m.parent != nil; m = m.parent {
		at := m
		if at.item == nil && at.name == "" {
			w.askName(at, func() { w.normalise(at) })
		}
	}
	return w.run()
}

// opensElsewhere says whether what is below a node in the tree may lie outside
// of it on the screen: menus, and the pages of GTK 3's tabs.
func (w *walker) opensElsewhere(n *node) bool {
	return opensMenu(n) || n.item != nil && n.item.menuOpen || !w.relative && roleOf(roleName(n.role)) == "pagetab"
}

// opensMenu says whether a node can have a menu open, over the rest.
func opensMenu(n *node) bool {
	switch roleOf(roleName(n.role)) {
	case "menu", "menuitem", "menubar", "combobox", "popup":
		return true
	}
	return false
}

// deepest is the hit that lies inside the others; of two that lie side by side
// in the tree it is the later, which is drawn over the other. An open menu is
// over everything else.
func deepest(hits []hit) *node {
	return slices.MaxFunc(hits, func(a, b hit) int {
		if a.floats != b.floats {
			if a.floats {
				return 1
			}
			return -1
		}
		return above(a, b)
	}).node
}

// above compares two hits by which is drawn over the other.
func above(a, b hit) int {
	m, n := a.node, b.node
	for i := a.level; i > b.level; i-- {
		m = m.parent
	}
	for i := b.level; i > a.level; i-- {
		n = n.parent
	}
	if m == n { // one is in the other
		return cmp.Compare(a.level, b.level)
	}
	for m.parent != n.parent {
		m, n = m.parent, n.parent
	}
	return cmp.Compare(m.index, n.index)
}

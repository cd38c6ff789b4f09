//go:build linux

package atspi

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
)

// A hit is a node under the point, with its depth in the tree.
type hit struct {
	*node
	level  int
	floats bool // in a menu that is open over the rest
}

// A pointSearch collects the nodes of a frame under a point. It descends only
// where a box holds the point, except where children may lie outside their
// parent.
type pointSearch struct {
	*walker
	frameWindow
	pointQuery
	hits    []hit
	covered bool      // by a popup whose position is not known
	dialog  *node     // of a tab, which covers its page; see askTabDialog
	flushed time.Time // see pageTest
}

// search collects the nodes of the frame under the point.
func (p *pointSearch) search() ([]hit, error) {
	p.examine(p.frame, 0, false)
	if err := p.run(); err != nil {
		return nil, err
	}
	if p.covered {
		return nil, popupOpen(p.window)
	}
	if len(p.hits) == 0 && p.onScreen(p.frame).Contains(p.at) {
		p.hits = append(p.hits, hit{node: p.frame})
	}
	return p.hits, nil
}

// examine handles a node whose box and states are known.
func (p *pointSearch) examine(n *node, level int, floats bool) {
	if p.placeless && n.inPopup() {
		p.covered = true
		return
	}
	inside := p.onScreen(n).Contains(p.at)
	if !inside && p.mayBeTabDialog(n) {
		p.askTabDialog(n, level)
		return
	}
	if level > maxDepth || level > 0 && !inside && !n.box.Empty() && !p.opensElsewhere(n, level) {
		return
	}
	if p.hitTest && inside && p.isChromium() && p.isPage(n) && p.flushed.IsZero() && p.app.sincePageAsked() > pageIdle {
		p.askFlush(n.object, &p.flushed) // in flight with the rest
	}
	if inside && level > 0 {
		p.hits = append(p.hits, hit{n, level, floats})
	}
	if has(n.states, bitManagesDescendants) && (n.desktopRole().Is(desktop.Rows) || !inside) { // too many to list
		p.askRow(n, level+1)
		return
	}
	p.descend(n, level+1, floats || !inside && opensMenu(n))
}

// mayBeTabDialog reports whether a node may be the frame in which Firefox shows a dialog of a page. That
// is beside the frame of the page and covers all of it, though no element has the box of what it covers.
func (p *pointSearch) mayBeTabDialog(n *node) bool {
	return p.isGecko() && roleName(n.role) == "internal frame" && n.index > 0 && roleName(n.parent.role) == "scroll pane"
}

// askTabDialog adds the dialog in such a frame to what is at the point. Developer tools may be beside a
// page, too.
func (p *pointSearch) askTabDialog(n *node, level int) {
	p.want(n.object, ifaceAccessible+".GetAttributes", func(b []any) {
		if !slices.Contains(strings.Fields(first[map[string]string](b)["class"]), "dialogFrame") {
			return
		}
		p.list(n, func(kids []object) {
			n.children = make([]*node, len(kids))
			for i, k := range kids {
				p.loadBrief(k, n, i, func(child *node) {
					n.children[i], p.dialog = child, child
					p.hits = append(p.hits, hit{node: child, level: level + 1})
				})
			}
		})
	})
}

// descend examines the children of a node that show.
func (p *pointSearch) descend(n *node, level int, floats bool) {
	p.list(n, func(kids []object) {
		n.children = make([]*node, len(kids))
		for i, k := range kids {
			p.loadBrief(k, n, i, func(child *node) {
				shows := p.shows(child)
				p.app.hidden.set(child.object, !shows)
				if !shows {
					return
				}
				n.children[i] = child
				p.examine(child, level, floats)
			})
		}
	})
}

// askRow asks a container for the one child at the point.
func (p *pointSearch) askRow(n *node, level int) {
	p.askAt(n, p.inNode(n, p.at), func(o object) {
		p.load(o, n, -1, func(child *node) {
			n.children = []*node{child}
			p.askBox(child, func() { p.examine(child, level, false) })
		})
	}, func() {})
}

// loadBrief reads role, states and box of an object. One that was hidden
// before, as much of a browser is, is first asked only for its states.
func (p *pointSearch) loadBrief(o object, parent *node, index int, then func(*node)) {
	n, ok := p.newNode(o, parent, index)
	switch {
	case !ok, n.item != nil && !p.shows(n):
	case n.item != nil:
		p.askBox(n, func() { then(n) })
	case !p.relative() && p.app.hidden.get(o):
		n.askStates(p.pipeline, func() {
			if has(n.states, bitShowing) {
				p.askBrief(n, func() { then(n) })
			}
		})
	default:
		p.askBrief(n, func() { then(n) })
	}
}

// askBrief requests role, states and box of a node. In GTK 4 a node with an
// empty box may be one that has none and shows all the same, so it is also asked
// for its interfaces.
func (l *loader) askBrief(n *node, then func()) {
	together := barrier(3, func() {
		l.normalise(n)
		if l.relative() && n.box.Empty() && has(n.states, bitVisible) {
			n.askOffers(l.pipeline, then)
			return
		}
		then()
	})
	l.ask(n.object, ifaceAccessible+".GetRole", onSuccess(func(b []any) { n.role = first[uint32](b) }, together))
	n.askStates(l.pipeline, together)
	l.askBox(n, together)
}

// menuBarLevel is how deep below its frame a menu bar is looked for.
const menuBarLevel = 4

// opensElsewhere reports whether the children of a node may lie outside its
// box: menus, and the pages of GTK 3's tabs. The box of a bar may be in one that is
// no larger; without items nothing tells that a menu of it is open.
func (p *pointSearch) opensElsewhere(n *node, level int) bool {
	if opensMenu(n) || !p.relative() && n.desktopRole() == "pagetab" || p.isSocket(n) {
		return true
	}
	if n.item != nil {
		return n.item.menuOpen
	}
	return p.signalsChanges() && level < menuBarLevel && isBox(n)
}

// opensMenu reports whether a node can have a menu open over the rest.
func opensMenu(n *node) bool { return n.desktopRole().Is(desktop.OpensMenu) }

// deepest returns the innermost hit. Of siblings it is the later one, which is
// drawn over the other. An open menu is above everything else.
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

//go:build linux

package atspi

import (
	"slices"
	"strings"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

const (
	// maxDepth ends the walk in a cyclic tree.
	maxDepth = 256
	// maxNodes bounds what is read of one application.
	maxNodes = 50_000
	// maxRows bounds the children that are listed of a container that creates
	// them on demand; a spreadsheet reports two thousand million.
	maxRows = 2_000
	// maxShown is how many are read of one of which all are said to show, such as of
	// GTK 3, in a tree to be shown; maxHidden how many rows it may have for others
	// than those that show to be read.
	maxShown, maxHidden = 100, 1_000_000
)

// A node is one element while it is being read.
type node struct {
	object
	basics
	parent    *node
	children  []*node
	index     int
	item      *item // nil if the application returned none
	box       desktop.Rect
	lost      lost
	inPopover desktop.Point // see frameWindow.inPopover
	details   details
	drawn     *node         // see rootPane
	note      string        // see desktop.Element
	leaf      bool          // see desktop.Element
	drawnIn   *desktop.Rect // of a frame with a shadow: what is drawn in it
}

// A walker reads some of one application's tree: what its items hold is taken
// from there, and the rest is asked for.
type walker struct {
	*pipeline
	app      *application
	items    items
	hidden   bool // include what does not show
	depth    int  // see desktop.Scope
	cell     string
	relative bool // see application.relative
	// placeless says that the application does not know where its windows are.
	placeless bool
	visited   map[object]bool
	omitted   int
	maxText   int32
	maxRows   int32
	noGrids   bool      // leave out the cells of tables with too many
	grids     []*node   // these tables
	hitTest   bool      // see pointQuery
	flushed   time.Time // when a page was flushed; see chromium.go
}

// newWalker returns a walker over an application that was greeted.
func newWalker(p *pipeline, a *application) *walker {
	return &walker{pipeline: p, app: a, relative: a.relative(), maxText: maxText, maxRows: maxRows, visited: map[object]bool{}}
}

// newNode makes the node of an object that was not visited before.
func (w *walker) newNode(o object, parent *node, index int) (*node, bool) {
	if w.visited[o] {
		return nil, false
	}
	if len(w.visited) >= maxNodes {
		w.omitted++
		return nil, false
	}
	w.visited[o] = true
	n := &node{object: o, parent: parent, index: index, lost: w.app.remembered.lostOf(o), inPopover: w.app.remembered.inPopoverOf(o)}
	if it := w.items[o.path]; it != nil && it.bus == o.bus {
		n.item, n.basics = it, it.basics
	}
	return n, true
}

// load reads the basics of an object and hands on its node, unless the object
// is gone or was visited before.
func (w *walker) load(o object, parent *node, index int, then func(*node)) {
	n, ok := w.newNode(o, parent, index)
	switch {
	case !ok:
	case n.item != nil:
		w.loadBox(n, then)
	default:
		w.askBasics(n, func() { w.loadBox(n, then) })
	}
}

// askBasics requests what an item would hold. An object that does not even
// return its role is gone.
func (w *walker) askBasics(n *node, then func()) {
	there := false
	together := w.barrier(2, func() {
		if there {
			then()
		}
	})
	w.ask(n.object, ifaceAccessible+".GetRole", func(b []any, err error) {
		n.role, there = first[uint32](b), err == nil
		together()
	})
	w.askOtherBasics(n, together)
}

func (w *walker) askOtherBasics(n *node, then func()) {
	together := w.barrier(3, then)
	w.askName(n, together)
	w.askStates(n, together)
	w.askOffers(n, together)
}

func (w *walker) askName(n *node, then func()) {
	w.ask(n.object, ifaceProperties+".Get", onSuccess(func(b []any) { n.name = as[string](variant(b)) }, then), ifaceAccessible, "Name")
}

func (w *walker) askStates(n *node, then func()) {
	w.ask(n.object, ifaceAccessible+".GetState", onSuccess(func(b []any) { n.states = stateBits(first[any](b)) }, then))
}

func (w *walker) askOffers(n *node, then func()) {
	w.ask(n.object, ifaceAccessible+".GetInterfaces", onSuccess(func(b []any) { n.offers = offersOf(first[[]string](b)) }, then))
}

// onSuccess passes a successful reply to take, and continues in either case.
func onSuccess(take func(body []any), then func()) replyFunc {
	return func(body []any, err error) {
		if err == nil {
			take(body)
		}
		then()
	}
}

// barrier returns a function that calls then when it was called the given
// number of times.
func (*walker) barrier(times int, then func()) func() {
	return func() {
		if times--; times == 0 {
			then()
		}
	}
}

// loadBox reads the box of a node first where that decides whether it shows.
func (w *walker) loadBox(n *node, then func(*node)) {
	if !w.relative || n.offers&offersComponent == 0 {
		w.normalise(n)
		then(n)
		return
	}
	w.askBox(n, func() {
		w.normalise(n)
		then(n)
	})
}

// normalise converts names and states of GTK 4 to what other toolkits report.
func (w *walker) normalise(n *node) {
	if !w.relative {
		return
	}
	if isClass(n.name) {
		n.name, n.class = "", n.name
	}
	if has(n.states, bitVisible) && !n.box.Empty() {
		n.states |= 1 << bitShowing
	}
}

// isClass reports whether a name is only that of a widget class, which GTK 4
// gives to what has no name.
func isClass(name string) bool {
	rest, ok := strings.CutPrefix(name, "Gtk")
	return ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' && !strings.Contains(rest, " ")
}

// askBox requests the box of a node: on the screen, or in its window where the
// toolkit knows no more.
func (w *walker) askBox(n *node, then func()) {
	w.ask(n.object, ifaceComponent+".GetExtents", func(body []any, err error) {
		if err == nil {
			n.box = rectOf(first[[]any](body))
		}
		then()
	}, w.boxesFrom())
}

// shows reports whether a node shows, or may hold something that does.
func (w *walker) shows(n *node) bool {
	if has(n.states, bitShowing) || n.item != nil && n.item.shows {
		return true
	}
	// The pages of a GTK 4 stack have no box.
	return w.relative && has(n.states, bitVisible) && n.offers&offersComponent == 0
}

// list reads the children of a node.
func (w *walker) list(n *node, then func([]object)) {
	switch {
	case n.item != nil && n.item.complete:
		kids := make([]object, len(n.item.kids))
		for i, k := range n.item.kids {
			kids[i] = k.object
		}
		then(kids)
	case has(n.states, bitManagesDescendants):
		w.listRows(n, then)
	default:
		w.want(n.object, ifaceAccessible+".GetChildren", func(body []any) { then(objectsOf(first[any](body))) })
	}
}

// listRows reads the children of a container that may have far too many.
func (w *walker) listRows(n *node, then func([]object)) {
	w.get(n.object, ifaceAccessible, "ChildCount", func(v any) {
		count := as[int32](v)
		if count >= 0 && count <= maxRows {
			w.want(n.object, ifaceAccessible+".GetChildren", func(body []any) { then(objectsOf(first[any](body))) })
			return
		}
		w.omitted += max(int(count), 1)
		var known []object
		if n.item != nil {
			for _, k := range n.item.kids {
				known = append(known, k.object)
			}
		}
		then(known)
	})
}

// expand reads the descendants of a node at a level, the first being 1.
func (w *walker) expand(n *node, level int) {
	if w.depth > 0 && level >= w.depth || level >= maxDepth {
		w.omit(n, 0)
		return
	}
	if has(n.states, bitManagesDescendants) && n.offers&offersTable != 0 && (n.item == nil || !n.item.complete) {
		w.expandTable(n, level)
		return
	}
	w.expandAll(n, level)
}

// expandAll reads all children of a node and what they hold.
func (w *walker) expandAll(n *node, level int) {
	w.list(n, func(kids []object) {
		n.leaf = len(kids) == 0 || n.class == "GtkTreeView" // which tells of nothing but its headers
		n.children = make([]*node, len(kids))               // nil is left out; see compact
		for i, k := range kids {
			if it := w.items[k.path]; it != nil && !it.shows && !w.hidden && !w.relative {
				w.omitted += 1 + it.descendants // most of a long list: skip making a node
				continue
			}
			w.load(k, n, i, func(child *node) {
				if !w.hidden && !w.shows(child) {
					w.omit(child, 1)
					return
				}
				n.children[i] = child
				w.expand(child, level+levels(child))
			})
		}
	})
}

// levels is how many levels a node counts for: none if it is merely a
// container.
func levels(n *node) int {
	if n.name == "" && roleOf(roleName(n.role)).Holds() {
		return 0
	}
	return 1
}

// omit counts a node that is left out and its known descendants.
func (w *walker) omit(n *node, self int) {
	w.omitted += self
	if n.item != nil {
		w.omitted += n.item.descendants
	}
}

// compact drops the nil children, which were left out.
func (n *node) compact() []*node {
	n.children = slices.DeleteFunc(n.children, func(c *node) bool { return c == nil })
	return n.children
}

// each calls f for the node and its descendants, parents first, until f returns
// false.
func (n *node) each(f func(*node) bool) bool {
	if !f(n) {
		return false
	}
	for _, c := range n.compact() {
		if !c.each(f) {
			return false
		}
	}
	return true
}

// loadAlone returns the node of an object without its children.
func (w *walker) loadAlone(o object) (*node, error) {
	var n *node
	w.load(o, nil, 0, func(m *node) { n = m })
	if err := w.run(); err != nil {
		return nil, err
	}
	if n == nil || has(n.states, bitDefunct) {
		return nil, desktop.ErrNotFound
	}
	return n, nil
}

// frames returns the top-level windows of the application, with their boxes.
func (w *walker) frames() ([]*node, error) {
	root := &node{object: w.app.object, item: w.items[w.app.path]}
	var list []*node
	w.list(root, func(kids []object) {
		list = make([]*node, len(kids))
		for i, k := range kids {
			w.load(k, nil, i, func(f *node) {
				list[i] = f
				if !w.relative {
					w.askBox(f, func() {})
				}
			})
		}
	})
	err := w.run()
	list = slices.DeleteFunc(list, func(f *node) bool { return f == nil })
	w.app.remembered.retainFrames(list)
	return list, err
}

// framesIn is frames, with what tells where in the windows they are.
func (w *walker) framesIn(windows []desktop.Window) ([]*node, error) {
	list, err := w.frames()
	if err == nil && w.placeless {
		err = w.findShadows(list, windows)
	}
	return list, err
}

// matchWindows finds the window of each frame.
func (w *walker) matchWindows(frames []*node, windows []desktop.Window) []frameWindow {
	return matchWindows(frames, windows, w.app.pid, w.sizeOnly())
}

// frameOf finds the frame that an object is in by asking for its parents.
func (w *walker) frameOf(o object, then func(frame dbus.ObjectPath)) {
	var climb func(at dbus.ObjectPath, steps int)
	climb = func(at dbus.ObjectPath, steps int) {
		if it := w.items[at]; it != nil {
			w.climbed(at, it.parent, steps, climb, then)
			return
		}
		w.get(object{o.bus, at}, ifaceAccessible, "Parent", func(v any) {
			w.climbed(at, objectOf(as[[]any](v)).path, steps, climb, then)
		})
	}
	climb(o.path, 0)
}

// climbed continues with the parent, or hands on the frame at the end.
func (w *walker) climbed(at, parent dbus.ObjectPath, steps int, climb func(dbus.ObjectPath, int), then func(dbus.ObjectPath)) {
	switch {
	case parent == w.app.path:
		then(at)
	case parent == "" || parent == nowhere || steps >= maxDepth:
	default:
		climb(parent, steps+1)
	}
}

//go:build linux

package atspi

import (
	"context"
	"slices"
	"strings"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

const (
	// maxDepth ends the walk in a cyclic tree.
	maxDepth = 256
	// maxNodes bounds what is read of one application.
	maxNodes = 50_000
	// maxRows bounds the children that are listed of a container that creates
	// them on demand; a spreadsheet reports two thousand million.
	maxRows = 2_000
	// maxShown bounds the children of a table that are read for a tree with a
	// limit: GTK 3 says that all of them show. maxHidden bounds the rows of a table
	// of which hidden rows are read too.
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
	drawn     *node          // see rootPane
	note      string         // see desktop.Element
	leaf      bool           // see desktop.Element
	expander  bool           // only the top left of its box reacts to a press
	drawnIn   *desktop.Rect  // of a frame with a shadow: what is drawn in it
	origin    *desktop.Point // of a frame whose window tells its Content: see contentOf
}

// A loader reads nodes of one application: from its items where they hold the
// node, else by asking.
type loader struct {
	*pipeline
	toolkit
	app       *application
	items     items
	placeless bool // see Options.Placeless
	visited   map[object]bool
	omitted   int // nodes that are known to have been left out
}

// A walker is the visit of one application by a query, and finds its frames.
type walker struct {
	loader
	query *query
	end   context.CancelFunc // of the walk, with the calls in flight
}

// newNode makes the node of an object that was not visited before.
func (l *loader) newNode(o object, parent *node, index int) (*node, bool) {
	if l.visited[o] {
		return nil, false
	}
	if len(l.visited) >= maxNodes {
		l.omitted++
		return nil, false
	}
	l.visited[o] = true
	n := &node{object: o, parent: parent, index: index, lost: l.app.lost.get(o), inPopover: l.app.inPopover.get(o)}
	if it := l.items[o.path]; it != nil && it.bus == o.bus {
		n.item, n.basics = it, it.basics
	}
	return n, true
}

// load reads the basics of an object and hands on its node, unless the object
// is gone or was visited before.
func (l *loader) load(o object, parent *node, index int, then func(*node)) {
	l.loadLike(nil, o, parent, index, then, func() {})
}

// loadLike is load for an object with the role and the interfaces of another
// node, unless that is nil. In either case it calls done last.
func (l *loader) loadLike(like *node, o object, parent *node, index int, then func(*node), done func()) {
	n, ok := l.newNode(o, parent, index)
	finish := func() {
		l.loadBox(n, func() {
			then(n)
			done()
		})
	}
	switch {
	case !ok:
		done()
	case n.item != nil:
		finish()
	case like != nil:
		n.role, n.offers = like.role, like.offers
		together := barrier(2, finish)
		n.askName(l.pipeline, together)
		n.askStates(l.pipeline, together)
	default:
		n.askBasics(l.pipeline, func(there bool) {
			if there {
				finish()
			} else {
				done()
			}
		})
	}
}

// barrier returns a function that calls then when it was called the given
// number of times.
func barrier(times int, then func()) func() {
	return func() {
		if times--; times == 0 {
			then()
		}
	}
}

// loadBox reads the box of a node first where that decides whether it shows.
func (l *loader) loadBox(n *node, then func()) {
	finish := func() {
		l.normalise(n)
		then()
	}
	if !l.relative() || n.offers&offersComponent == 0 {
		finish()
		return
	}
	l.askBox(n, finish)
}

// normalise converts names and states of GTK 4 and Chromium to what other toolkits
// report.
func (l *loader) normalise(n *node) {
	if l.isChromium() && has(n.states, bitReadOnly) { // said instead of that it is enabled
		n.states |= 1 << bitEnabled
	}
	n.expander = l.signalsChanges() && has(n.states, bitExpandable) && roleName(n.role) == "toggle button"
	if !l.relative() {
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
// gives to elements without a name.
func isClass(name string) bool {
	rest, ok := strings.CutPrefix(name, "Gtk")
	return ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' && !strings.Contains(rest, " ")
}

// askBox requests the box of a node: on the screen, or in its window where the
// toolkit knows no more.
func (l *loader) askBox(n *node, then func()) {
	l.ask(n.object, ifaceComponent+".GetExtents", onSuccess(func(b []any) { n.box = rectOf(first[[]any](b)) }, then), l.boxesFrom())
}

// shows reports whether a node shows, or may hold something that does.
func (l *loader) shows(n *node) bool {
	if has(n.states, bitShowing) || n.item != nil && n.item.shows {
		return true
	}
	if l.isSocket(n) {
		return n.parent == nil || roleName(n.parent.role) != "page tab" || has(n.parent.states, bitSelected)
	}
	if l.isForeign(n) && isBox(n) {
		return true
	}
	// The pages of a GTK 4 stack have no box.
	return l.relative() && has(n.states, bitVisible) && n.offers&offersComponent == 0
}

// list reads the children of a node.
func (l *loader) list(n *node, then func([]object)) {
	all := func() {
		l.want(n.object, ifaceAccessible+".GetChildren", func(body []any) {
			kids := objectsOf(first[any](body))
			if len(kids) == 0 && l.isSocket(n) {
				l.askPlug(n, then)
				return
			}
			then(kids)
		})
	}
	switch {
	case n.item != nil && n.item.complete:
		then(n.item.children())
	case has(n.states, bitManagesDescendants): // these may be far too many
		l.get(n.object, ifaceAccessible, "ChildCount", func(v any) {
			if count := as[int32](v); count < 0 || count > maxRows {
				l.omitted += max(int(count), 1)
				then(n.item.children())
				return
			}
			all()
		})
	default:
		all()
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
func (l *loader) loadAlone(o object) (*node, error) {
	var n *node
	l.load(o, nil, 0, func(m *node) { n = m })
	if err := l.run(); err != nil {
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
				f.origin = w.app.origins.get(f.object)
				if !w.relative() {
					w.askBox(f, func() {})
				}
			})
		}
	})
	err := w.run()
	list = slices.DeleteFunc(list, func(f *node) bool { return f == nil })
	w.app.agreements.retain(list)
	return list, err
}

// matchedFrames returns the frames with their windows.
func (w *walker) matchedFrames() ([]frameWindow, error) {
	frames, err := w.frames()
	return w.matchWindows(frames), err
}

// placedFrames returns the frames with their windows and their positions on the
// screen.
func (w *walker) placedFrames() ([]frameWindow, error) {
	frames, err := w.frames()
	if err == nil && w.placeless {
		err = w.findShadows(frames)
	}
	return w.matchWindows(frames), err
}

func (w *walker) matchWindows(frames []*node) []frameWindow {
	list := matchWindows(frames, w.query.windows, w.app.pid, w.sizeOnly())
	for _, f := range frames {
		w.app.origins.set(f.object, f.origin)
	}
	return list
}

// frameOf finds the frame that an object is in by asking for its parents. Not all
// parents lead there.
func (l *loader) frameOf(o object) (frame dbus.ObjectPath, err error) {
	for range maxDepth {
		var up object
		l.get(o, ifaceAccessible, "Parent", func(v any) { up = objectOf(as[[]any](v)) })
		if err := l.run(); err != nil || up.none() {
			return "", err
		}
		if up == l.app.object {
			return o.path, nil
		}
		o = up
	}
	return "", nil
}

// parentOf returns the parent of an object.
func (l *loader) parentOf(o object) (object, error) {
	body, err := l.call(o, ifaceProperties+".Get", ifaceAccessible, "Parent")
	return objectOf(as[[]any](variant(body))), err
}

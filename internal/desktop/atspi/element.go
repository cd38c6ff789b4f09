//go:build linux

package atspi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"understudy/internal/desktop"
)

// assemble builds the desktop's tree from its parts.
func (q *query) assemble(parts []appTree, s desktop.Scope) *desktop.Tree {
	t := &desktop.Tree{ID: fmt.Sprintf("%s-%d", q.bus.epoch, q.client.trees.Add(1))}
	for _, p := range parts {
		t.Omitted += p.omitted
		if errors.Is(p.err, desktop.ErrUnresponsive) {
			t.Unread = append(t.Unread, p.app.process)
		}
		if p.err != nil {
			continue // a partial tree would look complete
		}
		for _, r := range p.roots {
			b := builder{frameWindow: r, app: p.app, epoch: q.bus.epoch, full: s.Full}
			root := b.element(r.frame, nil)
			root.Aliases = p.app.allAliases(r.window)
			t.Roots = append(t.Roots, root)
		}
	}
	slices.SortStableFunc(t.Roots, func(a, b *desktop.Element) int {
		return cmp.Compare(q.stackIndex(b.Window), q.stackIndex(a.Window))
	})
	t.Omitted += prune(t, s.Limit)
	number := 0
	t.Walk(func(e *desktop.Element) bool {
		number++
		e.Ref = "e" + strconv.Itoa(number)
		return true
	})
	return t
}

// stackIndex returns the position of a window in the stack; -1 if it has none.
func (q *query) stackIndex(id desktop.WindowID) int {
	return slices.IndexFunc(q.windows, func(w desktop.Window) bool { return w.ID == id })
}

// prune keeps the first limit elements of a tree and counts the others.
func prune(t *desktop.Tree, limit int) (omitted int) {
	if limit <= 0 {
		return 0
	}
	t.Walk(func(e *desktop.Element) bool {
		if e.Role.Is(desktop.Rows) && e.Note != "" {
			e.Children = slices.DeleteFunc(e.Children, isBlank)
		}
		return true
	})
	var keep func(list []*desktop.Element) []*desktop.Element
	keep = func(list []*desktop.Element) []*desktop.Element {
		for i, e := range list {
			if limit == 0 {
				for _, rest := range list[i:] {
					rest.Walk(func(*desktop.Element) bool { omitted++; return true })
				}
				return slices.Clip(list[:i])
			}
			limit--
			e.Children = keep(e.Children)
		}
		return list
	}
	t.Roots = keep(t.Roots)
	return omitted
}

// isBlank reports whether a cell of a spreadsheet has nothing to show. Selectors name it
// by its address.
func isBlank(e *desktop.Element) bool {
	_, _, ok := desktop.ParseAddress(e.Name)
	return ok && e.Role == "cell" && e.Text == "" && len(e.Children) == 0 && !e.States.Has(desktop.Focused) && !e.States.Has(desktop.Selected)
}

// A builder converts the nodes of one frame to elements.
type builder struct {
	frameWindow
	app   *application
	epoch string
	full  bool
}

// element converts a node and its descendants.
func (b builder) element(n *node, parent *desktop.Element) *desktop.Element {
	e := b.base(n)
	e.Parent = parent
	if b.full {
		b.addDetails(e, n)
	} else {
		e.ID = n.details.identity()
	}
	for _, c := range n.compact() {
		e.Children = append(e.Children, b.element(c, e))
	}
	return e
}

// rawRole returns the toolkit's name of the node's role.
func (n *node) rawRole() string { return cmp.Or(n.details.rawRole, roleName(n.role)) }

// base converts a node without relatives and details.
func (b builder) base(n *node) *desktop.Element {
	raw := n.rawRole()
	role := roleOf(raw)
	if n.path == b.framePath && isBox(n) {
		role = "frame" // Qt calls a plain window a filler
	}
	return &desktop.Element{
		Handle:       b.handle(n),
		Role:         role,
		RawRole:      raw,
		Name:         n.name,
		Class:        n.class,
		Description:  n.description,
		Process:      b.app.process,
		PID:          b.app.pid,
		Window:       b.window.ID,
		WindowTitle:  cmp.Or(b.window.Title, b.name),
		WindowBounds: b.window.Bounds,
		States:       statesOf(n.states),
		Default:      has(n.states, bitDefault),
		Index:        n.index,
	}
}

// addDetails adds what only a full read has.
func (b builder) addDetails(e *desktop.Element, n *node) {
	d := &n.details
	e.Bounds = b.onScreen(n)
	e.Note, e.Leaf, e.Loose = n.note, n.leaf, n.lost.further
	e.Text, e.Label, e.Actions, e.Value = d.text, d.label, d.actions, d.value
	if d.passage != nil {
		e.Text = d.passage.String()
	}
	e.ID = d.identity()
	if e.Class == "" {
		e.Class = d.attributes["class"]
	}
	if len(d.attributes) > 0 {
		e.Attributes = d.attributes
	}
}

// expanderArrow is the size in pixels of the arrow that an expander of GTK 3 begins with.
const expanderArrow = 16

// onScreen converts the box of a node to screen coordinates.
func (f frameWindow) onScreen(n *node) desktop.Rect {
	if n.box.Empty() || f.nowhere || placeless(f.window) && n.inPopup() {
		return desktop.Rect{}
	}
	box, by := n.box, f.shiftOf(n)
	if n.expander { // its box is as wide as its parent and has what it expands to inside
		box.W, box.H = min(box.W, expanderArrow), min(box.H, expanderArrow)
	}
	if f.scale != 0 {
		box = desktop.RectOf(scaled(box.Image(), f.scale/n.pixels()))
	}
	if placeless(f.window) {
		box = n.inPoints(box)
	}
	return desktop.Rect{X: box.X + by.X, Y: box.Y + by.Y, W: box.W, H: box.H}
}

// shiftOf returns the distance to add to the box that the application reports
// for a node.
func (f frameWindow) shiftOf(n *node) desktop.Point {
	return plus(f.shift, plus(plus(n.drift(), f.swingShift(n.rootPane())), f.inPopover(n)))
}

// inNode converts a point of the screen to the coordinates in which the
// application reports the box of a node.
func (f frameWindow) inNode(n *node, at desktop.Point) desktop.Point {
	by, scale := f.shiftOf(n), cmp.Or(f.scale, 1)/n.pixels()
	return desktop.Point{X: int(float64(at.X-by.X) / scale), Y: int(float64(at.Y-by.Y) / scale)}
}

// inApp converts a point of the screen to the coordinates of the application.
func (f frameWindow) inApp(at desktop.Point) desktop.Point {
	if !f.sizeOnly {
		return at
	}
	return desktop.Point{X: at.X - f.shift.X, Y: at.Y - f.shift.Y}
}

func (b builder) handle(n *node) desktop.Handle {
	return handleParts{b.epoch, n.object, object{b.app.bus, b.framePath}}.handle()
}

// handles returns the handles of a node and its ancestors up to last.
func (b builder) handles(n, last *node) (list []desktop.Handle) {
	for m := n; m != last.parent; m = m.parent {
		list = append(list, b.handle(m))
	}
	return list
}

// Refresh reads one element again in full, without its children and parents.
func (c *Client) Refresh(ctx context.Context, h desktop.Handle) (*desktop.Element, error) {
	q, err := c.queryWindows(ctx)
	if err != nil {
		return nil, err
	}
	p, w, err := q.enter(h, visitUngreeted)
	if err != nil {
		return nil, err
	}
	defer w.end()
	n, err := w.loadAlone(p.object)
	if err != nil {
		return nil, err
	}
	delete(w.visited, n.object) // it may be the frame itself
	home, err := w.frameOfHandle(p)
	if err != nil {
		return nil, err
	}
	home.frame = n
	if err := w.findRootPane(n, p); err != nil {
		return nil, err
	}
	if w.placeless || home.scale != 0 || w.isSwing() {
		if err := w.findParents(n); err != nil {
			return nil, err
		}
	}
	n.askRole(w.pipeline)
	w.askDetails(n, maxTextAlone)
	n.askLabels(w.pipeline)
	if err := w.run(); err != nil {
		return nil, err
	}
	return w.builder(home).alone(n), nil
}

// builder returns a builder of the elements of a frame, with all details.
func (w *walker) builder(f frameWindow) builder {
	return builder{frameWindow: f, app: w.app, epoch: w.query.bus.epoch, full: true}
}

// alone converts a node that was read outside of a tree.
func (b builder) alone(n *node) *desktop.Element {
	e := b.element(n, nil)
	e.Unsettled = !b.app.agreements.settled(b.frameWindow, time.Now())
	return e
}

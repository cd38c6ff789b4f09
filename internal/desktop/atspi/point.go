//go:build linux

package atspi

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"understudy/internal/desktop"
)

// ElementAt returns the meaningful element under a point of the screen, with
// its ancestors as its parents. The window system says whose window is on top
// there; the deepest element whose box holds the point is taken; and from a
// part of a control, such as its label, it climbs to the control.
func (c *Client) ElementAt(ctx context.Context, at desktop.Point) (*desktop.Element, error) {
	return c.elementAt(ctx, pointQuery{at: at})
}

// Hit is ElementAt, except in a page of a browser, where it is the result of
// the page's own hit test.
func (c *Client) Hit(ctx context.Context, at desktop.Point) (*desktop.Element, error) {
	return c.elementAt(ctx, pointQuery{at: at, hitTest: true})
}

// A pointQuery is a point of the screen, and how to look there.
type pointQuery struct {
	at      desktop.Point
	popups  bool // only in popups
	hitTest bool // ask a page for its own hit test
}

func (c *Client) elementAt(ctx context.Context, s pointQuery) (*desktop.Element, error) {
	q, err := c.queryWindows(ctx)
	if err != nil {
		return nil, err
	}
	top := q.windows.PressedAt(s.at)
	// A popup may hang out of its window, and over another's. Not every window
	// system lists it.
	if active := q.windows.Active(); active != nil && (top == nil || active.ID != top.ID && !top.Popup) {
		inPopups := s
		inPopups.popups = true
		if e, err := q.inApplication(*active, inPopups); err == nil {
			return e, nil
		}
	}
	if top == nil {
		return nil, fmt.Errorf("%w: there is no window at %s", desktop.ErrNotFound, s.at)
	}
	return q.inApplication(*top, s)
}

// inApplication finds the element at a point in a window and in the popups of
// its application, or only in those.
func (q *query) inApplication(in desktop.Window, s pointQuery) (*desktop.Element, error) {
	apps, err := q.ofProcess(in.PID)
	if err != nil {
		return nil, err
	}
	err = fmt.Errorf("%w: the window %q at %s has no accessibility", desktop.ErrNotFound, in.Title, s.at)
	for _, a := range apps {
		e, failed := q.inWindow(a, in, s)
		if failed == nil {
			return e, nil
		}
		err = failed
	}
	return nil, err
}

// inWindow finds the element at a point in one application.
func (q *query) inWindow(a *application, in desktop.Window, s pointQuery) (*desktop.Element, error) {
	asked := !s.popups // do not wait for a menu that another application may have open
	w, err := q.visit(a, asked, visitCachedItems)
	if err != nil {
		return nil, err
	}
	defer w.end()
	frames, err := w.placedFrames()
	if err != nil {
		return nil, err
	}
	if open, err := w.popupIn(frames); open || err != nil {
		return nil, cmp.Or(err, popupOpen(in))
	}
	for _, f := range w.candidates(frames, in, s) {
		p := &pointSearch{walker: w, frameWindow: f, pointQuery: s}
		hits, err := p.search()
		if err != nil {
			return nil, err
		}
		if in.Popup && f.window.ID != in.ID && !f.popup { // only its menus are in that window
			hits = slices.DeleteFunc(hits, func(h hit) bool { return !h.floats })
		}
		if len(hits) > 0 {
			return p.element(deepest(hits))
		}
	}
	return nil, fmt.Errorf("%w: nothing of the window %q is at %s", desktop.ErrNotFound, in.Title, s.at)
}

// candidates returns the frames that may be visible at a point, popups first. A
// menu may be a window of its own and yet belong to the frame that opened it.
func (w *walker) candidates(frames []frameWindow, in desktop.Window, s pointQuery) []frameWindow {
	var front, own, others []frameWindow
	for _, f := range frames {
		switch {
		case f.popup && w.shows(f.frame) && f.onScreen(f.frame).Contains(s.at):
			front = append(front, f)
		case f.window.ID == in.ID && !f.popup && !s.popups:
			own = append(own, f)
		case in.Popup && !f.popup:
			others = append(others, f)
		}
	}
	slices.Reverse(front) // the last opened is on top
	return slices.Concat(front, own, others)
}

// element returns the element of the node that the boxes suggest at the point.
// A page is asked for its own hit test if the query wants that, and if the
// boxes name nothing in the page.
func (p *pointSearch) element(n *node) (*desktop.Element, error) {
	page, tested := p.pageOf(n), false
	if page != nil && (p.hitTest || n == page) {
		at := p.inApp(p.at)
		if p.placeless {
			at = page.inPixels(at)
		}
		t := pageTest{walker: p.walker, page: page, at: at, flushed: p.flushed}
		var err error
		if n, tested, err = t.test(n); err != nil {
			return nil, err
		}
	}
	if err := p.nameAll(n); err != nil {
		return nil, err
	}
	m := meaningful(n, p.at, p.frameWindow)
	e, err := p.describe(m)
	if err != nil {
		return nil, err
	}
	e.Guessed, e.Sure = page != nil && !tested, tested || n == p.dialog
	e.Hits = p.builder(p.frameWindow).handles(n, m)
	return e, nil
}

// nameAll reads the names of a node and its ancestors.
func (p *pointSearch) nameAll(n *node) error {
	for m := n; m.parent != nil; m = m.parent {
		if m.item == nil && m.name == "" {
			m.askName(p.pipeline, func() { p.normalise(m) })
		}
	}
	return p.run()
}

// describe reads a node in full, with its parents and its label.
func (p *pointSearch) describe(n *node) (*desktop.Element, error) {
	n.children = nil
	details := func() {
		n.askRole(p.pipeline)
		p.askDetails(n, maxText)
		n.askLabels(p.pipeline)
	}
	if n.item == nil && n.offers == 0 {
		n.askOffers(p.pipeline, details)
	} else {
		details()
	}
	if err := p.run(); err != nil {
		return nil, err
	}
	if err := p.labelAmong(n); err != nil {
		return nil, err
	}
	b := p.builder(p.frameWindow)
	e := b.alone(n)
	for at, m := e, n.parent; m != nil; at, m = at.Parent, m.parent {
		at.Parent = b.base(m)
	}
	return e, nil
}

// labelAmong labels a node that needs it from the nodes that were read on the
// way to it.
func (p *pointSearch) labelAmong(n *node) error {
	if !needsLabel(n) || n.details.label != "" {
		return nil
	}
	p.frame.each(func(m *node) bool {
		if m.name == "" && m.desktopRole() == "label" {
			m.askName(p.pipeline, func() {})
		}
		return true
	})
	err := p.run()
	labelByPlace(p.frame)
	return err
}

// meaningful climbs from a node to what a person would name: the control that
// it is part of, or the nearest ancestor that is not merely a container.
func meaningful(n *node, at desktop.Point, f frameWindow) *node {
	const far = 4
	m := n
	for range far {
		if m == nil || !isPart(m) && !isControl(m) {
			break
		}
		if isControl(m) && f.onScreen(m).Contains(at) {
			return m
		}
		m = m.parent
	}
	for m = n; m.parent != nil; m = m.parent {
		if !isBox(m) || m.name != "" {
			break
		}
	}
	return m
}

// isControl reports whether a person would name this node, not what is in it.
func isControl(n *node) bool { return n.desktopRole().Is(desktop.Control) }

// isPart reports whether a node can be part of a control.
func isPart(n *node) bool {
	switch n.desktopRole() {
	case "label", "image", "icon":
		return true
	}
	return isBox(n)
}

// isBox reports whether a node is merely a container.
func isBox(n *node) bool {
	r := n.desktopRole()
	return r.Is(desktop.Container) && r != "separator"
}

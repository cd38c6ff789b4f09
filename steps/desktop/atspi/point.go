//go:build linux

package atspi

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"understudy/steps/desktop"
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
	l, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	windows, err := c.windows(ctx)
	if err != nil {
		return nil, err
	}
	top := windows.PressedAt(s.at)
	// A popup may hang out of its window, and over another's. Not every window
	// system lists it.
	if active := windows.Active(); active != nil && (top == nil || active.ID != top.ID && !top.Popup) {
		inPopups := s
		inPopups.popups = true
		if e, err := c.inApplication(ctx, l, windows, *active, inPopups); err == nil {
			return e, nil
		}
	}
	if top == nil {
		return nil, fmt.Errorf("%w: there is no window at %s", desktop.ErrNotFound, s.at)
	}
	return c.inApplication(ctx, l, windows, *top, s)
}

// inApplication finds the element at a point in a window and in the popups of
// its application, or only in those.
func (c *Client) inApplication(ctx context.Context, l *busConn, windows desktop.Windows, in desktop.Window, s pointQuery) (*desktop.Element, error) {
	apps, err := c.ofProcess(ctx, l, in.PID)
	if err != nil {
		return nil, err
	}
	err = fmt.Errorf("%w: the window %q at %s has no accessibility", desktop.ErrNotFound, in.Title, s.at)
	for _, a := range apps {
		e, failed := c.inWindow(ctx, l, a, windows, in, s)
		if failed == nil {
			return e, nil
		}
		err = failed
	}
	return nil, err
}

// inWindow finds the element at a point in one application.
func (c *Client) inWindow(ctx context.Context, l *busConn, a *application, windows desktop.Windows, in desktop.Window, s pointQuery) (*desktop.Element, error) {
	asked := !s.popups // do not wait for a menu that another application may have open
	w, done, err := c.visit(ctx, l, a, asked, visitCachedItems)
	if err != nil {
		return nil, err
	}
	defer done()
	w.hitTest = s.hitTest
	frames, err := w.framesIn(windows)
	if err != nil {
		return nil, err
	}
	matched := w.matchWindows(frames, windows)
	if open, err := w.popupIn(matched); open || err != nil {
		return nil, cmp.Or(err, popupOpen(in))
	}
	for _, f := range candidates(matched, in, s.at, s.popups, w) {
		hits, err := w.hitsAt(f, s.at)
		if err != nil {
			return nil, err
		}
		if in.Popup && f.window.ID != in.ID && !f.popup { // only its menus are in that window
			hits = slices.DeleteFunc(hits, func(h hit) bool { return !h.floats })
		}
		if len(hits) == 0 {
			continue
		}
		return w.elementFor(f, deepest(hits), s.at, l)
	}
	return nil, fmt.Errorf("%w: nothing of the window %q is at %s", desktop.ErrNotFound, in.Title, s.at)
}

// elementFor returns the element of the node that the boxes suggest at a point.
// A page is asked for its own hit test if the query wants that, and if the
// boxes name nothing in the page.
func (w *walker) elementFor(f frameWindow, n *node, at desktop.Point, l *busConn) (*desktop.Element, error) {
	page, tested := w.pageOf(n), false
	if page != nil && (w.hitTest || n == page) {
		var err error
		if n, tested, err = w.hitTestNode(page, n, w.inPixels(page, f.inApp(at))); err != nil {
			return nil, err
		}
	}
	if err := w.nameAll(n); err != nil {
		return nil, err
	}
	m := meaningful(n, at, f)
	e, err := w.describe(f, m, l)
	if err != nil {
		return nil, err
	}
	e.Guessed, e.Sure = page != nil && !tested, tested
	e.Hits = builder{frameWindow: f, epoch: l.epoch}.handles(n, m)
	return e, nil
}

// candidates returns the frames that may be visible at a point, popups first. A
// menu may be a window of its own and yet belong to the frame that opened it.
func candidates(list []frameWindow, in desktop.Window, at desktop.Point, popups bool, w *walker) []frameWindow {
	var front, own, others []frameWindow
	for _, f := range list {
		switch {
		case f.popup && w.shows(f.frame) && f.onScreen(f.frame).Contains(at):
			front = append(front, f)
		case f.window.ID == in.ID && !f.popup && !popups:
			own = append(own, f)
		case in.Popup && !f.popup:
			others = append(others, f)
		}
	}
	slices.Reverse(front) // the last opened is on top
	return slices.Concat(front, own, others)
}

// describe reads a node in full, with its parents and its label.
func (w *walker) describe(f frameWindow, n *node, l *busConn) (*desktop.Element, error) {
	n.children = nil
	details := func() {
		w.askRole(n)
		w.askDetails(n)
		w.askLabels(n)
	}
	if n.item == nil && n.offers == 0 {
		w.askOffers(n, details)
	} else {
		details()
	}
	if err := w.run(); err != nil {
		return nil, err
	}
	if err := w.labelAmong(f, n); err != nil {
		return nil, err
	}
	b := builder{frameWindow: f, app: w.app, epoch: l.epoch, full: true}
	e := b.element(n, nil)
	e.Unsettled = !w.app.remembered.settled(f, time.Now())
	for at, m := e, n.parent; m != nil; at, m = at.Parent, m.parent {
		at.Parent = b.base(m)
	}
	return e, nil
}

// labelAmong labels a node that needs it from the nodes that were read on the
// way to it.
func (w *walker) labelAmong(f frameWindow, n *node) error {
	if !needsLabel(n) || n.details.label != "" {
		return nil
	}
	f.frame.each(func(m *node) bool {
		if m.name == "" && roleOf(roleName(m.role)) == "label" {
			w.get(m.object, ifaceAccessible, "Name", func(v any) { m.name = as[string](v) })
		}
		return true
	})
	err := w.run()
	labelByPlace(f.frame)
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
func isControl(n *node) bool { return roleOf(roleName(n.role)).Is(desktop.Control) }

// isPart reports whether a node can be part of a control.
func isPart(n *node) bool {
	switch roleOf(roleName(n.role)) {
	case "label", "image", "icon":
		return true
	}
	return isBox(n)
}

// isBox reports whether a node is merely a container.
func isBox(n *node) bool {
	r := roleOf(roleName(n.role))
	return r.Is(desktop.Container) && r != "separator"
}

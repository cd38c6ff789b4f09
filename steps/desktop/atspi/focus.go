//go:build linux

package atspi

import (
	"context"
	"errors"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// SaveFocus remembers the active window, the element that has the keyboard
// there, its caret and its selection. The pointer is not known here. What is
// not known, such as the element of an application that does not answer, is
// left empty: the window alone is worth bringing back.
func (c *Client) SaveFocus(ctx context.Context) (desktop.FocusState, error) {
	f := desktop.FocusState{Caret: -1}
	l, err := c.connect(ctx)
	if err != nil {
		return f, err
	}
	windows, err := c.windows(ctx)
	if err != nil {
		return f, err
	}
	active := windows.Active()
	if active == nil {
		return f, nil
	}
	f.Window = active.ID
	apps, err := c.ofProcess(ctx, l, active.PID)
	if err != nil {
		return f, err
	}
	for _, a := range apps {
		err := c.saveElement(ctx, l, a, windows, &f)
		if err == nil {
			break
		}
		if !errors.Is(err, desktop.ErrNotFound) && !errors.Is(err, desktop.ErrUnresponsive) {
			return f, err
		}
	}
	return f, context.Cause(ctx)
}

// saveElement remembers the element of an application that has the keyboard.
func (c *Client) saveElement(ctx context.Context, l *busConn, a *application, windows []desktop.Window, f *desktop.FocusState) error {
	w, done, err := c.visit(ctx, l, a, false, visitWithoutItems, noPrefetch)
	if err != nil {
		return err
	}
	defer done()
	before, _ := c.signals.focusOf(a.bus)
	n, frame, err := w.lastFocused(before, windows, f.Window)
	if err == nil && n == nil {
		n, frame, err = c.searchFocused(ctx, l, a, windows, f.Window)
	}
	if err != nil {
		return err
	}
	c.signals.setFocus(a.bus, before, focused{n.path, frame})
	f.Element = handleParts{l.epoch, n.object, frame}.handle()
	if n.offers&offersText == 0 {
		return nil
	}
	return w.readText(n, f)
}

// readText reads the caret and the selection of a node.
func (w *walker) readText(n *node, f *desktop.FocusState) error {
	w.get(n.object, ifaceText, "CaretOffset", func(v any) { f.Caret = int(as[int32](v)) })
	w.want(n.object, ifaceText+".GetNSelections", func(b []any) {
		if first[int32](b) > 0 {
			w.want(n.object, ifaceText+".GetSelection", func(b []any) {
				f.Selection = [2]int{int(at[int32](b, 0)), int(at[int32](b, 1))}
			}, int32(0))
		}
	})
	return w.run()
}

// lastFocused is the node that had the focus when we last heard of it, if that
// is still so and it is in the window; nil when it is not.
func (w *walker) lastFocused(last focused, windows []desktop.Window, in desktop.WindowID) (*node, dbus.ObjectPath, error) {
	if last.path == "" {
		return nil, "", nil
	}
	o := object{w.app.bus, last.path}
	var n *node
	w.recheck(o, func(m *node) { n = m })
	if last.frame == "" {
		w.frameOf(o, func(f dbus.ObjectPath) { last.frame = f })
	}
	if err := w.run(); err != nil || n == nil {
		return nil, "", err
	}
	frames, err := w.frames()
	if err != nil {
		return nil, "", err
	}
	for _, f := range matchWindows(frames, windows, w.app.pid, w.relative) {
		if f.framePath == last.frame && f.window.ID == in {
			return n, last.frame, nil
		}
	}
	return nil, "", nil
}

// recheck hands on the node of an object if it has the focus now.
func (w *walker) recheck(o object, then func(*node)) {
	n := &node{object: o}
	w.askBasics(n, func() {
		if has(n.states, bitFocused) && !has(n.states, bitDefunct) {
			then(n)
		}
	})
}

// searchFocused looks for the node with the focus in all that shows in a
// window.
func (c *Client) searchFocused(ctx context.Context, l *busConn, a *application, windows []desktop.Window, in desktop.WindowID) (*node, dbus.ObjectPath, error) {
	w, done, err := c.visit(ctx, l, a, false, visitItems, noPrefetch)
	if err != nil {
		return nil, "", err
	}
	defer done()
	frames, err := w.frames()
	if err != nil {
		return nil, "", err
	}
	for _, f := range matchWindows(frames, windows, a.pid, w.relative) {
		if f.window.ID != in {
			continue
		}
		n, err := w.focusedBelow(f.frame)
		if n != nil || err != nil {
			return n, f.framePath, err
		}
	}
	return nil, "", desktop.ErrNotFound
}

// focusedBelow is the node with the focus below another. Several may say that
// they have it: one with text is meant.
func (w *walker) focusedBelow(root *node) (best *node, err error) {
	w.expand(root, 1)
	if err := w.run(); err != nil {
		return nil, err
	}
	root.each(func(n *node) bool {
		if n != root && has(n.states, bitFocused) {
			w.recheck(n.object, func(m *node) {
				if best == nil || m.offers&offersText != 0 && best.offers&offersText == 0 {
					best = m
				}
			})
		}
		return true
	})
	return best, w.run()
}

// RestoreFocus makes the window the active one again, gives the element the
// keyboard and puts caret and selection back. It fails with ErrNotFound when
// the element is gone; its window is active again then.
func (c *Client) RestoreFocus(ctx context.Context, f desktop.FocusState) error {
	if f.Window != 0 && c.options.Activate != nil {
		if err := c.options.Activate(ctx, f.Window); err != nil {
			return err
		}
	}
	if f.Element == "" {
		return nil
	}
	_, w, n, done, err := c.resolve(ctx, f.Element, offersComponent, "focus")
	if err != nil {
		return err
	}
	defer done()
	if !has(n.states, bitFocused) { // some toolkits select everything at that
		body, err := w.call(n.object, ifaceComponent+".GrabFocus")
		if err := requireTrue(body, err, "the focus"); err != nil {
			return err
		}
	}
	if f.Caret < 0 || n.offers&offersText == 0 {
		return nil
	}
	return w.restoreText(n, f)
}

// restoreText puts the caret and the selection of a node back. Setting the
// caret ends a selection; setting a selection puts the caret at its end. What
// stands as it did is left alone: a page's selection can be ended, and not made.
func (w *walker) restoreText(n *node, f desktop.FocusState) error {
	now := desktop.FocusState{Caret: -1}
	if err := w.readText(n, &now); err == nil && now.Caret == f.Caret && now.Selection == f.Selection {
		return nil
	}
	body, err := w.call(n.object, ifaceText+".SetCaretOffset", int32(f.Caret))
	if err := requireTrue(body, err, "the caret at %d", f.Caret); err != nil {
		return err
	}
	from, to := int32(f.Selection[0]), int32(f.Selection[1])
	if from == to {
		return nil
	}
	if body, err := w.call(n.object, ifaceText+".AddSelection", from, to); err == nil && first[bool](body) {
		return nil
	}
	body, err = w.call(n.object, ifaceText+".SetSelection", int32(0), from, to)
	return requireTrue(body, err, "the selection from %d to %d", from, to)
}

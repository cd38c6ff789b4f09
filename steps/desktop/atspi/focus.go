//go:build linux

package atspi

import (
	"context"
	"errors"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// SaveFocus reads the active window, its focused element, caret and selection.
// The pointer is not known here. What cannot be read, such as the element of a
// hung application, stays empty: the window alone is worth restoring.
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

// saveElement adds the focused element of an application.
func (c *Client) saveElement(ctx context.Context, l *busConn, a *application, windows []desktop.Window, f *desktop.FocusState) error {
	w, done, err := c.visit(ctx, l, a, false, visitWithoutItems)
	if err != nil {
		return err
	}
	defer done()
	before := c.signals.focusOf(a.bus)
	n, frame, err := w.lastFocused(before, windows, f.Window)
	for err == nil && n == nil { // the focus may have moved while it was looked for
		now := c.signals.focusOf(a.bus)
		if now.path == before.path {
			break
		}
		before = now
		n, frame, err = w.lastFocused(before, windows, f.Window)
	}
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

// textToCompare is how many characters of a text say whether it is the same.
const textToCompare = 200

// readText reads the caret, the selection and how the text of a node begins.
func (w *walker) readText(n *node, f *desktop.FocusState) error {
	w.get(n.object, ifaceText, "CharacterCount", func(v any) {
		f.Length = int(as[int32](v))
		w.want(n.object, ifaceText+".GetText", func(b []any) { f.Begin = first[string](b) }, int32(0), int32(min(f.Length, textToCompare)))
	})
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

// lastFocused returns the node that the last focus signal named, if it still
// has the focus and is in the window; otherwise nil.
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
	clear(w.visited)
	frames, err := w.frames()
	if err != nil {
		return nil, "", err
	}
	for _, f := range w.matchWindows(frames, windows) {
		known := f.framePath == last.frame || last.frame == "" && len(frames) == 1 // not all parents lead there
		if known && f.window.ID == in {
			return n, f.framePath, nil
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

// searchFocused searches everything that shows in a window for the focused
// node.
func (c *Client) searchFocused(ctx context.Context, l *busConn, a *application, windows []desktop.Window, in desktop.WindowID) (*node, dbus.ObjectPath, error) {
	w, done, err := c.visit(ctx, l, a, false, visitCheapItems)
	if err != nil {
		return nil, "", err
	}
	defer done()
	frames, err := w.frames()
	if err != nil {
		return nil, "", err
	}
	for _, f := range w.matchWindows(frames, windows) {
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

// focusedBelow returns the focused descendant of a node. If several claim the
// focus, one with text is meant. A sheet is not asked for its thousand cells: it
// has the focus itself.
func (w *walker) focusedBelow(root *node) (best *node, err error) {
	w.noGrids = true
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

// RestoreFocus activates the window, focuses the element and restores caret and
// selection. It fails with ErrNotFound if the element is gone; the window is
// active by then.
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
	if n, err = w.focusHolder(n); err != nil {
		return err
	}
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

// focusHolder returns the node to focus so that n gets the focus back: n, or the table
// that makes its cells. The focus of such a cell is where the cursor of the table is,
// which a step may have moved on purpose.
func (w *walker) focusHolder(n *node) (*node, error) {
	if roleName(n.role) != "table cell" {
		return n, nil
	}
	body, err := w.call(n.object, ifaceProperties+".Get", ifaceAccessible, "Parent")
	if err != nil {
		return nil, err
	}
	up, err := w.loadAlone(objectOf(as[[]any](variant(body))))
	if err != nil || !has(up.states, bitManagesDescendants) {
		return n, err
	}
	return up, nil
}

// restoreText restores the caret and the selection of a node. Setting the caret
// clears a selection; setting a selection moves the caret to its end. What is
// unchanged is left alone: in a page a selection can be cleared but not made. So is
// the caret in another text, in which the place means nothing, and a dialog that has
// begun to take that text may stop when it moves.
func (w *walker) restoreText(n *node, f desktop.FocusState) error {
	now := desktop.FocusState{Caret: -1}
	if err := w.readText(n, &now); err == nil && (now.Length != f.Length || now.Begin != f.Begin || now.Caret == f.Caret && now.Selection == f.Selection) {
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

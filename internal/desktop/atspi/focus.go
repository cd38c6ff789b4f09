//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// SaveFocus reads the active window, its focused element, caret and selection.
// The pointer is not known here. What cannot be read, such as the element of a
// hung application, stays empty: the window alone is worth restoring.
func (c *Client) SaveFocus(ctx context.Context) (desktop.FocusState, error) {
	f := desktop.FocusState{Caret: -1}
	q, err := c.queryWindows(ctx)
	if err != nil {
		return f, err
	}
	active := q.windows.Active()
	if active == nil {
		return f, nil
	}
	f.Window = active.ID
	apps, err := q.ofProcess(active.PID)
	if err != nil {
		return f, err
	}
	for _, a := range apps {
		err := q.saveElement(a, &f)
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
func (q *query) saveElement(a *application, f *desktop.FocusState) error {
	w, err := q.visit(a, false, visitWithoutItems)
	if err != nil {
		return err
	}
	defer w.end()
	s := q.client.signals
	var before focused
	var n *node
	var frame dbus.ObjectPath
	for err == nil && n == nil { // the focus may move while it is looked for
		now := s.focusOf(a.bus)
		if now.path == before.path {
			break
		}
		before = now
		n, frame, err = w.lastFocused(now, f.Window)
	}
	if err == nil && n == nil {
		n, frame, err = q.searchFocused(a, f.Window)
	}
	if err != nil {
		return err
	}
	s.setFocus(a.bus, before, focused{n.path, frame})
	f.Element = handleParts{q.bus.epoch, n.object, object{a.bus, frame}}.handle()
	if n.offers&offersText == 0 {
		return nil
	}
	return n.readCaret(w.pipeline, f)
}

// textToCompare is how many characters tell a text from another one.
const textToCompare = 200

// readCaret reads the caret, the selection and the beginning of a node's text.
func (n *node) readCaret(p *pipeline, f *desktop.FocusState) error {
	p.get(n.object, ifaceText, "CharacterCount", func(v any) {
		f.Length = int(as[int32](v))
		p.want(n.object, ifaceText+".GetText", func(b []any) { f.Begin = first[string](b) }, int32(0), int32(min(f.Length, textToCompare)))
	})
	p.get(n.object, ifaceText, "CaretOffset", func(v any) { f.Caret = int(as[int32](v)) })
	p.want(n.object, ifaceText+".GetNSelections", func(b []any) {
		if first[int32](b) > 0 {
			p.want(n.object, ifaceText+".GetSelection", func(b []any) {
				f.Selection = [2]int{int(at[int32](b, 0)), int(at[int32](b, 1))}
			}, int32(0))
		}
	})
	return p.run()
}

// lastFocused returns the node that the last focus signal named, if it still
// has the focus and is in the window; otherwise nil.
func (w *walker) lastFocused(last focused, in desktop.WindowID) (*node, dbus.ObjectPath, error) {
	o := object{w.app.bus, last.path}
	var n *node
	recheckFocus(w.pipeline, o, func(m *node) { n = m })
	if err := w.run(); err != nil || n == nil {
		return nil, "", err
	}
	if last.frame == "" {
		var err error
		if last.frame, err = w.frameOf(o); err != nil {
			return nil, "", err
		}
	}
	clear(w.visited)
	frames, err := w.matchedFrames()
	if err != nil {
		return nil, "", err
	}
	for _, f := range frames {
		known := f.framePath == last.frame || last.frame == "" && len(frames) == 1
		if known && f.window.ID == in {
			return n, f.framePath, nil
		}
	}
	return nil, "", nil
}

// recheckFocus hands on the node of an object if it has the focus now.
func recheckFocus(p *pipeline, o object, then func(*node)) {
	n := &node{object: o}
	n.askBasics(p, func(there bool) {
		if there && has(n.states, bitFocused) && !has(n.states, bitDefunct) {
			then(n)
		}
	})
}

// searchFocused searches everything that shows in a window for the focused
// node.
func (q *query) searchFocused(a *application, in desktop.WindowID) (*node, dbus.ObjectPath, error) {
	w, err := q.visit(a, false, visitCheapItems)
	if err != nil {
		return nil, "", err
	}
	defer w.end()
	frames, err := w.matchedFrames()
	if err != nil {
		return nil, "", err
	}
	for _, f := range frames {
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
// focus, one with text is meant. The cells of a large table are not asked for:
// the table has the focus itself.
func (w *walker) focusedBelow(root *node) (best *node, err error) {
	t := treeReader{walker: w, withoutRows: true}
	t.expand(root, 1)
	if err := w.run(); err != nil {
		return nil, err
	}
	root.each(func(n *node) bool {
		if n != root && has(n.states, bitFocused) {
			recheckFocus(w.pipeline, n.object, func(m *node) {
				if best == nil || m.offers&offersText != 0 && best.offers&offersText == 0 {
					best = m
				}
			})
		}
		return true
	})
	return best, w.run()
}

// restoreFocus activates the window, focuses the element and restores caret and
// selection. It fails with ErrNotFound if the element is gone; the window is
// active by then.
func (c *Client) restoreFocus(ctx context.Context, f desktop.FocusState) error {
	if f.Window != 0 && c.options.Activate != nil {
		if err := c.options.Activate(ctx, f.Window); err != nil {
			return err
		}
	}
	if f.Element == "" {
		return nil
	}
	w, n, err := c.resolve(ctx, f.Element, offersComponent, "focus")
	if err != nil {
		return err
	}
	defer w.end()
	if n, err = w.focusHolder(n); err != nil {
		return err
	}
	if !has(n.states, bitFocused) { // some toolkits select everything at that
		if err := w.grabFocus(n); err != nil {
			return err
		}
	}
	if f.Caret < 0 || n.offers&offersText == 0 {
		return nil
	}
	return n.restoreCaret(w.pipeline, f)
}

func (p *pipeline) grabFocus(n *node) error {
	return p.callTrue("the focus", n.object, ifaceComponent+".GrabFocus")
}

// focusHolder returns the node to focus so that n gets the focus back: n, or the
// table that creates its cells on demand. The focus of such a cell is where the
// cursor of the table is, which a step may have moved on purpose.
func (w *walker) focusHolder(n *node) (*node, error) {
	if roleName(n.role) != "table cell" {
		return n, nil
	}
	o, err := w.parentOf(n.object)
	if err != nil {
		return nil, err
	}
	up, err := w.loadAlone(o)
	if err != nil || !has(up.states, bitManagesDescendants) {
		return n, err
	}
	return up, nil
}

// restoreCaret restores the caret and the selection of a node. Setting the caret
// clears a selection; setting a selection moves the caret to its end. If both
// are unchanged they are left alone: in a page a selection can be cleared but not
// made. They are also left alone in another text, where the offset means
// nothing: a dialog that has begun to take that text may stop when the caret
// moves.
func (n *node) restoreCaret(p *pipeline, f desktop.FocusState) error {
	now := desktop.FocusState{Caret: -1}
	if err := n.readCaret(p, &now); err == nil && (now.Length != f.Length || now.Begin != f.Begin || now.Caret == f.Caret && now.Selection == f.Selection) {
		return nil
	}
	if err := p.callTrue(fmt.Sprintf("the caret at %d", f.Caret), n.object, ifaceText+".SetCaretOffset", int32(f.Caret)); err != nil {
		return err
	}
	from, to := int32(f.Selection[0]), int32(f.Selection[1])
	if from == to {
		return nil
	}
	if p.callTrue("a selection", n.object, ifaceText+".AddSelection", from, to) == nil {
		return nil
	}
	return p.callTrue(fmt.Sprintf("the selection from %d to %d", from, to), n.object, ifaceText+".SetSelection", int32(0), from, to)
}

//go:build linux

package atspi

import (
	"context"
	"fmt"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// Reveal scrolls an element into view. Where the toolkit does not do it when
// asked, the scroll bars around the element are moved.
func (c *Client) Reveal(ctx context.Context, h desktop.Handle) error {
	_, w, n, done, err := c.hold(ctx, h, offersComponent, "place on the screen")
	if err != nil {
		return err
	}
	defer done()
	const anywhere = uint32(6)
	if body, err := w.call(n.object, ifaceComponent+".ScrollTo", anywhere); err == nil && first[bool](body) {
		return nil
	}
	moved, err := w.scrollAround(n)
	if err == nil && !moved {
		err = fmt.Errorf("%w: the %s %q cannot be scrolled into view", desktop.ErrRefused, roleName(n.role), n.name)
	}
	return err
}

// scrollAround moves the scroll bars of every scroll pane around a node so
// that the node lies in it, and says whether it found any.
func (w *walk) scrollAround(n *node) (found bool, err error) {
	up := n.object
	for range maxDepth {
		v, err := w.line.get(w.ctx, up, ifaceAccessible, "Parent")
		if err != nil {
			return found, err
		}
		up = objectOf(as[[]any](v))
		if up.none() || up == w.app.object {
			return found, nil
		}
		body, err := w.call(up, ifaceAccessible+".GetRole")
		if err != nil {
			return found, err
		}
		if roleName(first[uint32](body)) != "scroll pane" {
			continue
		}
		moved, err := w.scrollPane(up, n)
		if err != nil {
			return found, err
		}
		found = found || moved
	}
	return found, nil
}

// scrollPane moves the bars of one scroll pane by as much as a node lies
// outside of it.
func (w *walk) scrollPane(pane object, n *node) (bool, error) {
	view := &node{object: pane}
	w.askBox(view, func() {})
	w.askBox(n, func() {})
	var bars []*node
	w.list(view, func(kids []object) {
		for i, k := range kids {
			delete(w.met, k)
			w.meet(k, view, i, func(b *node) {
				if roleName(b.role) == "scroll bar" && b.offers&offersValue != 0 {
					w.askBox(b, func() {})
					w.askValue(b)
					bars = append(bars, b)
				}
			})
		}
	})
	if err := w.run(); err != nil {
		return false, err
	}
	for _, b := range bars {
		by := missing(n.box.X, n.box.W, view.box.X, view.box.W)
		if b.box.H > b.box.W {
			by = missing(n.box.Y, n.box.H, view.box.Y, view.box.H)
		}
		if by == 0 || b.details.value == nil {
			continue
		}
		to := min(max(b.details.value.Now+float64(by), b.details.value.Min), b.details.value.Max)
		if _, err := w.call(b.object, ifaceProperties+".Set", ifaceValue, "CurrentValue", dbus.MakeVariant(to)); err != nil {
			return false, err
		}
	}
	return len(bars) > 0, nil
}

// missing is how far a span must be scrolled to lie in the view.
func missing(from, size, viewFrom, viewSize int) int {
	if from < viewFrom || size > viewSize {
		return from - viewFrom
	}
	return max(0, from+size-viewFrom-viewSize)
}

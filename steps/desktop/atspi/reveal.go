//go:build linux

package atspi

import (
	"context"
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// maxPages is how far a scroll bar is followed in search of an element.
const maxPages = 500

// Reveal scrolls an element into view. Where the toolkit does not do it when
// asked, the scroll bars around the element are moved; and where there are
// none, an element that can have the focus gets it, which most toolkits follow.
func (c *Client) Reveal(ctx context.Context, h desktop.Handle) error {
	_, w, n, done, err := c.resolve(ctx, h, offersComponent, "place on the screen")
	if err != nil {
		return err
	}
	defer done()
	const anywhere = uint32(6)
	if body, err := w.call(n.object, ifaceComponent+".ScrollTo", anywhere); err == nil && first[bool](body) {
		return nil
	}
	moved, err := w.scrollAround(n)
	if err != nil || moved {
		return err
	}
	if has(n.states, bitFocusable) {
		body, err := w.call(n.object, ifaceComponent+".GrabFocus")
		return requireTrue(body, err, "the focus")
	}
	return fmt.Errorf("%w: the %s %q cannot be scrolled into view", desktop.ErrRefused, roleName(n.role), n.name)
}

// A pane is a scroll pane with the scroll bars that it has.
type pane struct {
	*node
	across, down *node // nil when there is none
}

// scrollAround moves the scroll bars of every scroll pane around a node, the
// innermost first, and says whether the node is in view then.
func (w *walker) scrollAround(n *node) (inView bool, err error) {
	up := n.object
	for range maxDepth {
		body, err := w.call(up, ifaceProperties+".Get", ifaceAccessible, "Parent")
		if err != nil {
			return inView, err
		}
		up = objectOf(as[[]any](variant(body)))
		if up.none() || up == w.app.object {
			return inView, nil
		}
		body, err = w.call(up, ifaceAccessible+".GetRole")
		if err != nil {
			return inView, err
		}
		if roleName(first[uint32](body)) != "scroll pane" {
			continue
		}
		p, err := w.pane(up)
		if err != nil {
			return inView, err
		}
		if inView, err = w.scrollIn(p, n); err != nil {
			return inView, err
		}
	}
	return inView, nil
}

// pane reads a scroll pane and its bars.
func (w *walker) pane(o object) (*pane, error) {
	p := &pane{node: &node{object: o}}
	w.askBox(p.node, func() {})
	w.list(p.node, func(kids []object) {
		for i, k := range kids {
			w.load(k, p.node, i, func(b *node) {
				if roleName(b.role) != "scroll bar" || b.offers&offersValue == 0 {
					return
				}
				w.askValue(b)
				w.askBox(b, func() {
					if b.box.H > b.box.W {
						p.down = b
					} else if !b.box.Empty() {
						p.across = b
					}
				})
			})
		}
	})
	return p, w.run()
}

// How often the bars of a pane are moved, and how long an application may take
// to lay out anew what they scroll. One that is still laying itself out does
// not know yet how far its bars go.
const (
	scrollTries = 3
	layoutTime  = 300 * time.Millisecond
	layoutLook  = 10 * time.Millisecond
)

// scrollIn moves the bars of a pane so that a node lies in its view.
func (w *walker) scrollIn(p *pane, n *node) (inView bool, err error) {
	for range scrollTries {
		moved, err := w.scrollOnce(p, n)
		if err != nil {
			return false, err
		}
		if !moved {
			break
		}
		if arrived, err := w.arrives(p, n); arrived || err != nil {
			return arrived, err
		}
		if p, err = w.pane(p.object); err != nil {
			return false, err
		}
	}
	return !n.box.Intersect(p.box).Empty(), nil
}

// scrollOnce moves the bars by what is missing now, and says whether one moved.
func (w *walker) scrollOnce(p *pane, n *node) (moved bool, err error) {
	if err := w.locate(n); err != nil {
		return false, err
	}
	if n.box.Empty() && p.down != nil { // a toolkit may know the place of what shows only
		if err := w.page(p, n); err != nil {
			return false, err
		}
	}
	if n.box.Empty() {
		return false, nil
	}
	right, below := p.lacks(n)
	across, err := w.moveBar(p.across, right)
	if err != nil {
		return false, err
	}
	down, err := w.moveBar(p.down, below)
	return across || down, err
}

// arrives waits until a node lies in the view of a pane.
func (w *walker) arrives(p *pane, n *node) (bool, error) {
	ctx, cancel := context.WithTimeout(w.ctx, layoutTime)
	defer cancel()
	for {
		if err := w.locate(n); err != nil {
			return false, err
		}
		if right, below := p.lacks(n); right == 0 && below == 0 && !n.box.Empty() {
			return true, nil
		}
		if desktop.Sleep(ctx, layoutLook) != nil {
			return false, w.ctx.Err()
		}
	}
}

// lacks is how far a node must be scrolled to lie in the view.
func (p *pane) lacks(n *node) (right, below int) {
	return missing(n.box.X, n.box.W, p.box.X, p.box.W), missing(n.box.Y, n.box.H, p.box.Y, p.box.H)
}

// locate asks anew where a node is.
func (w *walker) locate(n *node) error {
	w.askBox(n, func() {})
	return w.run()
}

// page moves the bar down from the top, a view at a time, until a node has a
// place.
func (w *walker) page(p *pane, n *node) error {
	bar := p.down.details.value
	if bar == nil || p.box.H <= 0 {
		return nil
	}
	to := bar.Min
	for range maxPages {
		if err := w.setBar(p.down, to); err != nil {
			return err
		}
		if err := w.locate(n); err != nil {
			return err
		}
		if !n.box.Empty() || to >= bar.Max {
			return nil
		}
		to = min(to+float64(p.box.H), bar.Max)
	}
	return nil
}

// moveBar moves a scroll bar by a distance, as far as it goes, and says
// whether that is anywhere.
func (w *walker) moveBar(bar *node, by int) (moved bool, err error) {
	if bar == nil || bar.details.value == nil || by == 0 {
		return false, nil
	}
	v := bar.details.value
	to := min(max(v.Now+float64(by), v.Min), v.Max)
	if to == v.Now {
		return false, nil
	}
	return true, w.setBar(bar, to)
}

// setBar puts a scroll bar somewhere.
func (w *walker) setBar(bar *node, to float64) error {
	_, err := w.call(bar.object, ifaceProperties+".Set", ifaceValue, "CurrentValue", dbus.MakeVariant(to))
	bar.details.value.Now = to
	return err
}

// missing is how far a span must be scrolled to lie in the view.
func missing(from, size, viewFrom, viewSize int) int {
	if from < viewFrom || size > viewSize {
		return from - viewFrom
	}
	return max(0, from+size-viewFrom-viewSize)
}

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

// Reveal scrolls an element into view. If the toolkit does not do so on
// request, the surrounding scroll bars are moved; without any, a focusable
// element is focused, which most toolkits scroll to. LibreOffice does so only for
// a key.
func (c *Client) Reveal(ctx context.Context, h desktop.Handle, then *desktop.Chord) error {
	_, w, n, done, err := c.resolve(ctx, h, offersComponent, "place on the screen")
	if err != nil {
		return err
	}
	defer done()
	if roleName(n.role) == "table cell" && !has(n.states, bitShowing) && w.app.called("soffice") && then != nil {
		*then = desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "backspace"}
		body, err := w.call(n.object, ifaceComponent+".GrabFocus")
		return requireTrue(body, err, "the focus")
	}
	const anywhere = uint32(6)
	if body, err := w.call(n.object, ifaceComponent+".ScrollTo", anywhere); err == nil && first[bool](body) {
		return nil
	}
	moved, err := w.scrollAround(n)
	if err != nil || moved {
		return err
	}
	if has(n.states, bitFocusable) {
		if moved, err := w.focusToScroll(n); err != nil || moved {
			return err
		}
	}
	return fmt.Errorf("%w: the %s %q cannot be scrolled into view", desktop.ErrRefused, roleName(n.role), n.name)
}

// focusToScroll focuses a node, and reports whether it was scrolled to: Qt Quick does so
// only where the program asks for it.
func (w *walker) focusToScroll(n *node) (moved bool, err error) {
	if err := w.locate(n); err != nil {
		return false, err
	}
	before := n.box
	body, err := w.call(n.object, ifaceComponent+".GrabFocus")
	if err := requireTrue(body, err, "the focus"); err != nil {
		return false, err
	}
	return w.within(layoutTime, func() (bool, error) {
		err := w.locate(n)
		return n.box != before, err
	})
}

// within looks again and again until something is so, or a time is over.
func (w *walker) within(long time.Duration, look func() (bool, error)) (bool, error) {
	ctx, cancel := context.WithTimeout(w.ctx, long)
	defer cancel()
	for {
		if so, err := look(); so || err != nil {
			return so, err
		}
		if desktop.Sleep(ctx, layoutLook) != nil {
			return false, w.ctx.Err()
		}
	}
}

// A pane is what scrolls its content, with its scroll bars.
type pane struct {
	*node
	across, down *node // nil if missing
}

// scrollAround moves the scroll bars of every pane around a node, the innermost
// first, and reports whether the node is then in view.
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
		p, err := w.pane(up)
		if err != nil {
			return inView, err
		}
		if p.across == nil && p.down == nil {
			continue
		}
		if inView, err = w.scrollIn(p, n); err != nil {
			return inView, err
		}
	}
	return inView, nil
}

// maxBesideBars is how many children a pane has at most: what it scrolls, its
// bars and what stands in the corners.
const maxBesideBars = 8

// pane reads an object as a pane. It has no bars if it is something else.
func (w *walker) pane(o object) (*pane, error) {
	p := &pane{node: &node{object: o}}
	clear(w.visited) // a pane is read again once it has scrolled
	w.askBox(p.node, func() {})
	w.get(o, ifaceAccessible, "ChildCount", func(v any) {
		if n := as[int32](v); n > 0 && n <= maxBesideBars {
			w.findBars(p, p.node)
		}
	})
	if err := w.run(); err != nil {
		return nil, err
	}
	p.box = p.view()
	return p, nil
}

// findBars finds the scroll bars of a pane among the children of a node. Qt
// puts each into a box of its own, and GTK 4 puts what holds the number into the
// bar.
func (w *walker) findBars(p *pane, in *node) {
	w.list(in, func(kids []object) {
		for i, k := range kids {
			w.load(k, in, i, func(b *node) {
				bar := roleName(b.role) == "scroll bar"
				switch {
				case b.offers&offersValue != 0 && (bar || roleName(in.role) == "scroll bar"):
					w.addBar(p, b)
				case bar, in == p.node && roleName(b.role) == "filler":
					w.get(b.object, ifaceAccessible, "ChildCount", func(v any) {
						if as[int32](v) == 1 {
							w.findBars(p, b)
						}
					})
				}
			})
		}
	})
}

func (w *walker) addBar(p *pane, b *node) {
	w.askValue(b)
	w.askBox(b, func() {
		if b.box.H > b.box.W {
			p.down = b
		} else if !b.box.Empty() {
			p.across = b
		}
	})
}

// view is the box of a pane without its bars.
func (p *pane) view() desktop.Rect {
	box := p.box
	if p.down != nil && p.down.box.X > box.X {
		box.W = min(box.W, p.down.box.X-box.X)
	}
	if p.across != nil && p.across.box.Y > box.Y {
		box.H = min(box.H, p.across.box.Y-box.Y)
	}
	return box
}

// scrollTries bounds how often the bars of a pane are moved, and layoutTime how
// long an application may take to lay out what they scroll: until then it does
// not know how far its bars go.
const (
	scrollTries = 3
	layoutTime  = 300 * time.Millisecond
	layoutLook  = 10 * time.Millisecond
)

// scrollIn moves the bars of a pane until a node lies in its view.
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

// scrollOnce moves the bars by the remaining distance, and reports whether one
// moved.
func (w *walker) scrollOnce(p *pane, n *node) (moved bool, err error) {
	if err := w.locate(n); err != nil {
		return false, err
	}
	if n.box.Empty() && p.down != nil { // some toolkits know only the boxes of what shows
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
	return w.within(layoutTime, func() (bool, error) {
		if err := w.locate(n); err != nil {
			return false, err
		}
		right, below := p.lacks(n)
		return right == 0 && below == 0 && !n.box.Empty(), nil
	})
}

// lacks returns how far a node must be scrolled to lie in the view.
func (p *pane) lacks(n *node) (right, below int) {
	return missing(n.box.X, n.box.W, p.box.X, p.box.W), missing(n.box.Y, n.box.H, p.box.Y, p.box.H)
}

// locate reads the node's box again.
func (w *walker) locate(n *node) error {
	w.askBox(n, func() {})
	return w.run()
}

// page moves the bar down from the top, a view at a time, until a node has a
// box.
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

// moveBar moves a scroll bar by a distance within its range, and reports
// whether it moved.
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

func (w *walker) setBar(bar *node, to float64) error {
	_, err := w.call(bar.object, ifaceProperties+".Set", ifaceValue, "CurrentValue", dbus.MakeVariant(to))
	bar.details.value.Now = to
	return err
}

// missing returns how far a span must be scrolled to lie in the view.
func missing(from, size, viewFrom, viewSize int) int {
	if from < viewFrom || size > viewSize {
		return from - viewFrom
	}
	return max(0, from+size-viewFrom-viewSize)
}

//go:build linux

package atspi

import (
	"context"
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// maxPages is how far a scroll bar is followed in search of an element.
const maxPages = 500

// reveal scrolls an element into view. If the toolkit does not do so on
// request, the surrounding scroll bars are moved; without any, a focusable
// element is focused, which most toolkits scroll to. LibreOffice does so only for
// a key.
func (c *Client) reveal(ctx context.Context, h desktop.Handle, then *desktop.Chord) error {
	w, n, err := c.resolve(ctx, h, offersComponent, "place on the screen")
	if err != nil {
		return err
	}
	defer w.end()
	if roleName(n.role) == "table cell" && !has(n.states, bitShowing) && w.app.isOffice() && then != nil {
		*then = desktop.Chord{Mods: []desktop.Key{desktop.Ctrl}, Key: "backspace"}
		return w.grabFocus(n)
	}
	const anywhere = uint32(6)
	if w.callTrue("scrolling", n.object, ifaceComponent+".ScrollTo", anywhere) == nil {
		return nil
	}
	s := scroller{walker: w, target: n}
	moved, err := s.scrollAround()
	if err != nil || moved {
		return err
	}
	if has(n.states, bitFocusable) {
		if moved, err := s.focus(); err != nil || moved {
			return err
		}
	}
	return fmt.Errorf("%w: the %s %q cannot be scrolled into view", desktop.ErrRefused, roleName(n.role), n.name)
}

// A scroller moves scroll bars until a node is in view.
type scroller struct {
	*walker
	target *node
}

// focus focuses the target, and reports whether that scrolled: Qt Quick scrolls
// only where the program asks for it.
func (s *scroller) focus() (moved bool, err error) {
	if err := s.locate(); err != nil {
		return false, err
	}
	before := s.target.box
	if err := s.grabFocus(s.target); err != nil {
		return false, err
	}
	return s.poll(func() bool { return s.target.box != before })
}

// poll locates the target until a condition holds or the application must have
// laid it out, and reports whether the condition holds.
func (s *scroller) poll(done func() bool) (bool, error) {
	ctx, cancel := context.WithTimeout(s.ctx, layoutTime)
	defer cancel()
	for {
		if err := s.locate(); err != nil || done() {
			return err == nil, err
		}
		if desktop.Sleep(ctx, layoutPoll) != nil {
			return false, s.ctx.Err()
		}
	}
}

// A pane scrolls its content, by its scroll bars.
type pane struct {
	*node
	across, down *node // nil if missing
}

// scrollAround moves the scroll bars of every pane around the target, the
// innermost first, and reports whether the target is then in view.
func (s *scroller) scrollAround() (inView bool, err error) {
	up := s.target.object
	for range maxDepth {
		if up, err = s.parentOf(up); err != nil {
			return inView, err
		}
		if up.none() || up == s.app.object {
			return inView, nil
		}
		p, err := s.pane(up)
		if err != nil {
			return inView, err
		}
		if p.across == nil && p.down == nil {
			continue
		}
		if inView, err = s.scrollIn(p); err != nil {
			return inView, err
		}
	}
	return inView, nil
}

// maxBesideBars bounds the children of a pane: its content, its bars and the
// widgets in the corners.
const maxBesideBars = 8

// pane reads an object as a pane. It has no bars if it is something else.
func (s *scroller) pane(o object) (*pane, error) {
	p := &pane{node: &node{object: o}}
	clear(s.visited) // a pane is read again once it has scrolled
	s.askBox(p.node, func() {})
	s.get(o, ifaceAccessible, "ChildCount", func(v any) {
		if n := as[int32](v); n > 0 && n <= maxBesideBars {
			s.findBars(p, p.node)
		}
	})
	if err := s.run(); err != nil {
		return nil, err
	}
	p.box = p.view()
	return p, nil
}

// findBars finds the scroll bars of a pane among the children of a node. Qt
// puts each into a box of its own, and GTK 4 puts what holds the number into the
// bar.
func (s *scroller) findBars(p *pane, in *node) {
	s.list(in, func(kids []object) {
		for i, k := range kids {
			s.load(k, in, i, func(b *node) {
				bar := roleName(b.role) == "scroll bar"
				switch {
				case b.offers&offersValue != 0 && (bar || roleName(in.role) == "scroll bar"):
					s.addBar(p, b)
				case bar, in == p.node && roleName(b.role) == "filler":
					s.get(b.object, ifaceAccessible, "ChildCount", func(v any) {
						if as[int32](v) == 1 {
							s.findBars(p, b)
						}
					})
				}
			})
		}
	})
}

func (s *scroller) addBar(p *pane, b *node) {
	b.askValue(s.pipeline)
	s.askBox(b, func() {
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

const (
	// scrollTries bounds how often the bars of a pane are moved.
	scrollTries = 3
	// layoutTime bounds how long an application may take to lay out what the bars
	// scroll, and layoutPoll is the pause between polls of it. Until then the
	// application does not know how far its bars go.
	layoutTime = 300 * time.Millisecond
	layoutPoll = 10 * time.Millisecond
)

// scrollIn moves the bars of a pane until the target is in its view.
func (s *scroller) scrollIn(p *pane) (inView bool, err error) {
	for range scrollTries {
		moved, err := s.scrollOnce(p)
		if err != nil {
			return false, err
		}
		if !moved {
			break
		}
		arrived, err := s.poll(func() bool {
			right, below := p.lacks(s.target)
			return right == 0 && below == 0 && !s.target.box.Empty()
		})
		if arrived || err != nil {
			return arrived, err
		}
		if p, err = s.pane(p.object); err != nil {
			return false, err
		}
	}
	return !s.target.box.Intersect(p.box).Empty(), nil
}

// scrollOnce moves the bars by the remaining distance, and reports whether one
// moved.
func (s *scroller) scrollOnce(p *pane) (moved bool, err error) {
	if err := s.locate(); err != nil {
		return false, err
	}
	if s.target.box.Empty() && p.down != nil { // some toolkits know only the boxes of what shows
		if err := s.page(p); err != nil {
			return false, err
		}
	}
	if s.target.box.Empty() {
		return false, nil
	}
	right, below := p.lacks(s.target)
	across, err := s.moveBar(p.across, right)
	if err != nil {
		return false, err
	}
	down, err := s.moveBar(p.down, below)
	return across || down, err
}

// lacks returns how far a node must be scrolled to lie in the view.
func (p *pane) lacks(n *node) (right, below int) {
	return missing(n.box.X, n.box.W, p.box.X, p.box.W), missing(n.box.Y, n.box.H, p.box.Y, p.box.H)
}

// locate reads the box of the target again.
func (s *scroller) locate() error {
	s.askBox(s.target, func() {})
	return s.run()
}

// page moves the bar down from the top, a view at a time, until the target has a
// box.
func (s *scroller) page(p *pane) error {
	bar := p.down.details.value
	if bar == nil || p.box.H <= 0 {
		return nil
	}
	to := bar.Min
	for range maxPages {
		if err := s.setBar(p.down, to); err != nil {
			return err
		}
		if err := s.locate(); err != nil {
			return err
		}
		if !s.target.box.Empty() || to >= bar.Max {
			return nil
		}
		to = min(to+float64(p.box.H), bar.Max)
	}
	return nil
}

// moveBar moves a scroll bar by a distance within its range, and reports
// whether it moved.
func (s *scroller) moveBar(bar *node, by int) (moved bool, err error) {
	if bar == nil || bar.details.value == nil || by == 0 {
		return false, nil
	}
	v := bar.details.value
	to := min(max(v.Now+float64(by), v.Min), v.Max)
	if to == v.Now {
		return false, nil
	}
	return true, s.setBar(bar, to)
}

func (s *scroller) setBar(bar *node, to float64) error {
	_, err := s.call(bar.object, ifaceProperties+".Set", ifaceValue, "CurrentValue", dbus.MakeVariant(to))
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

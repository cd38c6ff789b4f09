//go:build linux

package atspi

import (
	"image"
	"strings"

	"understudy/internal/desktop"
)

// GTK 4 reports the box of an element relative to its parent's content, and from
// 4.10 on it adds these up without the borders and paddings of the ancestors: the
// box lies to the left of and above the element by the sum of them, and so does its
// hit test. The paddings are not reported. But the content mostly fills its parent,
// and a padding is mostly the same on both sides, so it is half of the space that is
// left over. Where that does not hold, as for a row of buttons at the left, the
// padding is at most that.

// maxPadding bounds a padding: more space is unused room.
const maxPadding = 32

// lost is how far an object lies to the right of and below its box, and how much
// further it may.
type lost struct{ by, further desktop.Point }

// addPaddings computes how much the boxes below a node lost.
func (l *loader) addPaddings(n *node) {
	of := n.padding()
	for _, c := range n.compact() {
		c.lost = lost{plus(n.lost.by, of.by), plus(n.lost.further, of.further)}
		l.app.lost.set(c.object, c.lost)
		l.addPaddings(c)
	}
}

// padding returns the distance from the corner of a node to the corner of its
// children.
func (n *node) padding() lost {
	var held image.Rectangle
	for _, c := range n.compact() {
		if !c.box.Empty() && !c.pops() {
			held = held.Union(c.box.Image().Sub(image.Pt(n.box.X, n.box.Y)))
		}
	}
	half := func(size, from, to int) int {
		if to > size || to == from {
			return 0
		}
		return min(max(0, size-from-to)/2, maxPadding)
	}
	most := desktop.Point{X: half(n.box.W, held.Min.X, held.Max.X), Y: half(n.box.H, held.Min.Y, held.Max.Y)}
	known := most
	if least := min(most.X, most.Y); !isControl(n) { // space in one direction only is unused room
		known = desktop.Point{X: least, Y: least}
	}
	return lost{known, desktop.Point{X: most.X - known.X, Y: most.Y - known.Y}}
}

func plus(a, b desktop.Point) desktop.Point { return desktop.Point{X: a.X + b.X, Y: a.Y + b.Y} }

// GTK 4 reports boxes in a popover relative to the corner of the widget that opened
// it, as if the popover began there. The X server knows the position of the popover's
// window.

// surroundings bounds how much higher a popover's window is than its box.
const surroundings = 40

// popover returns the window of a node that is a popover of GTK 4, or nil. A node
// whose name was not read is recognised by its size, and by reaching out of its
// parent.
func (f frameWindow) popover(n *node) *desktop.Window {
	named := strings.HasPrefix(n.name, "GtkPopover") || strings.HasPrefix(n.class, "GtkPopover")
	holds := roleName(n.role) == "filler" || roleName(n.role) == "menu"
	if !named && (n.name != "" || !holds || n.box.Image().In(n.parent.box.Image())) {
		return nil
	}
	for i := len(f.popups) - 1; i >= 0; i-- { // the topmost first
		p := &f.popups[i]
		if higher := p.Bounds.H - n.box.H; p.Bounds.W == n.box.W && higher >= 0 && higher <= surroundings {
			return p
		}
	}
	return nil
}

// inPopover returns how far a node is from its box because it is in a popover. For a
// node that was read without its ancestors, it is the distance that was found when
// they were read.
func (f frameWindow) inPopover(n *node) desktop.Point {
	if len(f.popups) == 0 {
		return desktop.Point{}
	}
	m := n
	for ; m.parent != nil; m = m.parent {
		if p := f.popover(m); p != nil {
			from, by := m.parent.box, m.parent.drift()
			return desktop.Point{X: p.Bounds.X - f.shift.X - from.X - by.X, Y: p.Bounds.Y - f.shift.Y - from.Y - by.Y}
		}
	}
	return m.inPopover
}

// rememberPopovers stores that distance for each node of a frame.
func (w *walker) rememberPopovers(f frameWindow) {
	if len(f.popups) == 0 {
		return
	}
	f.frame.each(func(n *node) bool {
		w.app.inPopover.set(n.object, f.inPopover(n))
		return true
	})
}

//go:build linux

package atspi

import (
	"image"

	"understudy/steps/desktop"
)

// GTK 4 counts the box of an element from the corner of what its parent holds, and from
// 4.10 on it adds these up without the borders and paddings of the parents: a box lies
// to the left of and above the element by all of them, and its hit test counts alike.
// Nobody tells of the paddings. But what a parent holds mostly fills it, and a padding
// is mostly the same on both sides, so it is half of what is left over. Where that is
// not so, such as with a row of buttons at the left, it is at most that.

// maxPadding is the widest padding that is thought of: more is room that is left.
const maxPadding = 32

// losesPaddings reports whether the application counts its boxes so.
func (a *application) losesPaddings() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.toolkit == "gtk4" && a.minor >= 10
}

// lost is by how much an object lies to the right of and below its box, and by how much
// more it may.
type lost struct{ is, more desktop.Point }

// addPaddings works out what the boxes below a node lost.
func (w *walker) addPaddings(n *node) {
	of := n.padding()
	for _, c := range n.compact() {
		c.lost = lost{plus(n.lost.is, of.is), plus(n.lost.more, of.more)}
		w.app.remembered.setLost(c.object, c.lost)
		w.addPaddings(c)
	}
}

// padding is what lies between the corner of a node and the corner of what it holds.
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
	is := most
	if least := min(most.X, most.Y); !isControl(n) { // what is left over in one direction only is room
		is = desktop.Point{X: least, Y: least}
	}
	return lost{is, desktop.Point{X: most.X - is.X, Y: most.Y - is.Y}}
}

func plus(a, b desktop.Point) desktop.Point { return desktop.Point{X: a.X + b.X, Y: a.Y + b.Y} }

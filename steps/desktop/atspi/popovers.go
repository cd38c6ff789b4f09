//go:build linux

package atspi

import (
	"strings"

	"understudy/steps/desktop"
)

// GTK 4 counts what is in a popover from the corner of the widget that opened it, as if
// the popover began there. Where its window is, the X server knows.

// surroundings is how much higher a popover's window is than its box, at most.
const surroundings = 40

// popover returns the window of a node that is a popover of GTK 4, or nil. Where its name
// was not read, it is told by its size, and by reaching out of its parent.
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

// inPopover returns by how much a node lies elsewhere because it is in a popover. Of one
// that was read without its ancestors it is what was found when they were read.
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

// rememberPopovers stores where what is in popovers lies.
func (w *walker) rememberPopovers(f frameWindow) {
	if len(f.popups) == 0 {
		return
	}
	f.frame.each(func(n *node) bool {
		w.app.remembered.setInPopover(n.object, f.inPopover(n))
		return true
	})
}

//go:build linux

package atspi

import "understudy/internal/desktop"

// swingShift returns how far the boxes in a root pane of Swing are off. Of a window that was
// moved and resized at once, such as one that was maximized, Swing reports the old position. The
// pane fills the window, and its frame has no box.
func (f frameWindow) swingShift(pane *node) (by desktop.Point) {
	in := f.window.Inside
	if f.popup || pane == nil || pane.parent == nil || !pane.parent.box.Empty() || pane.box.Empty() || pane.box.W != in.W || pane.box.H != in.H {
		return by
	}
	return desktop.Point{X: in.X - pane.box.X, Y: in.Y - pane.box.Y}
}

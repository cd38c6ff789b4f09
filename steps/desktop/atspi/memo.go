//go:build linux

package atspi

import (
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// settleFor is how long the application and the window system must differ in
// the same way on a window's position until that becomes the agreement.
// Browsers learn of a move only after half a second.
const settleFor = 600 * time.Millisecond

// An agreement is the offset of a frame, as the application reports it, from
// its window, as the window system reports it. It stays the same wherever the
// window goes; while the window is being moved it does not, because the
// application learns of that a moment later.
type agreement struct {
	gap   desktop.Rect // from the window to the frame
	other desktop.Rect // the current gap while it differs
	since time.Time    // when it began to differ
}

// settled reports whether a frame and its window differ as they did before.
func (h *remembered) settled(f frameWindow, now time.Time) bool {
	w := f.window.Bounds
	if f.window.ID == 0 || f.popup || f.box.Empty() {
		return true
	}
	gap := desktop.Rect{X: f.box.X - w.X, Y: f.box.Y - w.Y, W: f.box.W - w.W, H: f.box.H - w.H}
	if f.sizeOnly {
		gap.X, gap.Y = 0, 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.agreed == nil {
		h.agreed = map[dbus.ObjectPath]agreement{}
	}
	a, known := h.agreed[f.framePath]
	switch {
	case !known || a.gap == gap:
		a = agreement{gap: gap}
	case a.since.IsZero() || a.other != gap:
		a.other, a.since = gap, now
	case now.Sub(a.since) >= settleFor: // such as a window that lost its border when maximized
		a = agreement{gap: gap}
	}
	h.agreed[f.framePath] = a
	return a.gap == gap
}

//go:build linux

package atspi

import (
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// settleFor is how long an application and the window system must differ in the
// same way on where a window is, until that is how it lies. Browsers learn of a
// move only after half a second.
const settleFor = 600 * time.Millisecond

// An agreement is how a frame lies in its window: as far as the application
// says where the one, and the window system where the other is. It stays the
// same wherever the window goes; while the window is being moved, it does not,
// because the application learns of that a moment later.
type agreement struct {
	gap   desktop.Rect // of the frame from the window
	other desktop.Rect // what it seems to be now, while that is different
	since time.Time    // when it began to be different
}

// settled says whether a frame and its window agree as they have done.
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
	case now.Sub(a.since) >= settleFor: // such as a maximized window, which has no border
		a = agreement{gap: gap}
	}
	h.agreed[f.framePath] = a
	return a.gap == gap
}

//go:build linux

package atspi

import (
	"maps"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// A memo remembers a value per object. It forgets everything rather than grow
// without bound.
type memo[V comparable] struct {
	mu     sync.Mutex
	values map[object]V
}

// set stores the value of an object.
func (m *memo[V]) set(o object, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var zero V
	if v == zero {
		delete(m.values, o)
		return
	}
	if m.values == nil || len(m.values) > maxNodes {
		m.values = map[object]V{}
	}
	m.values[o] = v
}

// get returns the value of an object, or the zero value.
func (m *memo[V]) get(o object) V {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.values[o]
}

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

// agreements are those of the frames of one application.
type agreements struct {
	mu      sync.Mutex
	byFrame map[dbus.ObjectPath]agreement
}

// settled reports whether a frame and its window differ as they did before.
func (s *agreements) settled(f frameWindow, now time.Time) bool {
	w := f.window.Bounds
	if f.window.ID == 0 || f.popup || f.box.Empty() {
		return true
	}
	gap := desktop.Rect{X: f.box.X - w.X, Y: f.box.Y - w.Y, W: f.box.W - w.W, H: f.box.H - w.H}
	if f.sizeOnly {
		gap.X, gap.Y = 0, 0
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byFrame == nil {
		s.byFrame = map[dbus.ObjectPath]agreement{}
	}
	a, known := s.byFrame[f.framePath]
	switch {
	case !known || a.gap == gap:
		a = agreement{gap: gap}
	case a.since.IsZero() || a.other != gap:
		a.other, a.since = gap, now
	case now.Sub(a.since) >= settleFor: // such as a window that lost its border when maximized
		a = agreement{gap: gap}
	}
	s.byFrame[f.framePath] = a
	return a.gap == gap
}

// retain drops the agreements of frames that are gone.
func (s *agreements) retain(frames []*node) {
	s.mu.Lock()
	defer s.mu.Unlock()
	there := map[dbus.ObjectPath]bool{}
	for _, f := range frames {
		there[f.path] = true
	}
	maps.DeleteFunc(s.byFrame, func(frame dbus.ObjectPath, _ agreement) bool { return !there[frame] })
}

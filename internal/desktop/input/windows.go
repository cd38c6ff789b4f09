package input

import (
	"fmt"
	"time"

	"understudy/internal/desktop"
)

// VerifyTarget fails with desktop.ErrMoved unless the window of a click is where it was
// seen, and topmost at the point. The window as it is now is nil if it has been closed.
func VerifyTarget(a desktop.Click, now *desktop.Window, topmost bool) error {
	switch {
	case now == nil:
		return fmt.Errorf("the window %q is gone: %w", a.In.Title, desktop.ErrMoved)
	case now.Bounds != a.In.Bounds:
		return fmt.Errorf("the window %q moved from %s to %s: %w", a.In.Title, a.In.Bounds, now.Bounds, desktop.ErrMoved)
	case !topmost:
		return fmt.Errorf("the window %q came under another one at %s: %w", a.In.Title, a.At, desktop.ErrMoved)
	}
	return nil
}

// VerifyStayed fails with desktop.ErrUnclear if a window moved while it was clicked. If its
// size changed too, the click itself did that, such as a double click on a title bar.
func VerifyStayed(w, now desktop.Window) error {
	if now.Bounds == w.Bounds || now.Bounds.W != w.Bounds.W || now.Bounds.H != w.Bounds.H {
		return nil
	}
	return fmt.Errorf("the window %q moved from %s to %s while it was clicked: %w", w.Title, w.Bounds, now.Bounds, desktop.ErrUnclear)
}

// calm is how long a window must keep its bounds before it counts as settled, there or in a place
// other than requested: some windows grow only in steps.
const calm = 150 * time.Millisecond

// Settling tracks whether a window has settled.
type Settling struct {
	bounds desktop.Rect
	since  time.Time
}

// Settled reports whether the window, which has these bounds now, has kept them for some time.
func (s *Settling) Settled(now desktop.Rect) bool {
	if now != s.bounds || s.since.IsZero() {
		s.bounds, s.since = now, time.Now()
	}
	return time.Since(s.since) > calm
}

package watch

import (
	"context"
	"slices"

	"understudy/internal/desktop"
)

// Watches reports whether the recording has seen the pointer at a point.
func (s *Session) Watches(at desktop.Point) (is bool) {
	_ = s.order(func(context.Context) error {
		is = s.recording.at == at
		return nil
	})
	return is
}

// Knows reports whether the recording has seen a window.
func (s *Session) Knows(id desktop.WindowID) (is bool) {
	_ = s.order(func(context.Context) error {
		is = slices.ContainsFunc(s.recording.windows, func(w desktop.Window) bool { return w.ID == id })
		return nil
	})
	return is
}

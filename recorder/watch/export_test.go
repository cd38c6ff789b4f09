package watch

import (
	"slices"

	"understudy/steps/desktop"
)

// Watches reports whether the recording has seen the pointer at a point.
func (s *Session) Watches(at desktop.Point) bool {
	p := &s.recording.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at == at
}

// Knows reports whether the recording has seen a window.
func (s *Session) Knows(id desktop.WindowID) bool {
	p := &s.recording.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.ContainsFunc(p.windows, func(w desktop.Window) bool { return w.ID == id })
}

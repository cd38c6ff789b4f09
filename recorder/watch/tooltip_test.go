package watch

import (
	"testing"

	"understudy/internal/testing/fake"
	"understudy/recorder"
)

// A tooltip goes when the pointer moves to it, so nobody presses on one.
func TestAPressIsInTheWindowUnderATooltip(t *testing.T) {
	seen, _, _ := record(t, func(s *stand) {
		s.Open(fake.Window("", "login").At(30, 135, 60, 20).Tooltip(true))
		s.clicks("role:button && name:OK")
	})
	for _, ev := range seen {
		if ev.Type == recorder.Pressed && (ev.Window == nil || ev.Window.Title != "Login") {
			t.Errorf("the press is in the window %+v, want Login", ev.Window)
		}
	}
}

//go:build linux

package atspi

import (
	"testing"
	"time"

	"understudy/internal/desktop"
)

// A window is at rest when the application and the window system have agreed
// for a while on how it lies.
func TestAWindowThatIsMovedIsNotSettledUntilItsApplicationKnows(t *testing.T) {
	var h agreements
	start := time.Now()
	for _, look := range []struct {
		say           string
		after         time.Duration
		frame, window desktop.Rect
		settled       bool
	}{
		{"the first look", 0, desktop.Rect{X: 11, Y: 30, W: 98, H: 70}, desktop.Rect{X: 10, Y: 10, W: 100, H: 91}, true},
		{"nothing changed", 1, desktop.Rect{X: 11, Y: 30, W: 98, H: 70}, desktop.Rect{X: 10, Y: 10, W: 100, H: 91}, true},
		{"both have moved", 2, desktop.Rect{X: 51, Y: 60, W: 98, H: 70}, desktop.Rect{X: 50, Y: 40, W: 100, H: 91}, true},
		{"the window has moved, and the application does not know it", 3, desktop.Rect{X: 51, Y: 60, W: 98, H: 70}, desktop.Rect{X: 90, Y: 40, W: 100, H: 91}, false},
		{"nor does it a little later", 500, desktop.Rect{X: 51, Y: 60, W: 98, H: 70}, desktop.Rect{X: 90, Y: 40, W: 100, H: 91}, false},
		{"now it does", 510, desktop.Rect{X: 91, Y: 60, W: 98, H: 70}, desktop.Rect{X: 90, Y: 40, W: 100, H: 91}, true},
		{"it is maximized and has no border", 600, desktop.Rect{W: 1000, H: 700}, desktop.Rect{W: 1000, H: 700}, false},
		{"and stays so", 1100, desktop.Rect{W: 1000, H: 700}, desktop.Rect{W: 1000, H: 700}, false},
		{"for good", 1201, desktop.Rect{W: 1000, H: 700}, desktop.Rect{W: 1000, H: 700}, true},
		{"it has its border again", 1300, desktop.Rect{X: 11, Y: 30, W: 98, H: 70}, desktop.Rect{X: 10, Y: 10, W: 100, H: 91}, false},
	} {
		f := frameWindow{framePath: "/f", window: desktop.Window{ID: 1, Bounds: look.window}, box: look.frame}
		if got := h.settled(f, start.Add(look.after*time.Millisecond)); got != look.settled {
			t.Errorf("%s: settled %v, want %v", look.say, got, look.settled)
		}
	}
	popup := frameWindow{framePath: "/p", popup: true, window: desktop.Window{ID: 1}, box: desktop.Rect{X: 1, W: 9, H: 9}}
	for range 2 {
		popup.box.X += 10
		if !h.settled(popup, start) {
			t.Error("a popup lies where it likes")
		}
	}
}

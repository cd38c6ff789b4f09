//go:build linux

package wayland

import (
	"image"
	"testing"

	"understudy/internal/desktop"
)

// A picture of a screen whose size is no whole number of points is of that screen.
func TestAPictureAtAFractionalScale(t *testing.T) {
	whole := image.NewRGBA(image.Rect(0, 0, 1366, 768))
	for _, row := range []struct {
		screen desktop.Size // in points
		is     bool
	}{{desktop.Size{W: 1366, H: 768}, true}, {desktop.Size{W: 1093, H: 614}, true}, {desktop.Size{W: 911, H: 512}, true}, {desktop.Size{W: 1366, H: 1000}, false}} {
		all := desktop.Rect{W: row.screen.W, H: row.screen.H}
		picture, err := partOf(whole, all, all)
		if (err == nil) != row.is || row.is && picture.Rect.Size() != all.Image().Size() {
			t.Errorf("of %s: %v", row.screen, err)
		}
	}
}

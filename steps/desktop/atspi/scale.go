//go:build linux

package atspi

import (
	"cmp"
	"image"
	"math"

	"understudy/steps/desktop"
)

// Where a person has larger fonts or a screen of many points, Qt 6 draws all larger and
// tells boxes as they would be without that: all of the screen's points, times a factor.
// The window that the X server knows tells which.

// unscaled is how far from 1 a factor must be, and how many points its edges may be off.
const unscaled, rounding = 0.05, 2

// measure finds the factor of the boxes of a frame whose window is known.
func (f *frameWindow) measure(w desktop.Window) {
	is := cmp.Or(w.Inside, w.Bounds).Image()
	says := f.box.Image()
	if says.Empty() || is.Empty() || says.Max.X <= 0 {
		return
	}
	by := float64(is.Max.X) / float64(says.Max.X)
	if diff := scaled(says, by).Min.Sub(is.Min); math.Abs(by-1) < unscaled || !tiny(diff) || !tiny(scaled(says, by).Max.Sub(is.Max)) {
		return
	}
	f.scale, f.box = by, desktop.RectOf(is)
}

func tiny(p image.Point) bool { return max(p.X, -p.X, p.Y, -p.Y) <= rounding }

func scaled(r image.Rectangle, by float64) image.Rectangle {
	times := func(n int) int { return int(math.Round(float64(n) * by)) }
	return image.Rect(times(r.Min.X), times(r.Min.Y), times(r.Max.X), times(r.Max.Y))
}

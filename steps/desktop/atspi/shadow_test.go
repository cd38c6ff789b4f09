//go:build linux

package atspi

import (
	"testing"

	"understudy/steps/desktop"
)

func TestWhatShowsOfAFrameWithAShadow(t *testing.T) {
	rect := func(x, y, w, h int) desktop.Rect { return desktop.Rect{X: x, Y: y, W: w, H: h} }
	dialog, browser := rect(0, 0, 307, 251), rect(0, 0, 1050, 880)
	for _, c := range []struct {
		say        string
		box, frame desktop.Rect
		size       desktop.Size
		want       desktop.Rect // empty: it is not told
	}{
		{"the title bar of a dialog", rect(26, 23, 255, 37), dialog, desktop.Size{W: 255, H: 199}, rect(26, 23, 255, 199)},
		{"what a dialog keeps from its edges", rect(33, 67, 241, 148), dialog, desktop.Size{W: 255, H: 199}, rect(0, 0, 0, 0)},
		{"what is below the title bar of a browser", rect(16, 32, 1018, 816), browser, desktop.Size{W: 1018, H: 838}, rect(16, 10, 1018, 838)},
		{"a bar in the middle", rect(16, 200, 1018, 56), browser, desktop.Size{W: 1018, H: 838}, rect(0, 0, 0, 0)},
		{"a box with another shadow on the right", rect(10, 32, 1018, 816), browser, desktop.Size{W: 1018, H: 838}, rect(0, 0, 0, 0)},
		{"a frame without a shadow", rect(0, 0, 1050, 30), browser, desktop.Size{W: 1050, H: 880}, rect(0, 0, 0, 0)},
	} {
		t.Run(c.say, func(t *testing.T) {
			if got, told := showsAround(c.box, c.frame, c.size); got != c.want || told == c.want.Empty() {
				t.Errorf("got %v, %v; want %v", got, told, c.want)
			}
		})
	}
}

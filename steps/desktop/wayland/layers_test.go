//go:build linux

package wayland

import (
	"strings"
	"testing"

	"understudy/steps/desktop"
)

// A label is as wide as its characters, whatever they are, and on the screen even if the element
// is at its top.
func TestALabelIsWhole(t *testing.T) {
	width := func(label string) int {
		picture, _ := drawMark(desktop.Mark{Area: desktop.Rect{X: 50, Y: 50, W: 9, H: 9}, Label: label})
		return picture.Rect.Dx()
	}
	if plain, other := width(strings.Repeat("o", 20)), width(strings.Repeat("ö", 20)); plain != other {
		t.Errorf("a label of twenty ö is %d wide, and one of twenty o %d", other, plain)
	}
	if _, at := drawMark(desktop.Mark{Area: desktop.Rect{X: 50, Y: 5, W: 90, H: 40}, Label: "here"}); at.Y < 0 {
		t.Errorf("the mark of an element at the top begins at %s, above the screen", at)
	}
}

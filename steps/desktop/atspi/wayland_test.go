//go:build linux

package atspi

import (
	"slices"
	"testing"

	"understudy/steps/desktop"
)

// The sizes that an application and the compositor tell of a window say where its
// boxes count from, or that this cannot be said.
func TestSizesTellWhereBoxesCountFrom(t *testing.T) {
	window := desktop.Window{Bounds: desktop.Rect{X: 100, Y: 75, W: 400, H: 325}, Content: desktop.Rect{X: 100, Y: 100, W: 400, H: 300}}
	filled := &desktop.Rect{X: 26, Y: 23, W: 400, H: 300}
	for say, row := range map[string]struct {
		frame *node
		want  desktop.Point
		known bool
	}{
		"what it draws":                             {frame("w", 0, 0, 400, 300), desktop.Point{X: 100, Y: 100}, true},
		"that and its shadow":                       {&node{box: desktop.Rect{W: 452, H: 352}, drawnIn: filled}, desktop.Point{X: 74, Y: 77}, true},
		"a shadow of which nothing tells the width": {frame("w", 0, 0, 452, 352), desktop.Point{}, false},
		"what is below a title bar of its own":      {frame("w", 0, 0, 398, 260), desktop.Point{X: 101, Y: 139}, true},
		"the pixels of a device at scale 2":         {&node{box: desktop.Rect{W: 800, H: 600}, drawnIn: filled}, desktop.Point{}, false},
	} {
		if got, known := contentOf(row.frame, window); known != row.known || got != row.want {
			t.Errorf("%s: %s, %v, want %s, %v", say, got, known, row.want, row.known)
		}
	}
}

// In a page of a browser at scale 2, boxes are in pixels of the device, around it in
// points of the screen.
func TestPagesCountPixels(t *testing.T) {
	document := uint32(slices.Index(roleNames, "document web"))
	for say, row := range map[string]struct {
		page desktop.Rect
		want desktop.Rect
	}{
		"scale 1":                           {desktop.Rect{X: 10, Y: 153, W: 1276, H: 730}, desktop.Rect{X: 621, Y: 169, W: 54, H: 21}},
		"scale 2":                           {desktop.Rect{X: 20, Y: 306, W: 2552, H: 1460}, desktop.Rect{X: 311, Y: 85, W: 27, H: 10}},
		"wider than what is around, beside": {desktop.Rect{X: 400, Y: 153, W: 2552, H: 730}, desktop.Rect{X: 621, Y: 169, W: 54, H: 21}},
	} {
		around := &node{box: desktop.Rect{X: 10, Y: 153, W: 1276}}
		page := &node{box: row.page, parent: around}
		page.role = document
		button := &node{box: desktop.Rect{X: 621, Y: 169, W: 54, H: 21}, parent: page}
		if got := button.inPoints(button.box); got != row.want {
			t.Errorf("%s: %s, want %s", say, got, row.want)
		}
	}
}

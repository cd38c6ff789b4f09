//go:build linux

package atspi

import (
	"slices"
	"testing"

	"understudy/internal/desktop"
)

// The sizes that an application and the compositor tell of a window say where its
// boxes count from, or that this cannot be said.
func TestSizesShowTheOriginOfBoxes(t *testing.T) {
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
		"more than is drawn, so far":                {&node{box: desktop.Rect{W: 694, H: 467}, origin: &desktop.Point{X: 3, Y: 30}}, desktop.Point{X: 103, Y: 130}, true},
		"less than is still drawn":                  {&node{box: desktop.Rect{W: 294, H: 167}, origin: &desktop.Point{X: 3, Y: 30}}, desktop.Point{X: 103, Y: 130}, true},
		"less than is drawn, from the first":        {frame("w", 0, 0, 300, 260), desktop.Point{}, false},
		"nothing":                                   {&node{}, desktop.Point{}, false},
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

func TestVisiblePartOfAFrameWithAShadow(t *testing.T) {
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

// The field of a combo box shows while its list is closed: it is in no popup.
func TestFieldOfAClosedComboBoxIsInNoPopup(t *testing.T) {
	made := func(role string, states uint64, parent *node) *node {
		return &node{basics: basics{role: uint32(slices.Index(roleNames, role)), states: states}, parent: parent}
	}
	box := made("combo box", 0, made("panel", 0, nil))
	for _, c := range []struct {
		say  string
		part *node
		want bool
	}{
		{"a field", made("text", 1<<bitEditable, box), false},
		{"a button", made("toggle button", 0, box), false},
		{"an option", made("list item", 0, box), true},
		{"an option of a menu", made("menu item", 0, made("menu", 0, box)), true},
	} {
		if got := c.part.inPopup(); got != c.want {
			t.Errorf("%s: %v, want %v", c.say, got, c.want)
		}
	}
}

//go:build linux

package atspi

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
)

func frame(name string, x, y, w, h int) *node {
	return &node{basics: basics{name: name}, box: desktop.Rect{X: x, Y: y, W: w, H: h}}
}

func win(id desktop.WindowID, pid int, title string, x, y, w, h int) desktop.Window {
	return desktop.Window{ID: id, PID: pid, Title: title, Bounds: desktop.Rect{X: x, Y: y, W: w, H: h}}
}

// drawn is a window of a desktop where applications do not know where theirs are.
func drawn(w desktop.Window) desktop.Window {
	w.Content = w.Bounds
	return w
}

func popup(w desktop.Window) desktop.Window {
	w.Popup = true
	return w
}

func TestFramesFindTheirWindows(t *testing.T) {
	for name, test := range map[string]struct {
		frames   []*node
		windows  []desktop.Window
		relative bool
		want     []desktop.WindowID
		shift    desktop.Point // of the first frame
		scale    bool          // of its boxes, is not 1
	}{
		"by title": {
			frames:  []*node{frame("b", 0, 0, 9, 9), frame("a", 0, 0, 9, 9)},
			windows: []desktop.Window{win(1, 7, "a", 0, 0, 9, 9), win(2, 7, "b", 0, 0, 9, 9)},
			want:    []desktop.WindowID{2, 1},
		},
		"by box, where titles are the same": {
			frames:  []*node{frame("t", 500, 0, 99, 99), frame("t", 0, 0, 99, 99)},
			windows: []desktop.Window{win(1, 7, "t", 0, 0, 100, 120), win(2, 7, "t", 500, 0, 100, 120)},
			want:    []desktop.WindowID{2, 1},
		},
		"by box, where the frame has no name": {
			frames:  []*node{frame("", 0, 0, 100, 100)},
			windows: []desktop.Window{win(1, 7, "titled", 0, 0, 100, 100)},
			want:    []desktop.WindowID{1},
		},
		"not that of another process": {
			frames:  []*node{frame("a", 0, 0, 9, 9)},
			windows: []desktop.Window{win(1, 8, "a", 0, 0, 9, 9)},
			want:    []desktop.WindowID{0},
		},
		"one that does not say its process": {
			frames:  []*node{frame("a", 0, 0, 9, 9)},
			windows: []desktop.Window{win(1, 0, "a", 0, 0, 9, 9)},
			want:    []desktop.WindowID{1},
		},
		"a menu goes with the topmost window": {
			frames:  []*node{frame("main", 0, 0, 500, 500), frame("", 100, 100, 50, 80)},
			windows: []desktop.Window{win(1, 7, "main", 0, 0, 500, 500), win(2, 7, "other", 600, 0, 99, 99)},
			want:    []desktop.WindowID{1, 2},
		},
		"a popup of Wayland that is listed is not taken for a place, and goes with its window": {
			frames:   []*node{frame("main", 0, 0, 500, 500), frame("", 0, 0, 50, 80)},
			windows:  []desktop.Window{drawn(win(1, 7, "main", 0, 0, 500, 500)), popup(drawn(win(2, 7, "", 600, 0, 50, 80)))},
			relative: true,
			want:     []desktop.WindowID{1, 1},
		},
		"a window of GTK 4 with a shadow": {
			frames:   []*node{frame("g", 0, 0, 90, 90)},
			windows:  []desktop.Window{win(1, 7, "g", 300, 200, 100, 100)},
			relative: true,
			want:     []desktop.WindowID{1}, shift: desktop.Point{X: 305, Y: 205},
		},
		"a window of GTK 4 with the title of a window manager": {
			frames:   []*node{frame("g", 0, 0, 98, 98)},
			windows:  []desktop.Window{win(1, 7, "g", 300, 200, 100, 120)},
			relative: true,
			want:     []desktop.WindowID{1}, shift: desktop.Point{X: 301, Y: 221},
		},
		"a window of Qt 6 with larger fonts, and its menu": {
			frames:  []*node{frame("q", 584, 255, 208, 274), frame("", 590, 274, 40, 60)},
			windows: []desktop.Window{win(1, 7, "q", 815, 356, 290, 382)},
			want:    []desktop.WindowID{1, 1}, scale: true,
		},
		"one that was moved, of which the application has not heard": {
			frames:  []*node{frame("q", 584, 255, 208, 274)},
			windows: []desktop.Window{win(1, 7, "q", 415, 356, 208, 274)},
			want:    []desktop.WindowID{1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			list := matchWindows(test.frames, test.windows, 7, test.relative)
			var got []desktop.WindowID
			for _, f := range list {
				got = append(got, f.window.ID)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
			if list[0].shift != test.shift {
				t.Errorf("shift %v, want %v", list[0].shift, test.shift)
			}
			for _, f := range list {
				if (f.scale != 0) != test.scale {
					t.Errorf("scale %v, want one: %v", f.scale, test.scale)
				}
			}
		})
	}
}

func TestTheNearestWordsNameAField(t *testing.T) {
	const entry, label, button, dialog = 79, 29, 43, 16
	at := func(role uint32, name string, x, y, w, h int) *node {
		return &node{basics: basics{role: role, name: name}, box: desktop.Rect{X: x, Y: y, W: w, H: h}}
	}
	on := func(role uint32, n *node) *node {
		n.parent = at(role, "", n.box.X, n.box.Y, n.box.W, n.box.H)
		return n
	}
	for name, test := range map[string]struct {
		field *node
		words []*node
		want  string
	}{
		"left":                   {at(entry, "", 100, 50, 100, 30), []*node{at(label, "Name:", 20, 55, 60, 20)}, "Name:"},
		"above":                  {at(entry, "", 100, 50, 100, 30), []*node{at(label, "Name", 100, 25, 60, 20)}, "Name"},
		"left before above":      {at(entry, "", 100, 50, 100, 30), []*node{at(label, "Up", 100, 25, 60, 20), at(label, "Left", 60, 55, 35, 20)}, "Left"},
		"the nearer of two":      {at(entry, "", 300, 50, 100, 30), []*node{at(label, "Far", 100, 55, 60, 20), at(label, "Near", 240, 55, 50, 20)}, "Near"},
		"not right of it":        {at(entry, "", 100, 50, 100, 30), []*node{at(label, "Unit", 210, 55, 60, 20)}, ""},
		"not below it":           {at(entry, "", 100, 50, 100, 30), []*node{at(label, "Help", 100, 85, 60, 20)}, ""},
		"not in another row":     {at(entry, "", 100, 50, 100, 30), []*node{at(label, "Other", 20, 10, 60, 20)}, ""},
		"not too far":            {at(entry, "", 600, 50, 100, 30), []*node{at(label, "Far", 20, 55, 60, 20)}, ""},
		"not a whole sentence":   {at(entry, "", 100, 50, 100, 30), []*node{at(label, "Please be so kind as to fill in this form at once, all of it.", 100, 25, 60, 20)}, ""},
		"not those on a button":  {at(entry, "", 100, 50, 100, 30), []*node{on(button, at(label, "Open", 20, 55, 60, 20))}, ""},
		"not those in a dialog":  {at(entry, "", 100, 50, 100, 30), []*node{on(dialog, at(label, "Replace:", 20, 55, 60, 20))}, ""},
		"not of a button":        {at(button, "", 100, 50, 100, 30), []*node{at(label, "Name", 20, 55, 60, 20)}, ""},
		"not of what has a name": {at(entry, "Own", 100, 50, 100, 30), []*node{at(label, "Name", 20, 55, 60, 20)}, ""},
	} {
		labelByPlace(&node{children: append(test.words, test.field)})
		if got := test.field.details.label; got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestScrollingIsNoFurtherThanNeeded(t *testing.T) {
	for name, test := range map[string]struct{ from, size, view, viewSize, want int }{
		"in view":             {10, 5, 0, 100, 0},
		"below":               {110, 20, 0, 100, 30},
		"above":               {-30, 20, 0, 100, -30},
		"half out at the end": {90, 20, 0, 100, 10},
		"larger than the view shows its beginning": {50, 200, 0, 100, 50},
	} {
		if got := missing(test.from, test.size, test.view, test.viewSize); got != test.want {
			t.Errorf("%s: %d, want %d", name, got, test.want)
		}
	}
}

func TestPruningCountsWhatItLeavesOut(t *testing.T) {
	leaf := func() *desktop.Element { return &desktop.Element{} }
	tree := func() *desktop.Tree {
		return &desktop.Tree{Roots: []*desktop.Element{
			{Children: []*desktop.Element{leaf(), {Children: []*desktop.Element{leaf(), leaf()}}}},
			{Children: []*desktop.Element{leaf()}},
		}}
	}
	for limit, want := range map[int]int{0: 0, 1: 6, 3: 4, 6: 1, 7: 0, 99: 0} {
		pruned := tree()
		omitted := prune(pruned, limit)
		kept := 0
		pruned.Walk(func(*desktop.Element) bool { kept++; return true })
		if omitted != want || kept+omitted != 7 {
			t.Errorf("limit %d: kept %d, omitted %d, want %d", limit, kept, omitted, want)
		}
	}
}

func TestAPageIsReportedInPixelsInAScaledWindow(t *testing.T) {
	const documentWeb, button = 95, 43
	around := &node{box: desktop.Rect{X: 10, Y: 40, W: 700, H: 500}}
	page := &node{basics: basics{role: documentWeb}, box: desktop.Rect{X: 13, Y: 52, W: 910, H: 650}, parent: around}
	inPage := &node{basics: basics{role: button}, box: desktop.Rect{X: 92, Y: 103, W: 78, H: 27}, parent: page}
	beside := &node{basics: basics{role: button}, box: desktop.Rect{X: 100, Y: 10, W: 50, H: 20}, parent: around}
	f := frameWindow{scale: 1.3}
	if got := f.onScreen(inPage); got != inPage.box {
		t.Errorf("the button in the page is at %v, wanted %v", got, inPage.box)
	}
	if got, want := f.onScreen(beside), (desktop.Rect{X: 130, Y: 13, W: 65, H: 26}); got != want {
		t.Errorf("the button beside it is at %v, wanted %v", got, want)
	}
	if got, want := f.inNode(inPage, desktop.Point{X: 95, Y: 110}), (desktop.Point{X: 95, Y: 110}); got != want {
		t.Errorf("the point in the page is %v, wanted %v", got, want)
	}
}

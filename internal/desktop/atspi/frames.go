//go:build linux

package atspi

import (
	"cmp"
	"image"
	"math"
	"slices"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// A frameWindow is a frame of an application, matched to its window on the
// screen.
type frameWindow struct {
	framePath dbus.ObjectPath  // of the frame
	name      string           // of the frame
	frame     *node            // or an element in it, if only that is read
	window    desktop.Window   // zero if there is none
	popup     bool             // the window is its application's, not its own
	scale     float64          // of the application's boxes, 0 for 1
	shift     desktop.Point    // to add to the application's boxes
	box       desktop.Rect     // of the frame, as the application reports it
	sizeOnly  bool             // the application knows its size but not its position
	nowhere   bool             // the position of the boxes is not known
	popups    []desktop.Window // of the application, if it does not know their positions
}

// matchWindows finds the window of each frame of one process, by title, then by
// box. Menus and other popups are not managed windows: they belong to the
// topmost window of their application, which opened them.
func matchWindows(frames []*node, windows []desktop.Window, pid int, relative bool) []frameWindow {
	own := ownWindows(windows, pid)
	list := make([]frameWindow, len(frames))
	var popups []desktop.Window
	if relative {
		popups = slices.DeleteFunc(slices.Clone(own), func(w desktop.Window) bool { return !w.Popup })
	}
	for i, f := range frames {
		list[i] = frameWindow{framePath: f.path, name: f.name, frame: f, box: f.box, sizeOnly: relative, popups: popups}
	}
	type pair struct {
		frame, window int
		score         float64
	}
	var pairs []pair
	for i, f := range frames {
		for j, w := range own {
			if s := similarity(f, w, relative); s > 0 && !(placeless(w) && w.Popup) { // the origin of a popup's boxes is not known
				pairs = append(pairs, pair{i, j, s})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int { return cmp.Compare(b.score, a.score) })
	taken := map[desktop.WindowID]bool{}
	for _, p := range pairs { // the best first
		f, w := &list[p.frame], own[p.window]
		if f.window.ID != 0 || taken[w.ID] {
			continue
		}
		f.window, taken[w.ID] = w, true
		if relative {
			f.place(w)
		} else {
			f.measure(w)
		}
	}
	assignPopups(list, own)
	return list
}

// place sets the position of a frame's boxes on the screen.
func (f *frameWindow) place(w desktop.Window) {
	if !w.Unplaced.Empty() {
		f.nowhere = true
		return
	}
	if placeless(w) {
		var known bool
		f.shift, known = contentOf(f.frame, w)
		f.nowhere = !known
		return
	}
	f.shift = offset(f.frame.box, cmp.Or(w.Inside, w.Bounds))
}

// minScaling is how far from 1 the scale of a frame must be, and rounding how many
// pixels its edges may be off.
const minScaling, rounding = 0.05, 2

// measure finds the scale of a frame from its window. With larger fonts or on a
// screen of high resolution, Qt 6 draws everything larger and reports the boxes
// without that, all points of the screen divided by one factor.
func (f *frameWindow) measure(w desktop.Window) {
	actual := cmp.Or(w.Inside, w.Bounds).Image()
	reported := f.box.Image()
	if reported.Empty() || actual.Empty() || reported.Max.X <= 0 {
		return
	}
	by := float64(actual.Max.X) / float64(reported.Max.X)
	if diff := scaled(reported, by).Min.Sub(actual.Min); math.Abs(by-1) < minScaling || !tiny(diff) || !tiny(scaled(reported, by).Max.Sub(actual.Max)) {
		return
	}
	f.scale, f.box = by, desktop.RectOf(actual)
}

func tiny(p image.Point) bool { return max(p.X, -p.X, p.Y, -p.Y) <= rounding }

func scaled(r image.Rectangle, by float64) image.Rectangle {
	times := func(n int) int { return int(math.Round(float64(n) * by)) }
	return image.Rect(times(r.Min.X), times(r.Min.Y), times(r.Max.X), times(r.Max.Y))
}

// ownWindows returns the windows of a process, or those without a PID if it has
// none.
func ownWindows(windows []desktop.Window, pid int) []desktop.Window {
	var own, orphans []desktop.Window
	for _, w := range windows {
		switch w.PID {
		case pid:
			own = append(own, w)
		case 0:
			orphans = append(orphans, w)
		}
	}
	if own == nil {
		return orphans
	}
	return own
}

// similarity scores how well a frame fits a window; 0 is no match.
func similarity(f *node, w desktop.Window, relative bool) float64 {
	if w.ID == frameID(f.object) { // listed by FrameWindows
		return 4
	}
	box := f.box
	if relative {
		box.X, box.Y = w.Bounds.X, w.Bounds.Y
	}
	score := 0.0
	if f.name != "" && f.name == w.Title {
		score += 2
	}
	if both := box.Intersect(w.Bounds); !both.Empty() {
		shared := float64(both.W) * float64(both.H)
		all := float64(box.W)*float64(box.H) + float64(w.Bounds.W)*float64(w.Bounds.H) - shared
		score += shared / all
	}
	if score < 0.5 {
		return 0 // a popup over its window is not that window
	}
	return score
}

// offset returns the distance from the origin of a frame's boxes to the content
// of its window. If the window includes the window manager's frame, the border is
// equal on three sides; the rest of the height is the title bar.
func offset(frame, window desktop.Rect) desktop.Point {
	border := max(0, (window.W-frame.W)/2)
	title := max(0, window.H-frame.H-border)
	if window.H-frame.H <= 2*border { // a shadow, not a title
		title = max(0, (window.H-frame.H)/2)
	}
	return desktop.Point{X: window.X + border - frame.X, Y: window.Y + title - frame.Y}
}

// assignPopups gives the unmatched frames the topmost window of the
// application.
func assignPopups(list []frameWindow, own []desktop.Window) {
	if len(own) == 0 {
		return
	}
	top := own[len(own)-1]
	for i := len(own) - 1; i >= 0 && placeless(top) && top.Popup; i-- { // also where popups are listed
		top = own[i]
	}
	for i := range list {
		if list[i].window.ID != 0 {
			continue
		}
		list[i].window, list[i].popup = top, true
		list[i].nowhere = placeless(top) || !top.Unplaced.Empty()
		for _, l := range list {
			if l.window.ID == top.ID && l.shift != (desktop.Point{}) {
				list[i].shift = l.shift
			}
			list[i].scale = cmp.Or(list[i].scale, l.scale)
		}
	}
}

// in reports whether a scope includes this frame.
func (f frameWindow) in(s desktop.Scope) bool {
	if s.Window != 0 && f.window.ID != s.Window {
		return false
	}
	return s.Titled(f.window.Title) || s.Titled(f.name)
}

//go:build linux

package atspi

import (
	"fmt"
	"image"
	"math"
	"strings"

	"understudy/internal/desktop"
)

// On Wayland an application knows the size of its windows and not their position.
// The compositor knows both, but not the origin of the application's boxes: the
// corner of what the application draws, the corner of that with its shadow, or the
// corner below a title bar that the application draws itself. The sizes tell which.
// The position of a popup is known to nobody: its elements have no box, so that they
// are operated by their actions and by keys, and nothing is clicked on a guess.

// placeless reports whether the application does not know where its window is,
// so that the window's Content does.
func placeless(w desktop.Window) bool { return !w.Content.Empty() }

// sizeOnly reports whether boxes of the application are relative to its window.
func (l *loader) sizeOnly() bool { return l.relative() || l.placeless }

// boxesFrom returns the coordinate system of boxes and points.
func (l *loader) boxesFrom() uint32 {
	const onScreen, inWindow = uint32(0), uint32(1)
	if l.sizeOnly() {
		return inWindow
	}
	return onScreen
}

// widestShadow bounds how much larger than its visible part a window may be.
const widestShadow = 150

// widestBorder and tallestBars bound the border that an application draws around its
// window, and the height of that with a title bar.
const widestBorder, tallestBars = 16, 120

// contentOf returns the distance from the origin of a frame's boxes to the screen,
// and false if it is not known.
//
// The sizes may be of two moments for as long as nothing is drawn: the compositor
// knows the size of what was drawn last, the application what it will draw. The origin
// lies in the window where it did when they were of one, and so does what the
// application makes of a press.
func contentOf(f *node, w desktop.Window) (desktop.Point, bool) {
	drawn, reported := w.Content, f.box
	wider, higher := reported.W-drawn.W, reported.H-drawn.H
	var origin desktop.Point // in what is drawn
	switch {
	case wider == 0 && higher == 0:
		origin = desktop.Point{X: -reported.X, Y: -reported.Y}
	case f.drawnIn != nil && wider <= widestShadow && higher <= widestShadow: // a shadow around it
		origin = desktop.Point{X: -f.drawnIn.X, Y: -f.drawnIn.Y}
	case !reported.Empty() && wider <= 0 && higher < 0 && wider >= -2*widestBorder && higher >= -tallestBars: // a title bar of its own
		origin = offset(reported, desktop.Rect{W: drawn.W, H: drawn.H})
	case f.origin != nil:
		origin = *f.origin
	default: // such as a browser, which reports pixels of the device
		return desktop.Point{}, false
	}
	f.origin = &origin
	return plus(desktop.Point{X: drawn.X, Y: drawn.Y}, origin), true
}

// showsAround returns the visible part of a frame with a shadow, given its size and
// the box of an element in it, and false if the box does not tell. The box must be
// as wide as the visible part, with the same shadow on both sides. It is the title
// bar at the top, or reaches down to the bottom. There is no more shadow above than
// below.
func showsAround(box, frame desktop.Rect, size desktop.Size) (shows desktop.Rect, told bool) {
	side, over := frame.W-size.W, frame.H-size.H
	if box.W != size.W || side <= 0 || 2*box.X != side {
		return shows, false
	}
	for _, top := range []int{box.Y, box.Y + box.H - size.H} {
		if top > 0 && 2*top <= over {
			return desktop.Rect{X: box.X, Y: top, W: size.W, H: size.H}, true
		}
	}
	return shows, false
}

// maxShadowDepth bounds how far below a frame the element is looked for that fills
// its window.
const maxShadowDepth = 5

// A shadowSearch finds what fills the visible part of one frame.
type shadowSearch struct {
	*walker
	frame *node
	sizes map[desktop.Size]bool // of the visible parts of the windows
	parts image.Rectangle       // the union of the frame's children, such as a header bar and what is below it
	wide  desktop.Rect          // the visible part as showsAround finds it
}

// findShadows finds the visible part of each frame that is larger than every
// visible part of a window: the rest of the frame is shadow.
func (w *walker) findShadows(frames []*node) error {
	sizes := map[desktop.Size]bool{}
	for _, win := range ownWindows(w.query.windows, w.app.pid) {
		if placeless(win) {
			sizes[sizeOf(win.Content)] = true
		}
	}
	var searches []*shadowSearch
	for _, f := range frames {
		if len(sizes) > 0 && !sizes[sizeOf(f.box)] {
			s := &shadowSearch{walker: w, frame: f, sizes: sizes}
			s.searchBelow(f.object, 1)
			searches = append(searches, s)
		}
	}
	if err := w.run(); err != nil {
		return err
	}
	for _, s := range searches {
		if box := desktop.RectOf(s.parts); s.frame.drawnIn == nil && sizes[sizeOf(box)] {
			s.frame.drawnIn = &box
		}
		if s.frame.drawnIn == nil && !s.wide.Empty() {
			s.frame.drawnIn = &s.wide
		}
	}
	return nil
}

func sizeOf(r desktop.Rect) desktop.Size { return desktop.Size{W: r.W, H: r.H} }

// searchBelow looks at the children of an object at a level below the frame, the
// first being 1.
func (s *shadowSearch) searchBelow(o object, level int) {
	s.want(o, ifaceAccessible+".GetChildren", func(body []any) {
		for _, o := range objectsOf(first[any](body)) {
			n := &node{object: o}
			s.askBox(n, func() { s.examine(n, level) })
		}
	})
}

func (s *shadowSearch) examine(n *node, level int) {
	if level == 1 {
		s.parts = s.parts.Union(n.box.Image())
	}
	for size := range s.sizes {
		if in, told := showsAround(n.box, s.frame.box, size); told && in.Y > s.wide.Y {
			s.wide = in
		}
	}
	switch {
	case s.frame.drawnIn != nil:
	case s.sizes[sizeOf(n.box)]:
		s.frame.drawnIn = &n.box
	case level < maxShadowDepth && n.box.W > 0 && n.box.W <= s.frame.box.W:
		s.searchBelow(n.object, level+1)
	}
}

// pops reports whether the children of a node may be in a popup.
func (n *node) pops() bool {
	switch roleName(n.role) {
	case "menu", "popup menu", "combo box", "tool tip", "window":
		return n.parent != nil
	}
	return strings.HasPrefix(n.class, "GtkPopover") || strings.HasPrefix(n.name, "GtkPopover")
}

// inPopup reports whether a node may be in a popup of its frame.
func (n *node) inPopup() bool {
	for m, below := n.parent, n; m != nil; m, below = m.parent, m {
		if m.pops() && !below.isFace() {
			return true
		}
	}
	return false
}

// isFace reports whether a node is the part of a combo box that shows while it is
// closed: in GTK 4 that is a button in it, and where text can be typed a field.
func (n *node) isFace() bool {
	name := roleName(n.role)
	return (name == "push button" || name == "toggle button" || has(n.states, bitEditable)) && roleName(n.parent.role) == "combo box"
}

// popupIn reports whether one of the frames is a popup that shows. A browser also
// has frames for popups that do not show: they hold nothing visible. Tooltips do not
// count, because they are dismissed when the pointer moves.
func (w *walker) popupIn(frames []frameWindow) (bool, error) {
	var seen bool
	for _, f := range frames {
		if !f.popup || !f.nowhere || !w.shows(f.frame) {
			continue
		}
		if !w.isChromium() {
			return true, nil
		}
		w.findVisible(f.frame.object, 0, func() { seen = true })
	}
	return seen, w.run()
}

// findVisible calls found for each element below an object that a person would
// see, and for a frame that reports no content: that is an open list of a page.
func (l *loader) findVisible(below object, level int, found func()) {
	l.want(below, ifaceAccessible+".GetChildren", func(body []any) {
		kids := objectsOf(first[any](body))
		if len(kids) == 0 && level == 0 {
			found()
		}
		for _, o := range kids {
			n := &node{object: o}
			l.askBrief(n, func() {
				switch {
				case !l.shows(n) || roleName(n.role) == "tool tip" || level > maxDepth:
				case isBox(n) || l.isPage(n):
					l.findVisible(o, level+1, found)
				case n.box.W > 1 && n.box.H > 1:
					found()
				}
			})
		}
	})
}

// pixels returns the number of pixels of the device per point of the screen, in
// the page that holds a node: a browser reports points around the page and pixels in
// it.
func (n *node) pixels() float64 {
	by := 1.0
	for m := n; m != nil && m.parent != nil; m = m.parent {
		outer, reported := m.parent.box, m.box
		if roleName(m.role) != "document web" || outer.W <= 0 || reported.W <= outer.W {
			continue
		}
		// A page that is wider for another reason begins elsewhere.
		if f := float64(reported.W) / float64(outer.W); math.Abs(float64(reported.X)-f*float64(outer.X)) <= f {
			by = f
		}
	}
	return by
}

// inPoints converts a box in the page that holds a node to points of the screen.
func (n *node) inPoints(box desktop.Rect) desktop.Rect {
	return desktop.RectOf(scaled(box.Image(), 1/n.pixels()))
}

// inPixels converts a point of a browser to the pixels of a page.
func (n *node) inPixels(at desktop.Point) desktop.Point {
	by := n.pixels()
	return desktop.Point{X: int(float64(at.X) * by), Y: int(float64(at.Y) * by)}
}

// popupOpen returns the error for a point of a window that a popup may cover.
func popupOpen(w desktop.Window) error {
	return &desktop.MissingError{
		What: fmt.Sprintf("a menu or another popup of %q is open, and a Wayland session does not report where, so it is unknown what a click would reach", w.Title),
		Mend: "press_key escape to close it, or operate it with invoke_element and keys",
	}
}

// findParents reads the ancestors of a node that was read alone, where they are
// needed to tell the node's position.
func (l *loader) findParents(n *node) error {
	at := n
	for range maxDepth {
		up := &node{}
		l.get(at.object, ifaceAccessible, "Parent", func(v any) { up.object = objectOf(as[[]any](v)) })
		if err := l.run(); err != nil || up.none() || up.object == l.app.object {
			return err
		}
		at.parent = up
		l.get(up.object, ifaceAccessible, "Name", func(v any) { up.name = as[string](v) })
		l.askBrief(up, func() {})
		if err := l.run(); err != nil {
			return err
		}
		at = up
	}
	return nil
}

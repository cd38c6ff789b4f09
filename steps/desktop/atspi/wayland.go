//go:build linux

package atspi

import (
	"fmt"
	"image"
	"math"
	"strings"

	"understudy/steps/desktop"
)

// On Wayland an application knows the size of its windows and not their place; the
// compositor knows both, but not what the application counts from: the corner of
// what it draws, of that and its shadow, or of what is below a title bar that it
// draws itself. The sizes tell. And where a popup is, nobody tells: then its
// elements have no box, so that they are operated by their actions and by keys,
// and no click goes where one was only guessed.

// placeless reports whether the windows of a desktop say what is drawn in them,
// because applications do not know where that is.
func placeless(w desktop.Window) bool { return !w.Content.Empty() }

// sizeOnly reports whether the boxes of the application count from its window.
func (w *walker) sizeOnly() bool { return w.relative || w.placeless }

// boxesFrom is from where boxes and points are counted.
func (w *walker) boxesFrom() uint32 {
	const onScreen, inWindow = uint32(0), uint32(1)
	if w.sizeOnly() {
		return inWindow
	}
	return onScreen
}

// widestShadow is how much larger than what shows of it a window may be. One that is
// larger still does not count in the points of the screen.
const widestShadow = 150

// contentOf returns the distance from the origin of a frame's boxes to the screen,
// and false where that cannot be told.
func contentOf(f *node, w desktop.Window) (desktop.Point, bool) {
	is, says := w.Content, f.box
	from := desktop.Point{X: is.X - says.X, Y: is.Y - says.Y}
	switch {
	case says.W == is.W && says.H == is.H:
		return from, true
	case says.W-is.W > widestShadow || says.H-is.H > widestShadow: // such as a browser, which counts the pixels of the device
		return desktop.Point{}, false
	case f.drawnIn != nil: // a shadow around it
		return desktop.Point{X: is.X - f.drawnIn.X, Y: is.Y - f.drawnIn.Y}, true
	case says.W <= is.W && says.H < is.H: // a title bar of its own
		return offset(says, is), true
	}
	return desktop.Point{}, false
}

// drawnDepth is how far below a frame that is looked for which fills its window.
const drawnDepth = 5

// findShadows finds, in the frames that are larger than what shows of each of the
// windows, what fills one: the rest is shadow.
func (w *walker) findShadows(frames []*node, windows []desktop.Window) error {
	sizes := map[desktop.Size]bool{}
	for _, win := range ownWindows(windows, w.app.pid) {
		if placeless(win) {
			sizes[desktop.Size{W: win.Content.W, H: win.Content.H}] = true
		}
	}
	parts, wide := map[*node]image.Rectangle{}, map[*node]desktop.Rect{}
	for _, f := range frames {
		if len(sizes) > 0 && !sizes[desktop.Size{W: f.box.W, H: f.box.H}] {
			w.findDrawn(f, f.object, sizes, 1, func(level int, box desktop.Rect) {
				if level == 1 {
					parts[f] = parts[f].Union(box.Image())
				}
				for size := range sizes {
					if in, told := showsAround(box, f.box, size); told && in.Y > wide[f].Y {
						wide[f] = in
					}
				}
			})
		}
	}
	if err := w.run(); err != nil {
		return err
	}
	for f, all := range parts { // such as a header bar and what is below it
		if box := desktop.RectOf(all); f.drawnIn == nil && sizes[desktop.Size{W: box.W, H: box.H}] {
			f.drawnIn = &box
		}
		if box, told := wide[f]; f.drawnIn == nil && told {
			f.drawnIn = &box
		}
	}
	return nil
}

// showsAround returns what shows of a frame with a shadow, of which the size is known,
// as far as a box in it tells: one that is as wide, with the same shadow on both sides.
// It is the title bar at the top, or reaches down to the bottom. There is no more
// shadow above than below.
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

// findDrawn looks below an object of a frame for a box of one of the sizes. The boxes
// of its children are told.
func (w *walker) findDrawn(f *node, below object, sizes map[desktop.Size]bool, level int, tell func(level int, box desktop.Rect)) {
	w.want(below, ifaceAccessible+".GetChildren", func(body []any) {
		for _, o := range objectsOf(first[any](body)) {
			n := &node{object: o}
			w.askBox(n, func() {
				tell(level, n.box)
				switch {
				case f.drawnIn != nil:
				case sizes[desktop.Size{W: n.box.W, H: n.box.H}]:
					f.drawnIn = &n.box
				case level < drawnDepth && n.box.W > 0 && n.box.W <= f.box.W:
					w.findDrawn(f, o, sizes, level+1, tell)
				}
			})
		}
	})
}

// pops reports whether what is in a node may be in a popup.
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

// isFace reports whether a node is what a combo box shows when it is closed: in GTK 4
// that is a button in it.
func (n *node) isFace() bool {
	name := roleName(n.role)
	return (name == "push button" || name == "toggle button") && roleName(n.parent.role) == "combo box"
}

// popupIn reports whether one of the frames is a popup that shows. A browser has
// frames for some that do not: nothing that a person could see is in these. What is
// told of an element beside it (a tooltip) goes when the pointer moves.
func (w *walker) popupIn(frames []frameWindow) (bool, error) {
	var seen bool
	for _, f := range frames {
		if !f.popup || !f.nowhere || !w.shows(f.frame) {
			continue
		}
		if w.app.toolkitName() != "Chromium" {
			return true, nil
		}
		w.findSeen(f.frame.object, 0, func() { seen = true })
	}
	return seen, w.run()
}

// findSeen tells of each element below an object that a person would see, and of a
// frame about whose content nothing is told: that is an open list of a page.
func (w *walker) findSeen(below object, level int, tell func()) {
	w.want(below, ifaceAccessible+".GetChildren", func(body []any) {
		kids := objectsOf(first[any](body))
		if len(kids) == 0 && level == 0 {
			tell()
		}
		for _, o := range kids {
			n := &node{object: o}
			w.askBrief(n, func() {
				switch {
				case !w.shows(n) || roleName(n.role) == "tool tip" || level > maxDepth:
				case isBox(n) || w.isPage(n):
					w.findSeen(o, level+1, tell)
				case n.box.W > 1 && n.box.H > 1:
					tell()
				}
			})
		}
	})
}

// pixels is how many units of the page of a node are one of its browser, which
// counts the points of the screen around the page and the pixels of the device in it.
func (n *node) pixels() float64 {
	by := 1.0
	for m := n; m != nil && m.parent != nil; m = m.parent {
		is, says := m.parent.box, m.box
		if roleName(m.role) != "document web" || is.W <= 0 || says.W <= is.W {
			continue
		}
		// A page that is wider for another reason begins elsewhere.
		if f := float64(says.W) / float64(is.W); math.Abs(float64(says.X)-f*float64(is.X)) <= f {
			by = f
		}
	}
	return by
}

// inPoints is a box of a node in points of the screen.
func (n *node) inPoints(box desktop.Rect) desktop.Rect {
	by := n.pixels()
	scaled := func(v int) int { return int(math.Round(float64(v) / by)) }
	x, y := scaled(box.X), scaled(box.Y)
	return desktop.Rect{X: x, Y: y, W: scaled(box.X+box.W) - x, H: scaled(box.Y+box.H) - y}
}

// inPixels is a point of a browser as its page counts.
func (w *walker) inPixels(page *node, at desktop.Point) desktop.Point {
	if !w.placeless {
		return at
	}
	by := page.pixels()
	return desktop.Point{X: int(float64(at.X) * by), Y: int(float64(at.Y) * by)}
}

// popupOpen is the error of a look at a point of a window over which a popup may be.
func popupOpen(w desktop.Window) error {
	return &desktop.MissingError{
		What: fmt.Sprintf("a menu or another popup of %q is open, and in a Wayland session nobody tells where: what a click there would reach is not known", w.Title),
		Mend: "press_key escape to close it, or operate it with invoke_element and keys",
	}
}

// findParents reads the parents of a node that was read alone, as far as they tell
// where it is.
func (w *walker) findParents(n *node) error {
	if !w.placeless {
		return nil
	}
	for at, depth := n, 0; depth < maxDepth; depth++ {
		up := &node{}
		w.get(at.object, ifaceAccessible, "Parent", func(v any) { up.object = objectOf(as[[]any](v)) })
		if err := w.run(); err != nil || up.none() || up.object == w.app.object {
			return err
		}
		at.parent = up
		w.get(up.object, ifaceAccessible, "Name", func(v any) { up.name = as[string](v) })
		w.askBrief(up, func() {})
		if err := w.run(); err != nil {
			return err
		}
		at = up
	}
	return nil
}

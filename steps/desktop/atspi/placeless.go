//go:build linux

package atspi

import (
	"fmt"
	"image"
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
	parts := map[*node]image.Rectangle{}
	for _, f := range frames {
		if len(sizes) > 0 && !sizes[desktop.Size{W: f.box.W, H: f.box.H}] {
			w.findDrawn(f, f.object, sizes, 1, func(box desktop.Rect) { parts[f] = parts[f].Union(box.Image()) })
		}
	}
	if err := w.run(); err != nil {
		return err
	}
	for f, all := range parts { // such as a header bar and what is below it
		if box := desktop.RectOf(all); f.drawnIn == nil && sizes[desktop.Size{W: box.W, H: box.H}] {
			f.drawnIn = &box
		}
	}
	return nil
}

// findDrawn looks below an object of a frame for a box of one of the sizes. The boxes
// of its children are told.
func (w *walker) findDrawn(f *node, below object, sizes map[desktop.Size]bool, level int, tell func(desktop.Rect)) {
	w.want(below, ifaceAccessible+".GetChildren", func(body []any) {
		for _, o := range objectsOf(first[any](body)) {
			n := &node{object: o}
			w.askBox(n, func() {
				tell(n.box)
				switch {
				case f.drawnIn != nil:
				case sizes[desktop.Size{W: n.box.W, H: n.box.H}]:
					f.drawnIn = &n.box
				case level < drawnDepth && n.box.W > 0 && n.box.W <= f.box.W:
					w.findDrawn(f, o, sizes, level+1, func(desktop.Rect) {})
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
	if n.popup {
		return true
	}
	for m := n.parent; m != nil; m = m.parent {
		if m.pops() {
			return true
		}
	}
	return false
}

// popupOpen is the error of a look at a point of a window over which a popup may be.
func popupOpen(w desktop.Window) error {
	return &desktop.MissingError{
		What: fmt.Sprintf("a menu or another popup of %q is open, and in a Wayland session nobody tells where: what a click there would reach is not known", w.Title),
		Mend: "press_key escape to close it, or operate it with invoke_element and keys",
	}
}

// findPopup looks whether a node that was read without its ancestors is in a popup.
func (w *walker) findPopup(n *node) error {
	if !w.placeless {
		return nil
	}
	at := n.object
	for range maxDepth {
		up := &node{parent: n}
		w.get(at, ifaceAccessible, "Parent", func(v any) { up.object = objectOf(as[[]any](v)) })
		if err := w.run(); err != nil || up.none() || up.object == w.app.object {
			return err
		}
		w.want(up.object, ifaceAccessible+".GetRole", func(b []any) { up.role = first[uint32](b) })
		w.get(up.object, ifaceAccessible, "Name", func(v any) { up.name = as[string](v) })
		if err := w.run(); err != nil {
			return err
		}
		if up.pops() {
			n.popup = true
			return nil
		}
		at = up.object
	}
	return nil
}

package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"understudy/steps"
	"understudy/steps/desktop"
)

// checkOnScreen fails unless the pointer can be brought to a point of an element.
func checkOnScreen(ctx context.Context, d *desktop.Desktop, el *desktop.Element, at desktop.Point) error {
	err := OnScreen(ctx, d, at)
	switch {
	case errors.Is(err, desktop.ErrUnavailable): // then nothing is known of the screen
		return nil
	case steps.CodeOf(err) == steps.NotActionable:
		return NotActionable(el, fmt.Sprintf("is off the screen at %s", at), "move its window with move_window, or use invoke_element")
	}
	return err
}

// checkUncovered fails unless a click at a point reaches an element's window: the
// topmost window there must be its own, it must be where it was, and no dialog
// may hold it back. For a picture that is all that can be known. It gives the
// window there, nil when there is none.
func checkUncovered(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point) (*desktop.Window, error) {
	windows, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the windows: %w", err)
	}
	top := windowAt(windows, at)
	if slices.ContainsFunc(windows, tooltipOver(at)) {
		if err := dismissTooltip(ctx, hand, at); err != nil {
			return nil, err
		}
	}
	if top != nil && maybeTooltip(hand, windows, el, top) {
		if err := waitForPopup(ctx, hand, top.ID, at); err != nil {
			return nil, err
		}
		return nil, NotActionable(el, fmt.Sprintf("was covered at %s", at), "wait until the window has come to rest")
	}
	if top != nil && foreignWindow(windows, el, top) {
		return nil, NotActionable(el, fmt.Sprintf("is covered by the window %q at %s", top.Title, at), "close or move that window, or activate the element's own")
	}
	if i := slices.IndexFunc(windows, func(w desktop.Window) bool { return w.ID == el.Window }); i >= 0 {
		switch w := windows[i]; {
		case w.Minimized || w.Hidden:
			return nil, NotActionable(el, "is not visible: its window is minimized", "bring the window back with activate_window")
		case !el.WindowBounds.Empty() && w.Bounds != el.WindowBounds:
			return nil, windowMoves(el)
		}
	}
	if top == nil && el.Handle != "" { // told of before its window came up, where that will be or not
		return nil, NotActionable(el, fmt.Sprintf("is in no window that shows at %s", at), "wait until its window is there")
	}
	if d := desktop.Blocker(windows, el.Window); d != nil {
		return nil, NotActionable(el, fmt.Sprintf("is blocked by the dialog %q", d.Title), "answer that dialog first")
	}
	return top, nil
}

// elementAt is what is under a point of an element; nil when nothing there has a
// name, so that nothing says that it is covered. Of a picture no more is known
// than where it is seen.
func elementAt(ctx context.Context, d *desktop.Desktop, el *desktop.Element, at desktop.Point) (*desktop.Element, error) {
	return askElementAt(ctx, el, at, d.ElementAt)
}

// askElementAt is what one way of asking says is under a point of an element.
func askElementAt(ctx context.Context, el *desktop.Element, at desktop.Point, ask func(context.Context, desktop.Point) (*desktop.Element, error)) (*desktop.Element, error) {
	if el.Handle == "" {
		return nil, nil
	}
	hit, err := ask(ctx, at)
	if errors.Is(err, desktop.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("asking what is at %s: %w", at, err)
	}
	return hit, nil
}

// foreignWindow says whether a window is not one that an element can be in. Of an
// element whose own window is not known, such as one that has not come up yet,
// only its program tells.
func foreignWindow(windows []desktop.Window, el *desktop.Element, top *desktop.Window) bool {
	if el.Window == 0 {
		return el.Handle != "" && el.Process != "" && top.Process != "" && el.Process != top.Process
	}
	return top.ID != el.Window && !ownPopup(windows, el, top)
}

// ownPopup says whether a window may be one that an element's own window put
// up, such as the menu that the element is in: a window of the same program.
// What is under the point decides then.
func ownPopup(windows []desktop.Window, el *desktop.Element, top *desktop.Window) bool {
	return slices.ContainsFunc(windows, func(w desktop.Window) bool {
		return w.ID == el.Window && w.PID != 0 && w.PID == top.PID
	})
}

// windowAt is the topmost window at a point; nil when there is none. A tooltip
// is none: it gives way to the pointer.
func windowAt(windows []desktop.Window, at desktop.Point) *desktop.Window {
	for _, w := range slices.Backward(windows) {
		if !w.Minimized && !w.Hidden && !w.Tooltip && w.Bounds.Contains(at) {
			return &w
		}
	}
	return nil
}

// WindowElementAt stands for the window at a point where no element is known; it
// has no box, as it is not what is acted on. It is nil when there is none.
func WindowElementAt(ctx context.Context, d *desktop.Desktop, at desktop.Point) (*desktop.Element, error) {
	windows, err := d.Windows(ctx)
	if err != nil {
		return nil, fmt.Errorf("listing the windows: %w", err)
	}
	w := windowAt(windows, at)
	if w == nil {
		return nil, nil
	}
	return &desktop.Element{Role: "frame", Window: w.ID, Process: w.Process, WindowTitle: w.Title}, nil
}

// sameOrInside says whether what is under a point of an element is the element or
// inside it. Where only boxes tell, and none lies over its own, it may also be
// around it: toolkits differ in which of these they name at a point.
func sameOrInside(el, hit *desktop.Element) bool {
	switch {
	case hit.Handle == el.Handle, isIn(hit, el), slices.Contains(hit.Hits, el.Handle):
		return true
	case hit.Sure:
		return false
	case len(hit.Hits) > 0 && hit.Hits[0] != hit.Handle:
		return isInside(el, hit.Hits[0])
	}
	inside := isIn(el, hit)
	el.Walk(func(c *desktop.Element) bool {
		inside = inside || c.Handle == hit.Handle
		return !inside
	})
	return inside
}

// isIn says whether an element is inside another.
func isIn(el, outer *desktop.Element) bool { return isInside(el, outer.Handle) }

// isInside says whether an element is inside that of a handle.
func isInside(el *desktop.Element, outer desktop.Handle) bool {
	for p := el.Parent; p != nil; p = p.Parent {
		if p.Handle == outer {
			return true
		}
	}
	return false
}

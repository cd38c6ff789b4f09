package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"understudy/internal/desktop"
	"understudy/steps"
)

// checkOnScreen returns an error if the point is on no monitor.
func checkOnScreen(ctx context.Context, d *desktop.Desktop, el *desktop.Element, at desktop.Point) error {
	err := OnScreen(ctx, d, at)
	switch {
	case errors.Is(err, desktop.ErrUnavailable): // the screen is unknown
		return nil
	case steps.CodeOf(err) == steps.NotActionable:
		return NotActionable(el, fmt.Sprintf("is off the screen at %s", at), "move its window with move_window, or use invoke_element")
	}
	return err
}

// checkUncovered returns the topmost window at a point of el. It is an error if that
// window cannot contain el, if el's window has moved or is minimized, or if a modal
// dialog blocks it. A tooltip at the point is dismissed first. For a picture match
// nothing more can be checked.
func checkUncovered(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point) (*desktop.Window, error) {
	windows, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return nil, err
	}
	top := windows.At(at)
	if slices.ContainsFunc(windows, tooltipOver(at)) {
		if err := dismissTooltip(ctx, hand, at); err != nil {
			return nil, err
		}
	}
	if top != nil && maybeTooltip(hand, windows, el, top) {
		if err := waitForPopup(ctx, hand, top.ID, at); err != nil {
			return nil, err
		}
		return nil, NotActionable(el, fmt.Sprintf("was covered at %s", at), "wait until the window stops moving")
	}
	if top != nil && foreignWindow(windows, el, top) {
		return nil, blockedBy(top, NotActionable(el, fmt.Sprintf("is covered by the window %q at %s", top.Title, at), "close or move that window, or activate the element's own"))
	}
	if w := windows.ByID(el.Window); w != nil {
		switch {
		case !w.Shows():
			return nil, NotActionable(el, "is not visible: its window is minimized", "bring the window back with change_window")
		case !el.WindowBounds.Empty() && w.Bounds != el.WindowBounds:
			return nil, windowMoves(el)
		}
	}
	if top == nil && el.Handle != "" { // its window has not opened yet
		return nil, NotActionable(el, fmt.Sprintf("is in no window that shows at %s", at), "wait until its window is there")
	}
	if d := windows.Blocker(el.Window); d != nil {
		return nil, blockedBy(d, NotActionable(el, fmt.Sprintf("is blocked by the dialog %q", d.Title), "answer that dialog first"))
	}
	return top, nil
}

// hitTest is ElementAt or Hit of a desktop.
type hitTest func(context.Context, desktop.Point) (*desktop.Element, error)

// elementAt returns the accessible element at a point of el, or nil if none is
// reported; then the point counts as uncovered. Picture matches have no accessible
// element.
func elementAt(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point, ask hitTest) (*desktop.Element, error) {
	if el.Handle == "" {
		return nil, nil
	}
	hit, err := ask(ctx, at)
	if hit != nil && (hit.Guessed || !sameOrInside(el, hit)) && !coversPage(hit) && hand.shows(ctx, el, at) {
		sure := *el
		sure.Sure = true
		return &sure, nil
	}
	if errors.Is(err, desktop.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("asking what is at %s: %w", at, err)
	}
	return hit, nil
}

// coversPage reports whether a hit is certainly something of the browser that covers its page, which
// the page does not know.
func coversPage(hit *desktop.Element) bool {
	return hit.Sure && hit.RawRole != "document web" && !isInPage(hit)
}

// foreignWindow reports whether el cannot be in the window top. If el's own window is
// not known, as for one that is not mapped yet, the processes are compared.
func foreignWindow(windows desktop.Windows, el *desktop.Element, top *desktop.Window) bool {
	if el.Window == 0 {
		return el.Handle != "" && el.Process != "" && top.Process != "" && el.Process != top.Process
	}
	return top.ID != el.Window && !ownPopup(windows, el, top)
}

// ownPopup reports whether top may be a popup of el's window, such as the menu that el
// is in: a window of the same process. The hit test decides.
func ownPopup(windows desktop.Windows, el *desktop.Element, top *desktop.Window) bool {
	w := windows.ByID(el.Window)
	return w != nil && w.PID != 0 && w.PID == top.PID
}

// sameOrInside reports whether the hit is el or inside it. A hit that rests on boxes
// alone may also be around el: toolkits differ in which of these they report.
func sameOrInside(el, hit *desktop.Element) bool {
	switch {
	case hit.Handle == el.Handle, isIn(hit, el), slices.Contains(hit.Hits, el.Handle), sameCell(el, hit):
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

// sameCell reports whether two elements are one cell of a table, or one row of a list of
// Swing: some applications create another object for each query.
func sameCell(a, b *desktop.Element) bool {
	return a.Role == b.Role && (a.Role == "cell" || a.Role == "label") && a.Window == b.Window && a.Name == b.Name && a.Bounds == b.Bounds
}

// isIn reports whether el is inside outer.
func isIn(el, outer *desktop.Element) bool { return isInside(el, outer.Handle) }

// isInside reports whether el is inside the element with the handle outer.
func isInside(el *desktop.Element, outer desktop.Handle) bool {
	return el.Enclosing(func(p *desktop.Element) bool { return p.Handle == outer }) != nil
}

// notCovered returns an error if the hit test found something other than el. A guess
// proves nothing.
func notCovered(el, hit *desktop.Element, at desktop.Point) error {
	if hit == nil || hit.Guessed || sameOrInside(el, hit) {
		return nil
	}
	if isIn(el, hit) { // it is transparent, or not there
		return NotActionable(el, fmt.Sprintf("is not at %s, where %s is found", at, Describe(hit)), "wait until it stops moving, name a part of it that shows with click_position, or use invoke_element")
	}
	return NotActionable(el, fmt.Sprintf("is covered by %s at %s", Describe(hit), at), "close what covers it, or use invoke_element")
}

package aim

import (
	"context"
	"fmt"
	"slices"

	"understudy/steps"
	"understudy/steps/desktop"
)

// PointInWindow returns the point at an offset from the corner of the topmost window of
// an application, or of the active window. It is for applications without elements.
func PointInWindow(ctx context.Context, hand *Hand, t Target, off desktop.Point, o WindowOptions) (at desktop.Point, err error) {
	err = WaitUntil(ctx, t.TimeoutMS.Std(), func(ctx context.Context) error {
		meant, err := topmostWindow(ctx, hand.Desktop, t.Process)
		if err != nil {
			return err
		}
		if err := BringToFront(ctx, hand, o, meant.ID); err != nil {
			return err
		}
		windows, err := hand.Desktop.Windows(ctx)
		if err != nil {
			return err
		}
		w := windows.ByID(meant.ID) // its place may be another now
		if w == nil {
			return NoWindow(meant.Process, meant.Title)
		}
		if err := Placed(*w); err != nil {
			return err
		}
		at = desktop.Point{X: w.Bounds.X + off.X, Y: w.Bounds.Y + off.Y}
		top := windows.At(at)
		switch {
		case !w.Bounds.Contains(at):
			return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("the point %s lies outside of the window %q, which is %d by %d", off, w.Title, w.Bounds.W, w.Bounds.H), Next: "give the window the size it had with move_window, or take another point"}
		case top == nil || top.ID != w.ID:
			return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("the point %s of the window %q is covered%s", off, w.Title, coveredBy(top)), Next: "close what covers it, or move the window"}
		}
		return OnScreen(ctx, hand.Desktop, at)
	})
	return at, err
}

// coveredBy names the covering window, as the end of a message.
func coveredBy(w *desktop.Window) string {
	if w == nil || w.Title == "" {
		return ""
	}
	return fmt.Sprintf(" by the window %q", w.Title)
}

// onDesktop describes a point without a window.
const onDesktop = "desktop"

// unknownPlace describes a point without a known window while the place of another
// window is unknown.
const unknownPlace = "window whose place nobody tells, or the desktop"

// WindowAt describes the window at a point of the screen, or returns onDesktop. It is an
// error if a window is expected, by a part of its title, and is not there.
func WindowAt(ctx context.Context, d *desktop.Desktop, at desktop.Point, expected string) (string, error) {
	windows, err := d.Windows(ctx)
	if err != nil {
		return "", err
	}
	on, top := onDesktop, windows.At(at)
	if slices.ContainsFunc(windows, func(w desktop.Window) bool { return !w.Unplaced.Empty() }) {
		on = unknownPlace
	}
	if top != nil {
		on = fmt.Sprintf("window %q of %s", top.Title, top.Process)
	}
	if expected != "" && (top == nil || !(desktop.Scope{Title: expected}).Admits(top)) {
		return on, steps.Errorf(steps.NotActionable, "expect_window: wanted a window with %q in its title at %s, found the %s", expected, at, on).
			WithNext("bring that window to the front with activate_window, or look where it is")
	}
	return on, nil
}

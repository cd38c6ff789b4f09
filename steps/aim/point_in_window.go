package aim

import (
	"context"
	"fmt"

	"understudy/steps"
	"understudy/steps/desktop"
)

// PointInWindow returns the point at an offset from the corner of the topmost window
// of an application, or of the active window. It serves applications without elements,
// wherever their window is.
func PointInWindow(ctx context.Context, hand *Hand, t Target, off desktop.Point, o WindowOptions) (at desktop.Point, err error) {
	err = WaitUntil(ctx, t.TimeoutMS.Std(), func(ctx context.Context) error {
		w, err := topmostWindow(ctx, hand.Desktop, t.Process)
		if err != nil {
			return err
		}
		if err := BringToFront(ctx, hand, o, w.ID); err != nil {
			return err
		}
		windows, err := hand.Desktop.Windows(ctx)
		if err != nil {
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

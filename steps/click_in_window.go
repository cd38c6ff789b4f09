package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"understudy/steps/desktop"
)

// aimInWindow is a point that is told by its distance from the corner of a
// window: the topmost one of an application, or the active one. It is for what
// no element is known of, wherever its window is today.
func (e *Env) aimInWindow(ctx context.Context, t Target, off desktop.Point, o WindowOptions) (at desktop.Point, err error) {
	err = e.until(ctx, t.TimeoutMS.Std(), func(ctx context.Context) error {
		w, err := e.topmost(ctx, t.Process)
		if err != nil {
			return err
		}
		if err := e.front(ctx, o, w.ID); err != nil {
			return err
		}
		windows, err := e.Desktop.Windows.Windows(ctx)
		if err != nil {
			return fmt.Errorf("listing the windows: %w", err)
		}
		at = desktop.Point{X: w.Bounds.X + off.X, Y: w.Bounds.Y + off.Y}
		top := windowAt(windows, at)
		switch {
		case !w.Bounds.Contains(at):
			return &Error{Code: NotActionable, Err: fmt.Errorf("the point %s lies outside of the window %q, which is %d by %d", off, w.Title, w.Bounds.W, w.Bounds.H), Next: "give the window the size it had with move_window, or take another point"}
		case top == nil || top.ID != w.ID:
			return &Error{Code: NotActionable, Err: fmt.Errorf("the point %s of the window %q is covered%s", off, w.Title, by(top)), Next: "close what covers it, or move the window"}
		}
		return e.onScreen(ctx, at)
	})
	return at, err
}

// topmost is the window of an application that lies above its others; without
// one the active window.
func (e *Env) topmost(ctx context.Context, process string) (w desktop.Window, err error) {
	windows, err := e.Desktop.Windows.Windows(ctx)
	if err != nil {
		return w, fmt.Errorf("listing the windows: %w", err)
	}
	for _, w := range slices.Backward(windows) {
		if !w.Popup && !w.Hidden && (process == "" && w.Active || process != "" && desktop.Scope{Process: process}.Admits(w.Process, w.Title)) {
			return w, nil
		}
	}
	if process == "" {
		return w, &Error{Code: NotFound, Err: errors.New("wanted the active window, found none"), Next: "name the application with process, or bring a window to the front with activate_window"}
	}
	return w, noWindow(process, "")
}

// by names the window that covers something, when it has a name.
func by(w *desktop.Window) string {
	if w == nil || w.Title == "" {
		return ""
	}
	return fmt.Sprintf(" by the window %q", w.Title)
}

package aim

import (
	"context"
	"fmt"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
)

// Raise activates a window on d, which decides whether that counts as an act of the step.
// Zero is no window.
func Raise(ctx context.Context, d *desktop.Desktop, id desktop.WindowID) error {
	if id == 0 {
		return nil
	}
	return d.Do(ctx, desktop.Manage{Window: id, Do: desktop.Activate})
}

// WindowOptions are the window arguments that all actions share.
type WindowOptions struct {
	EnableWindowManagement   bool  `json:"enable_window_management,omitzero" use:"rare" jsonschema:"false leaves all windows as they are"`
	BringToFront             bool  `json:"bring_to_front,omitzero" use:"rare" jsonschema:"bring the element's window to the front first"`
	MaximizeTarget           bool  `json:"maximize_target,omitzero" use:"rare" jsonschema:"maximize the element's window first"`
	RestoreFocus             *bool `json:"restore_focus,omitzero" use:"rare" jsonschema:"give focus and caret back afterwards; without it the kind decides"`
	IncludeWindowScreenshot  bool  `json:"include_window_screenshot,omitzero" use:"rare" jsonschema:"keep a picture of the window afterwards"`
	IncludeMonitorScreenshot bool  `json:"include_monitor_screenshots,omitzero" use:"rare" jsonschema:"keep a picture of the whole screen afterwards"`

	_ struct{} `ignored:"minimize_always_on_top"`
}

// DefaultWindowOptions raises the element's window and changes nothing else.
var DefaultWindowOptions = WindowOptions{EnableWindowManagement: true, BringToFront: true}

// ActiveWindow returns the window that has the focus, or nil.
func ActiveWindow(ctx context.Context, d *desktop.Desktop) (*desktop.Window, error) {
	windows, err := d.Windows(ctx)
	return windows.Active(), err
}

// ActivateApplication activates the topmost window of an application, unless one of
// its windows is active already.
func ActivateApplication(ctx context.Context, hand *Hand, process string) error {
	return WaitUntil(ctx, SearchTime.Std(), func(ctx context.Context) error {
		windows, err := hand.Desktop.Windows(ctx)
		if err != nil {
			return err
		}
		windows = windows.Of(desktop.Scope{Process: process})
		top := windows.Foremost()
		switch {
		case windows.Active() != nil:
			return nil
		case top == nil:
			return NoWindow(process, "")
		}
		return Raise(ctx, hand.Unaccounted(), top.ID)
	})
}

// restoreMinimized restores the last window of an application if it shows none, because
// minimized windows have no elements to search.
func restoreMinimized(ctx context.Context, hand *Hand, o WindowOptions, process string) error {
	if process == "" || !o.EnableWindowManagement || !o.BringToFront {
		return nil
	}
	windows, err := hand.Desktop.Windows(ctx)
	if top := windows.Of(desktop.Scope{Process: process}).Foremost(); err == nil && top != nil && top.Minimized {
		err = Raise(ctx, hand.Unaccounted(), top.ID)
	}
	return err
}

// BringToFront brings the window of an element to the front, unless it is there. It
// makes ready for an act and is not one itself.
func BringToFront(ctx context.Context, hand *Hand, o WindowOptions, id desktop.WindowID) error {
	if !o.EnableWindowManagement || id == 0 || !o.BringToFront && !o.MaximizeTarget {
		return nil
	}
	windows, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return err
	}
	w := windows.ByID(id)
	if w == nil {
		return nil
	}
	if o.BringToFront && (!w.Active || w.Minimized) {
		if err := activate(ctx, hand, *w); err != nil {
			return err
		}
	}
	if o.MaximizeTarget && !w.Maximized {
		if err := hand.Unaccounted().Do(ctx, desktop.Manage{Window: id, Do: desktop.Maximize}); err != nil {
			return fmt.Errorf("maximizing the window %q: %w", w.Title, err)
		}
	}
	return nil
}

// frontWithin bounds the wait for a window to become active. A window manager that
// refuses does not say so, for example while a modal dialog of the program is open.
const frontWithin = time.Second

func activate(ctx context.Context, hand *Hand, w desktop.Window) error {
	short, cancel := context.WithTimeout(ctx, frontWithin)
	defer cancel()
	err := Raise(short, hand.Unaccounted(), w.ID)
	if short.Err() != nil && ctx.Err() == nil && err != nil {
		return steps.Errorf(steps.NotActionable, "the window %q does not come to the front%s", w.Title, FocusedElsewhere(ctx, hand.Desktop)).
			WithNext("answer the question that is open, or close that window")
	}
	if err != nil {
		return fmt.Errorf("bringing the window %q to the front: %w", w.Title, err)
	}
	return nil
}

// FocusedElsewhere names the window that has the focus, as the end of a message.
func FocusedElsewhere(ctx context.Context, d *desktop.Desktop) string {
	w, err := ActiveWindow(ctx, d)
	if err != nil || w == nil {
		return ""
	}
	return fmt.Sprintf(": %q has the focus", w.Title)
}

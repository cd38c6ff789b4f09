package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// topmostWindow returns the active window of an application, or else its topmost; the
// active window if none is named.
func topmostWindow(ctx context.Context, d *desktop.Desktop, process string) (w desktop.Window, err error) {
	windows, err := d.Windows(ctx)
	if err != nil {
		return w, err
	}
	switch top := windows.Of(desktop.Scope{Process: process}).Foremost(); {
	case top == nil || top.Hidden || process == "" && !top.Active:
	default:
		return *top, nil
	}
	if process == "" {
		return w, &steps.Error{Code: steps.NotFound, Err: errors.New("wanted the active window, found none"), Next: "name the application with process, or bring a window to the front with change_window"}
	}
	return w, NoWindow(process, "")
}

// Placed returns an error if a window does not show or its place is unknown, and so what
// a click or a picture would reach.
func Placed(w desktop.Window) error {
	switch {
	case !w.Shows():
		return steps.Errorf(steps.NotActionable, "the window %q is minimized or on another workspace", w.Title).
			WithNext("bring the window back with change_window")
	case w.Unplaced.Empty():
		return nil
	}
	return steps.Errorf(steps.NotActionable, "this compositor does not report where the window %q is on the screen", w.Title).
		WithNext("use invoke_element, set_value or keys; or make the window fill the screen, as f11 does in a browser")
}

// placed is Placed for the window with an id, if it is there.
func placed(ctx context.Context, d *desktop.Desktop, id desktop.WindowID) error {
	windows, err := d.Windows(ctx)
	if w := windows.ByID(id); err == nil && w != nil {
		return Placed(*w)
	}
	return err
}

// FindWindow waits for the one window that a names.
func FindWindow(ctx context.Context, d *desktop.Desktop, a WindowTarget) (w desktop.Window, err error) {
	err = WaitUntil(ctx, a.TimeoutMS.Std(), func(ctx context.Context) error {
		all, err := d.Windows(ctx)
		if err != nil {
			return err
		}
		w, err = a.only(all)
		return err
	})
	return w, err
}

// only returns the only window that fits.
func (a WindowTarget) only(all desktop.Windows) (desktop.Window, error) {
	fits := all.Of(desktop.Scope{Window: a.ID, Process: a.Process, Title: a.Title})
	if real := slices.DeleteFunc(slices.Clone(fits), func(w desktop.Window) bool { return !w.Real() }); len(real) > 0 {
		fits = real // else a menu may be meant
	}
	fits = slices.DeleteFunc(fits, func(w desktop.Window) bool { return w.Tooltip })
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		if a.ID != 0 {
			return desktop.Window{}, &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("there is no window with the id %d", a.ID), Next: "list them with get_applications_and_windows_list"}
		}
		return desktop.Window{}, NoWindow(a.Process, a.Title)
	}
	var list strings.Builder
	for _, w := range fits {
		fmt.Fprintf(&list, "\n  %q of %s, id %d", w.Title, w.Process, w.ID)
	}
	return desktop.Window{}, &steps.Error{Code: steps.Ambiguous, Err: fmt.Errorf("%d windows match and one was wanted:%s", len(fits), &list), Next: "give more of the title, or the id"}
}

// NoWindow returns the error for a window that does not exist.
func NoWindow(process, title string) error {
	text := "there is no window"
	if title != "" {
		text += fmt.Sprintf(" with %q in its title", title)
	}
	if process != "" {
		text += " of " + process
	}
	return &steps.Error{Code: steps.NotFound, Err: errors.New(text), Next: "list them with get_applications_and_windows_list"}
}

// WindowTarget are the arguments that name a window. Exactly one must fit.
type WindowTarget struct {
	Title     string           `json:"title,omitzero" jsonschema:"part of the window's title"`
	Process   string           `json:"process,omitzero" jsonschema:"the application's process name"`
	ID        desktop.WindowID `json:"id,omitzero" jsonschema:"as in the list of windows"`
	TimeoutMS steps.Millis     `json:"timeout_ms,omitzero" use:"rare" jsonschema:"how long to wait for the window"`
}

func (a *WindowTarget) Validate() error {
	if a.Title == "" && a.Process == "" && a.ID == 0 {
		return errors.New("wanted a title, a process or an id: nothing names the window")
	}
	return nil
}

// windowsWithoutElements returns a frame for each window whose program exposes no
// elements, so that such a window can be waited for and searched for pictures. roots
// are the elements that are known.
func windowsWithoutElements(ctx context.Context, d *desktop.Desktop, roots []*desktop.Element) (frames []*desktop.Element, err error) {
	windows, err := d.Windows(ctx)
	if errors.Is(err, desktop.ErrUnavailable) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	for _, w := range windows {
		known := slices.ContainsFunc(roots, func(e *desktop.Element) bool { return e.Window == w.ID || e.PID == w.PID && w.PID != 0 })
		if !known && !w.Popup && w.Shows() {
			frames = append(frames, windowElement(w))
		}
	}
	return frames, nil
}

// windowElement returns a window of an application without elements as one.
func windowElement(w desktop.Window) *desktop.Element {
	return &desktop.Element{
		Role: "frame", Name: w.Title, Process: w.Process, Aliases: w.Aliases, PID: w.PID, Window: w.ID, WindowTitle: w.Title, Bounds: w.Bounds,
		States: desktop.Enabled | desktop.Showing | desktop.Visible,
	}
}

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
	EnableWindowManagement   bool  `json:"enable_window_management,omitzero" as:"manage" use:"rare" jsonschema:"false leaves all windows as they are"`
	BringToFront             bool  `json:"bring_to_front,omitzero" as:"front" use:"rare" jsonschema:"bring the element's window to the front first"`
	MaximizeTarget           bool  `json:"maximize_target,omitzero" as:"maximize" use:"rare" jsonschema:"maximize the element's window first"`
	RestoreFocus             *bool `json:"restore_focus,omitzero" use:"rare" jsonschema:"give focus and caret back afterwards; without it the kind decides"`
	IncludeWindowScreenshot  bool  `json:"include_window_screenshot,omitzero" in:"show" as:"window" use:"rare" jsonschema:"keep a picture of the window afterwards"`
	IncludeMonitorScreenshot bool  `json:"include_monitor_screenshots,omitzero" in:"show" as:"screen" use:"rare" jsonschema:"keep a picture of the whole screen afterwards"`
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
		switch active := windows.Active(); {
		case active != nil:
			hand.Keyboard.Name(*active)
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

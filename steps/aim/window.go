package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"understudy/steps"
	"understudy/steps/desktop"
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
		return w, &steps.Error{Code: steps.NotFound, Err: errors.New("wanted the active window, found none"), Next: "name the application with process, or bring a window to the front with activate_window"}
	}
	return w, NoWindow(process, "")
}

// Placed returns an error if the place of a window is unknown, and so what a click or a
// picture would reach.
func Placed(w desktop.Window) error {
	if w.Unplaced.Empty() {
		return nil
	}
	return steps.Errorf(steps.NotActionable, "where the window %q is on the screen, this compositor tells nobody", w.Title).
		WithNext("use invoke_element, set_value or keys; or let the window fill the screen, as a browser does with f11")
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
			return desktop.Window{}, &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("there is no window with the id %d", a.ID), Next: "see which there are with get_applications_and_windows_list"}
		}
		return desktop.Window{}, NoWindow(a.Process, a.Title)
	}
	var list strings.Builder
	for _, w := range fits {
		fmt.Fprintf(&list, "\n  %q of %s, id %d", w.Title, w.Process, w.ID)
	}
	return desktop.Window{}, &steps.Error{Code: steps.Ambiguous, Err: fmt.Errorf("%d windows fit and one was wanted:%s", len(fits), &list), Next: "give more of the title, or the id"}
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
	return &steps.Error{Code: steps.NotFound, Err: errors.New(text), Next: "see which there are with get_applications_and_windows_list"}
}

// WindowTarget are the arguments that name a window. Exactly one must fit.
type WindowTarget struct {
	Title     string           `json:"title,omitzero" jsonschema:"part of the window's title"`
	Process   string           `json:"process,omitzero" jsonschema:"the application's process name"`
	ID        desktop.WindowID `json:"id,omitzero" jsonschema:"the window's number in the list of windows"`
	TimeoutMS steps.Millis     `json:"timeout_ms,omitzero" jsonschema:"how long to wait for the window"`
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
			frames = append(frames, &desktop.Element{
				Role: "frame", Name: w.Title, Process: w.Process, Aliases: w.Aliases, PID: w.PID, Window: w.ID, WindowTitle: w.Title, Bounds: w.Bounds,
				States: desktop.Enabled | desktop.Showing | desktop.Visible,
			})
		}
	}
	return frames, nil
}

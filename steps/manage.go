package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"understudy/steps/desktop"
)

func activateWindow(ctx context.Context, env *Env, a WindowArgs) (WindowResult, error) {
	return env.manage(ctx, a, desktop.WindowChange{Do: desktop.Activate}, func(w desktop.Window) bool { return w.Active && !w.Minimized })
}

func minimizeWindow(ctx context.Context, env *Env, a WindowArgs) (WindowResult, error) {
	return env.manage(ctx, a, desktop.WindowChange{Do: desktop.Minimize}, func(w desktop.Window) bool { return w.Minimized })
}

func maximizeWindow(ctx context.Context, env *Env, a WindowArgs) (WindowResult, error) {
	w, err := env.window(ctx, a)
	if err != nil {
		return WindowResult{}, err
	}
	if w.Minimized { // it would be large and unseen
		if err := env.raise(ctx, w.ID); err != nil {
			return WindowResult{}, err
		}
	}
	a.ID = w.ID
	return env.manage(ctx, a, desktop.WindowChange{Do: desktop.Maximize}, func(w desktop.Window) bool { return w.Maximized && !w.Minimized })
}

func moveWindow(ctx context.Context, env *Env, a MoveWindowArgs) (WindowResult, error) {
	w, err := env.window(ctx, a.WindowArgs)
	if err != nil {
		return WindowResult{}, err
	}
	to := w.Bounds
	if a.X != nil {
		to.X, to.Y = *a.X, *a.Y
	}
	if a.Width > 0 {
		to.W = int(a.Width)
	}
	if a.Height > 0 {
		to.H = int(a.Height)
	}
	a.ID = w.ID
	// A window manager may keep a window on its screen, and a window its
	// least size, so being elsewhere is told and is no failure.
	return env.manage(ctx, a.WindowArgs, desktop.WindowChange{Do: desktop.Place, Bounds: to}, func(w desktop.Window) bool { return w.Bounds == to })
}

// manage changes a window unless it is so already, and says whether the change
// was seen.
func (e *Env) manage(ctx context.Context, a WindowArgs, c desktop.WindowChange, is func(desktop.Window) bool) (WindowResult, error) {
	w, err := e.window(ctx, a)
	if err != nil {
		return WindowResult{}, err
	}
	if is(w) {
		return WindowResult{Window: w, Verified: true}, nil
	}
	if err := e.Desktop.Manage(ctx, w.ID, c); err != nil {
		return WindowResult{}, err
	}
	r := WindowResult{Window: w}
	err = e.follows(ctx, arrival, func(ctx context.Context) error {
		now, err := e.window(ctx, WindowArgs{ID: w.ID})
		if err != nil {
			return err
		}
		if r.Window = now; !is(now) {
			return Errorf(Unexpected, "not yet")
		}
		return nil
	})
	if err != nil && (ctx.Err() != nil || CodeOf(err) != Unexpected) {
		return r, err
	}
	r.Verified = err == nil
	return r, nil
}

func closeWindow(ctx context.Context, env *Env, a WindowArgs) (WindowResult, error) {
	w, err := env.window(ctx, a)
	if err != nil {
		return WindowResult{}, err
	}
	err = env.Desktop.Manage(ctx, w.ID, desktop.WindowChange{Do: desktop.Close})
	if errors.Is(err, desktop.ErrRefused) {
		return WindowResult{Window: w, Refused: err.Error()}, nil
	}
	if err != nil {
		return WindowResult{}, err
	}
	err = env.follows(ctx, arrival, func(ctx context.Context) error {
		if _, err := env.window(ctx, WindowArgs{ID: w.ID}); CodeOf(err) != NotFound {
			return errors.Join(err, Errorf(Unexpected, "still there"))
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return WindowResult{}, err
	}
	return WindowResult{Window: w, Verified: err == nil}, nil
}

// window waits for the one window that is meant.
func (e *Env) window(ctx context.Context, a WindowArgs) (w desktop.Window, err error) {
	err = e.until(ctx, a.TimeoutMS.Std(), func(ctx context.Context) error {
		all, err := e.Desktop.Windows.Windows(ctx)
		if err != nil {
			return fmt.Errorf("listing the windows: %w", err)
		}
		w, err = a.only(all)
		return err
	})
	return w, err
}

// only is the one window that fits.
func (a WindowArgs) only(all []desktop.Window) (desktop.Window, error) {
	fits := slices.DeleteFunc(slices.Clone(all), func(w desktop.Window) bool {
		return a.ID != 0 && w.ID != a.ID || w.Tooltip || !(desktop.Scope{Process: a.Process, Title: a.Title}).Admits(w.Process, w.Title)
	})
	switch len(fits) {
	case 1:
		return fits[0], nil
	case 0:
		if a.ID != 0 {
			return desktop.Window{}, &Error{Code: NotFound, Err: fmt.Errorf("there is no window with the id %d", a.ID), Next: "see which there are with get_applications_and_windows_list"}
		}
		return desktop.Window{}, noWindow(a.Process, a.Title)
	}
	var list strings.Builder
	for _, w := range fits {
		fmt.Fprintf(&list, "\n  %q of %s, id %d", w.Title, w.Process, w.ID)
	}
	return desktop.Window{}, &Error{Code: Ambiguous, Err: fmt.Errorf("%d windows fit and one was wanted:%s", len(fits), &list), Next: "give more of the title, or the id"}
}

// noWindow says that no window fits.
func noWindow(process, title string) error {
	text := "there is no window"
	if title != "" {
		text += fmt.Sprintf(" with %q in its title", title)
	}
	if process != "" {
		text += " of " + process
	}
	return &Error{Code: NotFound, Err: errors.New(text), Next: "see which there are with get_applications_and_windows_list"}
}

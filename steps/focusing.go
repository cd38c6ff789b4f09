package steps

import (
	"context"
	"errors"
	"time"

	"understudy/steps/desktop"
)

// focus is how long an element may take to say that it has the focus.
var focus = patience{least: time.Second, looks: 10}

// focusOptions say how an element gets the focus.
type focusOptions struct {
	grab  bool // by asking it
	click bool // by clicking it, when asking does not help
}

// focus gives an element the keyboard's focus and waits until it has it. What
// is typed without focus goes to who knows where, so that is a failure.
func (e *Env) focus(ctx context.Context, el *desktop.Element, o focusOptions) error {
	if !o.grab && !o.click {
		return nil
	}
	if el.Handle == "" {
		return e.focusPicture(ctx, el, o)
	}
	if has, err := e.focused(ctx, el); err != nil || has {
		return err
	}
	if o.grab {
		err := e.behind.GrabFocus(ctx, el.Handle)
		if err != nil && !errors.Is(err, desktop.ErrRefused) && !errors.Is(err, desktop.ErrUnavailable) {
			return err
		}
		if err == nil {
			if has, err := e.comesToFocus(ctx, el); err != nil || has {
				return err
			}
		}
	}
	if o.click {
		at, err := e.ready(ctx, el, time.Now(), need{point: middle})
		if err != nil {
			return err
		}
		if err := e.clickOn(ctx, el, at, desktop.Left, 1); err != nil {
			return err
		}
		if has, err := e.comesToFocus(ctx, el); err != nil || has {
			return err
		}
	}
	return notReady(el, "does not take the focus", "name the field itself, or set try_focus_before and try_click_before to false to type where the focus is")
}

// focusPicture clicks a picture. Whether that gave it the focus cannot be asked.
func (e *Env) focusPicture(ctx context.Context, el *desktop.Element, o focusOptions) error {
	if !o.click {
		return notReady(el, "is a picture, which takes the focus only by a click", "set try_click_before to true, or both to false to type where the focus is")
	}
	at, err := e.ready(ctx, el, time.Now(), need{point: middle})
	if err != nil {
		return err
	}
	return e.clickOn(ctx, el, at, desktop.Left, 1)
}

// focused says whether an element has the focus, in the active window.
func (e *Env) focused(ctx context.Context, el *desktop.Element) (bool, error) {
	now, err := e.Desktop.Refresh(ctx, el.Handle)
	if err != nil {
		return false, err
	}
	if !now.States.Has(desktop.Focused) {
		return false, nil
	}
	w, err := e.activeWindow(ctx)
	return err == nil && (w == nil || el.Window == 0 || w.ID == el.Window), err
}

// comesToFocus waits for the focus, and says whether it came.
func (e *Env) comesToFocus(ctx context.Context, el *desktop.Element) (bool, error) {
	has := false
	err := e.follows(ctx, focus, func(ctx context.Context) error {
		var err error
		if has, err = e.focused(ctx, el); err == nil && !has {
			err = Errorf(NotActionable, "no focus yet")
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return false, err
	}
	return has, nil
}

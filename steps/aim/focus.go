package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// FocusEffectLimit is how long an element may take to report that it has the focus.
var FocusEffectLimit = EffectLimit{Least: time.Second, Looks: 10}

// FocusOptions say how an element may be given the focus.
type FocusOptions struct {
	Grab  bool // by asking it
	Click bool // by clicking it, when asking does not help
}

// Focus gives el the keyboard focus and waits until it reports it. It is an error if
// it does not, because typed text would go elsewhere.
func Focus(ctx context.Context, hand *Hand, el *desktop.Element, o FocusOptions) error {
	if !o.Grab && !o.Click {
		return nil
	}
	if el.Handle == "" {
		return focusPicture(ctx, hand, el, o)
	}
	if has, err := hand.hasFocus(ctx, el); err != nil || has {
		return err
	}
	if o.Grab {
		err := hand.Unaccounted().Do(ctx, desktop.GrabFocus{Element: el.Handle})
		if err != nil && !errors.Is(err, desktop.ErrRefused) && !errors.Is(err, desktop.ErrUnavailable) {
			return err
		}
		if err == nil {
			if has, err := hand.waitForFocus(ctx, el); err != nil || has {
				return err
			}
			if has, err := hasActiveDescendant(ctx, hand.Desktop, el); err != nil || has {
				return err
			}
		}
	}
	if o.Click {
		if err := PressElement(ctx, hand, el, false); err != nil {
			return err
		}
		if has, err := hand.waitForFocus(ctx, el); err != nil || has {
			return err
		}
	}
	return NotActionable(el, "does not take the focus", "name the field itself, or set try_focus_before and try_click_before to false to type where the focus is")
}

// focusPicture clicks a picture match. It is unknown whether it took the focus.
func focusPicture(ctx context.Context, hand *Hand, el *desktop.Element, o FocusOptions) error {
	if !o.Click {
		return NotActionable(el, "is a picture, which takes the focus only by a click", "set try_click_before to true, or both to false to type where the focus is")
	}
	return PressElement(ctx, hand, el, false)
}

// HasFocus reports whether el has the focus and its window is active.
func HasFocus(ctx context.Context, d *desktop.Desktop, el *desktop.Element) (bool, error) {
	now, err := d.Refresh(ctx, el.Handle)
	if err != nil {
		return false, err
	}
	if !now.States.Has(desktop.Focused) {
		return false, nil
	}
	w, err := ActiveWindow(ctx, d)
	return err == nil && (w == nil || el.Window == 0 || w.ID == el.Window), err
}

// hasActiveDescendant reports whether an element of a page that took the focus passes it on to one of
// its parts, such as a list to an option: the keys go to the element, and the tree tells of the part.
func hasActiveDescendant(ctx context.Context, d *desktop.Desktop, el *desktop.Element) (bool, error) {
	if el.Attributes["tag"] == "" || !el.States.Has(desktop.Focusable) || el.States.Has(desktop.Editable) {
		return false, nil
	}
	tree, err := d.Tree(ctx, desktop.Scope{Root: el.Handle})
	if err != nil {
		return false, err
	}
	other := func(e *desktop.Element) bool { return !e.States.Has(desktop.Focused) || e.States.Has(desktop.Editable) }
	if !slices.ContainsFunc(tree.Roots, func(r *desktop.Element) bool { return !r.Walk(other) }) {
		return false, nil
	}
	return true, CheckWindowHasKeyboard(ctx, d, el)
}

// CheckWindowHasKeyboard returns an error if another window than that of el is active. A
// popup is never active: its application passes the keys on to it.
func CheckWindowHasKeyboard(ctx context.Context, d *desktop.Desktop, el *desktop.Element) error {
	windows, err := d.Windows(ctx)
	own, active := windows.ByID(el.Window), windows.Active()
	if err != nil || own == nil || own.Popup || active == nil || active.ID == own.ID {
		return err
	}
	return NotActionable(el, fmt.Sprintf("does not get the keys: %q has the focus", active.Title), "bring its window to the front, or name the window that should get them")
}

// WaitForFocus reports whether el gets the focus within a limit.
func WaitForFocus(ctx context.Context, d *desktop.Desktop, el *desktop.Element, limit EffectLimit) (bool, error) {
	return waitForFocus(ctx, limit, func(ctx context.Context) (bool, error) { return HasFocus(ctx, d, el) })
}

func waitForFocus(ctx context.Context, limit EffectLimit, now func(context.Context) (bool, error)) (bool, error) {
	has := false
	err := WaitForEffect(ctx, limit, func(ctx context.Context) error {
		var err error
		if has, err = now(ctx); err == nil && !has {
			err = steps.Errorf(steps.NotActionable, "no focus yet")
		}
		return err
	})
	if err != nil && ctx.Err() != nil {
		return false, err
	}
	return has, nil
}

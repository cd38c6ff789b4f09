package steps

import (
	"context"
	"errors"

	"understudy/steps/desktop"
)

// ActivateElement brings the window of an element to the front and focuses it.
var ActivateElement = Define(Kind{
	Name:       "activate_element",
	Summary:    "Bring an element's window to the front and give the element the focus.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, ActivateElementArgs{Target: aimed, Around: around}, activateElement)

// ActivateElementArgs says which element to bring to the front.
type ActivateElementArgs struct {
	Target
	Around
}

func activateElement(ctx context.Context, env *Env, a ActivateElementArgs) (ElementResult, error) {
	el, _, err := env.aim(ctx, a.Target, need{hidden: true})
	if err != nil {
		return ElementResult{}, err
	}
	r := ElementResult{Element: plain(el)}
	r.After, err = env.around(ctx, a.Around, el, func() (bool, error) {
		if err := env.raise(ctx, el.Window); err != nil {
			return false, err
		}
		if el.States.Has(desktop.Focusable) {
			if err := env.Desktop.GrabFocus(ctx, el.Handle); err != nil && !errors.Is(err, desktop.ErrRefused) {
				return false, err
			}
			return env.comesToFocus(ctx, el)
		}
		w, err := env.activeWindow(ctx)
		return w != nil && w.ID == el.Window, err
	})
	return r, err
}

// raise activates a window, as an act of its own.
func (e *Env) raise(ctx context.Context, id desktop.WindowID) error {
	if id == 0 {
		return nil
	}
	return e.Desktop.Manage(ctx, id, desktop.WindowChange{Do: desktop.Activate})
}

package kinds

import (
	"context"
	"errors"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
	"understudy/steps/observe"
)

// ActivateElement brings the window of an element to the front and focuses it.
var ActivateElement = steps.Define(steps.Kind{
	Name:       "activate_element",
	Summary:    "Bring an element's window to the front and give the element the focus.",
	Toolset:    steps.Desktop,
	Touches:    steps.Act,
	Focus:      steps.Take,
	Idempotent: true,
}, ActivateElementArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions}, aim.With(activateElement))

// ActivateElementArgs says which element to bring to the front.
type ActivateElementArgs struct {
	aim.Target
	observe.ActionOptions
}

func activateElement(ctx context.Context, hand *aim.Hand, a ActivateElementArgs) (observe.ElementResult, error) {
	el, _, err := aim.At(ctx, hand, a.Target, aim.Requirement{Hidden: true})
	if err != nil {
		return observe.ElementResult{}, err
	}
	r := observe.ElementResult{Element: aim.Plain(el)}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (bool, error) {
		if err := aim.Raise(ctx, hand.Desktop, el.Window); err != nil {
			return false, err
		}
		if el.States.Has(desktop.Focusable) {
			if err := hand.Desktop.Do(ctx, desktop.GrabFocus{Element: el.Handle}); err != nil && !errors.Is(err, desktop.ErrRefused) {
				return false, err
			}
			return aim.WaitForFocus(ctx, hand.Desktop, el)
		}
		w, err := aim.ActiveWindow(ctx, hand.Desktop)
		return w != nil && w.ID == el.Window, err
	})
	return r, err
}

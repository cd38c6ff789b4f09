package kinds

import (
	"context"
	"errors"
	"fmt"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// ActivateElement brings the window of an element to the front and focuses it.
var ActivateElement = steps.Define(steps.Kind{
	Name:       "activate_element",
	Summary:    "Bring an element's window to the front and give the element the focus.",
	Toolset:    steps.Desktop,
	Focus:      steps.Take,
	Idempotent: true,
}, ActivateElementArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions}, aim.With(activateElement))

// ActivateElementArgs says which element to bring to the front.
type ActivateElementArgs struct {
	aim.Target `in:"target"`
	observe.ActionOptions
}

func activateElement(ctx context.Context, hand *aim.Hand, a ActivateElementArgs) (observe.ElementResult, error) {
	el, _, err := aim.At(ctx, hand, a.Target, aim.Requirement{Hidden: true})
	if err != nil {
		return observe.ElementResult{}, err
	}
	r := observe.ElementResult{Element: aim.Plain(el)}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		if err := aim.Raise(ctx, hand.Desktop, el.Window); err != nil {
			return observe.Unchecked, err
		}
		if el.States.Has(desktop.Focusable) {
			if err := hand.Desktop.Do(ctx, desktop.GrabFocus{Element: el.Handle}); err != nil && !errors.Is(err, desktop.ErrRefused) {
				return observe.Unchecked, err
			}
			has, err := aim.WaitForFocus(ctx, hand.Desktop, el, aim.FocusEffectLimit)
			if err == nil && !has {
				err = &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("%s did not take the focus%s", aim.Describe(el), aim.FocusedElsewhere(ctx, hand.Desktop)), Next: "click it with click_element"}
			}
			return observe.YesIf(err == nil), err
		}
		w, err := aim.ActiveWindow(ctx, hand.Desktop)
		if err == nil && (w == nil || w.ID != el.Window) {
			err = &steps.Error{Code: steps.Unexpected, Err: fmt.Errorf("the window of %s did not become active", aim.Describe(el)), Next: "check which window came to the front instead"}
		}
		return observe.YesIf(err == nil), err
	})
	return r, err
}

package kinds

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// InvokeElement performs an element's own action, without the mouse.
var InvokeElement = steps.Define(steps.Kind{
	Name:    "invoke_element",
	Summary: "Do an element's own action (press a button, follow a link, open a menu) without the mouse.",
	Details: "Works also when the element is covered or scrolled away.",
	Toolset: steps.Desktop,
	Focus:   steps.Take,
}, InvokeArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions}, aim.With(invokeElement))

// InvokeArgs says which element to invoke.
type InvokeArgs struct {
	aim.Target `in:"target"`
	Action     string `json:"action,omitzero" jsonschema:"the name of the action; without it the element's default"`
	observe.ActionOptions
}

func invokeElement(ctx context.Context, hand *aim.Hand, a InvokeArgs) (observe.ElementResult, error) {
	el, _, err := aim.At(ctx, hand, a.Target, aim.Requirement{Handle: true, Enabled: true})
	if err != nil {
		return observe.ElementResult{}, err
	}
	if a.Action != "" && len(el.Actions) > 0 && !slices.Contains(el.Actions, a.Action) {
		return observe.ElementResult{}, aim.NotActionable(el, fmt.Sprintf("has no action %q, only %q", a.Action, el.Actions), "use one of those")
	}
	r := observe.ElementResult{Element: aim.Plain(el)}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		if err := aim.CheckSameRow(ctx, hand.Desktop, el); err != nil {
			return observe.Unchecked, err
		}
		err := hand.Desktop.Do(ctx, desktop.Invoke{Element: el.Handle, Action: a.Action})
		if errors.Is(err, desktop.ErrRefused) {
			err = &steps.Error{Code: steps.NotActionable, Err: err, Next: "click it with click_element"}
		}
		if err != nil {
			return observe.Unchecked, err
		}
		if a.RestoreFocus != nil && *a.RestoreFocus {
			if err := takesFocus(ctx, hand.Desktop, el); err != nil {
				return observe.Unchecked, err
			}
		}
		return observe.WaitForToggle(ctx, hand.Desktop, el)
	})
	return r, err
}

// takesFocus waits until an element of a page has taken the focus, as most do after
// their action. A browser reports it late, and a focus that is restored before that is
// lost again. Some elements never take it, which is no error.
func takesFocus(ctx context.Context, d *desktop.Desktop, el *desktop.Element) error {
	if _, page := el.Attributes["tag"]; !page || !el.States.Has(desktop.Focusable) {
		return nil
	}
	_, err := aim.WaitForFocus(ctx, d, el, observe.TogglePatience(el))
	return err
}

package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"understudy/steps/desktop"
)

// InvokeElement does an element's own action, without the mouse.
var InvokeElement = Define(Kind{
	Name:    "invoke_element",
	Summary: "Do an element's own action (press a button, follow a link, open a menu) without the mouse.",
	Details: "Works also when the element is covered or scrolled away.",
	Toolset: Desktop,
	Touches: Act,
	Focus:   Take,
}, InvokeArgs{Target: aimed, Around: around}, invokeElement)

// InvokeArgs says which element to invoke.
type InvokeArgs struct {
	Target
	Action string `json:"action,omitzero" jsonschema:"the name of the action; without it the element's default"`
	Around
}

func invokeElement(ctx context.Context, env *Env, a InvokeArgs) (ElementResult, error) {
	el, _, err := env.aim(ctx, a.Target, need{handle: true, enabled: true})
	if err != nil {
		return ElementResult{}, err
	}
	if a.Action != "" && len(el.Actions) > 0 && !slices.Contains(el.Actions, a.Action) {
		return ElementResult{}, notReady(el, fmt.Sprintf("has no action %q, only %q", a.Action, el.Actions), "use one of those")
	}
	r := ElementResult{Element: plain(el)}
	r.After, err = env.around(ctx, a.Around, el, func() (bool, error) {
		err := env.Desktop.Invoke(ctx, el.Handle, a.Action)
		if errors.Is(err, desktop.ErrRefused) {
			err = &Error{Code: NotActionable, Err: err, Next: "click it with click_element"}
		}
		if err != nil {
			return false, err
		}
		if a.RestoreFocus != nil && *a.RestoreFocus {
			if err := env.takesFocus(ctx, el); err != nil {
				return false, err
			}
		}
		return env.turned(ctx, el)
	})
	return r, err
}

// takesFocus waits until an element of a page has taken the focus, as most do
// when their action is done. A browser hears of it late, and a focus that is
// given back before that is lost again. Not every element takes it.
func (e *Env) takesFocus(ctx context.Context, el *desktop.Element) error {
	if _, page := el.Attributes["tag"]; !page || !el.States.Has(desktop.Focusable) {
		return nil
	}
	_ = e.follows(ctx, turning(el), func(ctx context.Context) error {
		has, err := e.focused(ctx, el)
		if err == nil && !has {
			err = Errorf(NotActionable, "no focus yet")
		}
		return err
	})
	return context.Cause(ctx)
}

package kinds

import (
	"context"
	"errors"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// PressKey presses keys on an element, or where the focus is.
var PressKey = steps.Define(steps.Kind{
	Name:    "press_key",
	Summary: "Press keys on an element or where the focus is.",
	Toolset: steps.Core,
	Focus:   steps.Take,
}, PressKeyArgs{Target: aim.DefaultTarget, ActionOptions: observe.DefaultActionOptions, TryFocusBefore: true, TryClickBefore: true}, aim.With(pressKey))

// PressKeyArgs says which keys to press, and where.
type PressKeyArgs struct {
	aim.Target `in:"target"`
	Key        steps.Keys `json:"key" use:"typed" jsonschema:"the keys: enter, ctrl+s, {Tab}{Tab}"`
	aim.KeyWindow
	TryFocusBefore bool `json:"try_focus_before,omitzero" use:"rare" jsonschema:"give the element the focus first"`
	TryClickBefore bool `json:"try_click_before,omitzero" use:"rare" jsonschema:"click the element when it does not take the focus otherwise"`
	observe.ActionOptions
}

// PressKeyResult says what got the keys.
type PressKeyResult struct {
	Window string `json:"window,omitzero" jsonschema:"the window that got the keys"`
	observe.ElementResult
}

// Validate allows that no element is named.
func (a *PressKeyArgs) Validate() error {
	if !a.Named() {
		return nil
	}
	if a.ExpectWindow != "" {
		return errors.New("expect_window is for keys that name no element")
	}
	return a.Target.Validate()
}

func pressKey(ctx context.Context, hand *aim.Hand, a PressKeyArgs) (r PressKeyResult, err error) {
	chords, err := chordsOf(hand.Env, a.Key)
	if err != nil {
		return r, err
	}
	if err := a.Await(ctx, hand.Env); err != nil {
		return r, err
	}
	var el *desktop.Element
	if a.Named() {
		if el, _, err = aim.At(ctx, hand, a.Target, aim.Requirement{Enabled: true, Windows: a.WindowOptions}); err != nil {
			return r, err
		}
	}
	r.Element = aim.Plain(el)
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, el, func() (observe.Checked, error) {
		var err error
		switch {
		case el == nil:
		case el.Handle == "" || el.States.Has(desktop.Focusable):
			err = aim.Focus(ctx, hand, el, aim.FocusOptions{Grab: a.TryFocusBefore, Click: a.TryClickBefore})
		default: // a window only comes to the front
			err = aim.CheckWindowHasKeyboard(ctx, hand.Desktop, el)
		}
		if err != nil {
			return observe.Unchecked, err
		}
		return observe.Unchecked, notingFocus(ctx, hand.Env, func() (err error) {
			if el != nil {
				return aim.PressKeysIn(ctx, hand.Desktop, el, chords)
			}
			_, err = aim.PressWhereTheFocusIs(ctx, hand, chords)
			return err
		})
	})
	r.Window = hand.KeysWentTo()
	return r, err
}

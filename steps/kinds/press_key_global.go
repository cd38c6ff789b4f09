package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// PressKeyGlobal presses keys for the active window, or that of an application.
var PressKeyGlobal = steps.Define(steps.Kind{
	Name:    "press_key_global",
	Summary: "Press keys in the active window, or in the window of an application.",
	Toolset: steps.Desktop,
	Focus:   steps.Take,
}, PressKeyGlobalArgs{ActionOptions: observe.DefaultActionOptions}, aim.With(pressKeyGlobal))

// PressKeyGlobalArgs says which keys to press.
type PressKeyGlobalArgs struct {
	Process string     `json:"process,omitzero" jsonschema:"the application whose window is brought to the front first"`
	Key     steps.Keys `json:"key" use:"typed" jsonschema:"the keys: escape, ctrl+v, {Alt}{F4}"`
	aim.KeyWindow
	observe.ActionOptions
}

// PressKeyGlobalResult says who took the keys.
type PressKeyGlobalResult struct {
	Global bool   `json:"global,omitzero" jsonschema:"a program took a key that it takes wherever it is pressed, such as a shortcut of the window manager"`
	Window string `json:"window,omitzero" jsonschema:"the window that got the keys"`
	observe.ActionResult
}

func pressKeyGlobal(ctx context.Context, hand *aim.Hand, a PressKeyGlobalArgs) (r PressKeyGlobalResult, err error) {
	chords, err := chordsOf(hand.Env, a.Key)
	if err != nil {
		return r, err
	}
	if a.Process != "" {
		if err := aim.ActivateApplication(ctx, hand, a.Process); err != nil {
			return r, err
		}
	}
	if err := a.Await(ctx, hand.Env); err != nil {
		return r, err
	}
	r.ActionResult, err = observe.Action(ctx, hand, a.ActionOptions, nil, func() (observe.Checked, error) {
		return observe.Unchecked, notingFocus(ctx, hand.Env, func() (err error) {
			r.Global, err = aim.PressWhereTheFocusIs(ctx, hand, chords)
			return err
		})
	})
	r.Window = hand.KeysWentTo()
	return r, err
}

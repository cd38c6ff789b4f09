package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/desktop"
)

// KeyDown presses a key and keeps it down.
var KeyDown = steps.Define(steps.Kind{
	Name:       "key_down",
	Summary:    "Press a key and hold it until key_up, or until the run ends.",
	Toolset:    steps.Desktop,
	Touches:    steps.Act,
	Focus:      steps.Take,
	Idempotent: true,
}, KeyArgs{}, keyDown)

// KeyArgs names one key.
type KeyArgs struct {
	Key desktop.Key `json:"key" use:"typed" jsonschema:"the key: shift, ctrl, a, f5"`
}

// KeyResult names the key in our words.
type KeyResult struct {
	Key desktop.Key `json:"key" jsonschema:"the key"`
}

func keyDown(ctx context.Context, env *steps.Env, a KeyArgs) (KeyResult, error) {
	return oneKey(ctx, env, a, func(k desktop.Key) desktop.Action { return desktop.KeyDown{Key: k} })
}

// oneKey does something with a key that may be a letter of a secret.
func oneKey(ctx context.Context, env *steps.Env, a KeyArgs, with func(desktop.Key) desktop.Action) (KeyResult, error) {
	k, err := desktop.ParseKey(string(a.Key))
	if err != nil {
		return KeyResult{}, &steps.Error{Code: steps.Invalid, Err: err}
	}
	if !(desktop.Chord{Key: k}).EntersText() {
		env.NoteTyped(false)
	}
	err = notingFocus(ctx, env, func() error { return env.Desktop.Do(ctx, with(k)) })
	if env.Typed() == steps.TypedHidden {
		k = a.Key // in the words by which it is known to be a secret
	}
	return KeyResult{k}, err
}

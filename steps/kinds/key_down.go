package kinds

import (
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// KeyDown presses a key and keeps it down.
var KeyDown = steps.Define(desktopKind("key_down", "Press a key and hold it until key_up, or until the run ends."), KeyDownArgs{},
	func(ctx context.Context, env *steps.Env, a KeyDownArgs) (KeyResult, error) {
		if err := a.Await(ctx, env); err != nil {
			return KeyResult{}, err
		}
		return actWithKey(ctx, env, a.KeyArgs, func(k desktop.Key) desktop.Action { return desktop.KeyDown{Key: k} })
	})

// KeyDownArgs names one key, and may name the window that is to get it.
type KeyDownArgs struct {
	KeyArgs
	aim.KeyWindow
}

// KeyArgs names one key.
type KeyArgs struct {
	Key desktop.Key `json:"key" use:"typed" jsonschema:"the key: shift, ctrl, a, f5"`
}

// KeyResult names the key in our words.
type KeyResult struct {
	Key desktop.Key `json:"key" jsonschema:"the key"`
}

// actWithKey acts with one key, which may be a letter of a secret.
func actWithKey(ctx context.Context, env *steps.Env, a KeyArgs, act func(desktop.Key) desktop.Action) (KeyResult, error) {
	k, err := desktop.ParseKey(string(a.Key))
	if err != nil {
		return KeyResult{}, &steps.Error{Code: steps.Invalid, Err: err}
	}
	if !(desktop.Chord{Key: k}).EntersText() {
		env.NoteTyped(false)
	}
	err = notingFocus(ctx, env, func() error { return env.Desktop.Do(ctx, act(k)) })
	if env.Typed() == steps.TypedHidden {
		k = a.Key // as the caller wrote it, which is recognised as a secret
	}
	return KeyResult{k}, err
}

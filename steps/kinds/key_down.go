package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/desktop"
)

// KeyDown presses a key and keeps it down.
var KeyDown = keyKind("key_down", "Press a key and hold it until key_up, or until the run ends.",
	func(k desktop.Key) desktop.Action { return desktop.KeyDown{Key: k} })

// KeyArgs names one key.
type KeyArgs struct {
	Key desktop.Key `json:"key" use:"typed" jsonschema:"the key: shift, ctrl, a, f5"`
}

// KeyResult names the key in our words.
type KeyResult struct {
	Key desktop.Key `json:"key" jsonschema:"the key"`
}

// keyKind declares a kind that acts with one key, which may be a letter of a secret.
func keyKind(name, summary string, act func(desktop.Key) desktop.Action) steps.Kind {
	return steps.Define(desktopKind(name, summary), KeyArgs{}, func(ctx context.Context, env *steps.Env, a KeyArgs) (KeyResult, error) {
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
	})
}

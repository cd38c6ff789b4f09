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
	Key desktop.Key `json:"key" jsonschema:"the key: shift, ctrl, a, f5"`
}

// KeyResult names the key in our words.
type KeyResult struct {
	Key desktop.Key `json:"key" jsonschema:"the key"`
}

func keyDown(ctx context.Context, env *steps.Env, a KeyArgs) (KeyResult, error) {
	k, err := desktop.ParseKey(string(a.Key))
	if err != nil {
		return KeyResult{}, &steps.Error{Code: steps.Invalid, Err: err}
	}
	return KeyResult{k}, env.Desktop.Do(ctx, desktop.KeyDown{Key: k})
}

package steps

import (
	"context"

	"understudy/steps/desktop"
)

// KeyDown presses a key and keeps it down.
var KeyDown = Define(Kind{
	Name:       "key_down",
	Summary:    "Press a key and hold it until key_up, or until the run ends.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, KeyArgs{}, keyDown)

// KeyUp lets go of a key.
var KeyUp = Define(Kind{
	Name:       "key_up",
	Summary:    "Let go of a key that key_down holds.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, KeyArgs{}, keyUp)

// KeyArgs names one key.
type KeyArgs struct {
	Key desktop.Key `json:"key" jsonschema:"the key: shift, ctrl, a, f5"`
}

// KeyResult names the key in our words.
type KeyResult struct {
	Key desktop.Key `json:"key" jsonschema:"the key"`
}

func keyDown(ctx context.Context, env *Env, a KeyArgs) (KeyResult, error) {
	k, err := desktop.ParseKey(string(a.Key))
	if err != nil {
		return KeyResult{}, &Error{Code: Invalid, Err: err}
	}
	return KeyResult{k}, env.Desktop.KeyDown(ctx, k)
}

func keyUp(ctx context.Context, env *Env, a KeyArgs) (KeyResult, error) {
	k, err := desktop.ParseKey(string(a.Key))
	if err != nil {
		return KeyResult{}, &Error{Code: Invalid, Err: err}
	}
	return KeyResult{k}, env.Desktop.KeyUp(ctx, k)
}

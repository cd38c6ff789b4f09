package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/desktop"
)

// KeyUp lets go of a key.
var KeyUp = steps.Define(steps.Kind{
	Name:       "key_up",
	Summary:    "Let go of a key that key_down holds.",
	Toolset:    steps.Desktop,
	Touches:    steps.Act,
	Focus:      steps.Take,
	Idempotent: true,
}, KeyArgs{}, keyUp)

func keyUp(ctx context.Context, env *steps.Env, a KeyArgs) (KeyResult, error) {
	return oneKey(ctx, env, a, func(k desktop.Key) desktop.Action { return desktop.KeyUp{Key: k} })
}

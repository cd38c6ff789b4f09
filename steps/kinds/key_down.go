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

package kinds

import (
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
)

// KeyUp releases a key.
var KeyUp = steps.Define(desktopKind("key_up", "Release a key that key_down pressed."), KeyArgs{},
	func(ctx context.Context, env *steps.Env, a KeyArgs) (KeyResult, error) {
		return actWithKey(ctx, env, a, func(k desktop.Key) desktop.Action { return desktop.KeyUp{Key: k} })
	})

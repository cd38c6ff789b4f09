package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/desktop"
)

// MouseUp lets go of a mouse button.
var MouseUp = steps.Define(steps.Kind{
	Name:       "mouse_up",
	Summary:    "Let go of a mouse button that mouse_down holds.",
	Toolset:    steps.Desktop,
	Touches:    steps.Act,
	Focus:      steps.Take,
	Idempotent: true,
}, MouseButtonArgs{Button: desktop.Left}, mouseUp)

func mouseUp(ctx context.Context, env *steps.Env, a MouseButtonArgs) (PointerResult, error) {
	return a.at(ctx, env.Desktop, desktop.ButtonUp{Button: a.Button})
}

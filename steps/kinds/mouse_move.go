package kinds

import (
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// MouseMove moves the pointer.
var MouseMove = steps.Define(steps.Kind{
	Name:       "mouse_move",
	Summary:    "Move the pointer to a point of the screen.",
	Toolset:    steps.Desktop,
	Focus:      steps.Take,
	Idempotent: true,
}, MouseMoveArgs{}, mouseMove)

// MouseMoveArgs says where to move to.
type MouseMoveArgs struct {
	X int `json:"x" jsonschema:"the distance from the left edge of the screen, in pixels"`
	Y int `json:"y" jsonschema:"the distance from the top edge of the screen, in pixels"`
}

func mouseMove(ctx context.Context, env *steps.Env, a MouseMoveArgs) (PointerResult, error) {
	at := desktop.Point{X: a.X, Y: a.Y}
	if err := aim.OnScreen(ctx, env.Desktop, at); err != nil {
		return PointerResult{}, err
	}
	return PointerResult{at}, env.Desktop.Do(ctx, desktop.MovePointer{To: at})
}

package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
)

// MouseDown presses a mouse button and keeps it down.
var MouseDown = steps.Define(steps.Kind{
	Name:       "mouse_down",
	Summary:    "Press a mouse button and hold it until mouse_up, or until the run ends.",
	Toolset:    steps.Desktop,
	Touches:    steps.Act,
	Focus:      steps.Take,
	Idempotent: true,
}, MouseButtonArgs{Button: desktop.Left}, mouseDown)

// MouseButtonArgs says which button, and where.
type MouseButtonArgs struct {
	aim.Position
	Button desktop.Button `json:"button,omitzero" jsonschema:"the mouse button"`
}

func mouseDown(ctx context.Context, env *steps.Env, a MouseButtonArgs) (PointerResult, error) {
	return a.at(ctx, env.Desktop, desktop.ButtonDown{Button: a.Button})
}

// at does something with the button at the place that is given.
func (a *MouseButtonArgs) at(ctx context.Context, d *desktop.Desktop, do desktop.Action) (PointerResult, error) {
	at, err := aim.PointOf(ctx, d, a.Position)
	if err != nil {
		return PointerResult{}, err
	}
	if a.X != nil {
		if err := d.Do(ctx, desktop.MovePointer{To: at}); err != nil {
			return PointerResult{}, err
		}
	}
	return PointerResult{at}, d.Do(ctx, do)
}

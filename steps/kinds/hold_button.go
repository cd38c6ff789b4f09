package kinds

import (
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// HoldButton presses a mouse button and keeps it down, or releases it, at a point or
// where the pointer is.
var HoldButton = steps.Define(desktopKind("hold_button", "Press a mouse button and hold it, until it is let go or the run ends."), HoldButtonArgs{Button: desktop.Left}, holdButton)

// HoldButtonArgs names a button and a point.
type HoldButtonArgs struct {
	Do Hold `json:"do" jsonschema:"up lets it go"`
	aim.Position
	Button desktop.Button `json:"button,omitzero" jsonschema:"the mouse button"`
}

func holdButton(ctx context.Context, env *steps.Env, a HoldButtonArgs) (PointerResult, error) {
	at, err := aim.PointOf(ctx, env.Desktop, a.Position)
	if err == nil && a.X != nil {
		err = env.Desktop.Do(ctx, desktop.MovePointer{To: at})
	}
	if err != nil {
		return PointerResult{}, err
	}
	var act desktop.Action = desktop.ButtonDown{Button: a.Button}
	if a.Do == HoldUp {
		act = desktop.ButtonUp{Button: a.Button}
	}
	return PointerResult{at}, env.Desktop.Do(ctx, act)
}

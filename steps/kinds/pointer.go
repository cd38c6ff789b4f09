package kinds

import (
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// PointerResult says where the pointer is.
type PointerResult struct {
	At desktop.Point `json:"at" jsonschema:"where the pointer is"`
}

// MouseButtonArgs names a button and a point.
type MouseButtonArgs struct {
	aim.Position
	Button desktop.Button `json:"button,omitzero" jsonschema:"the mouse button"`
}

// buttonKind declares a kind that acts with a mouse button at a point, or where the
// pointer is.
func buttonKind(name, summary string, act func(desktop.Button) desktop.Action) steps.Kind {
	return steps.Define(desktopKind(name, summary), MouseButtonArgs{Button: desktop.Left}, func(ctx context.Context, env *steps.Env, a MouseButtonArgs) (PointerResult, error) {
		at, err := aim.PointOf(ctx, env.Desktop, a.Position)
		if err == nil && a.X != nil {
			err = env.Desktop.Do(ctx, desktop.MovePointer{To: at})
		}
		if err != nil {
			return PointerResult{}, err
		}
		return PointerResult{at}, env.Desktop.Do(ctx, act(a.Button))
	})
}

// countTrue returns how many are true.
func countTrue(all ...bool) (n int) {
	for _, is := range all {
		if is {
			n++
		}
	}
	return n
}

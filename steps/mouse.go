package steps

import (
	"context"

	"understudy/steps/desktop"
)

// MouseMove moves the pointer.
var MouseMove = Define(Kind{
	Name:       "mouse_move",
	Summary:    "Move the pointer to a point of the screen.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, MouseMoveArgs{}, mouseMove)

// MouseMoveArgs says where to move to.
type MouseMoveArgs struct {
	X int `json:"x" jsonschema:"the distance from the left edge of the screen, in pixels"`
	Y int `json:"y" jsonschema:"the distance from the top edge of the screen, in pixels"`
}

// PointerResult says where the pointer is.
type PointerResult struct {
	At desktop.Point `json:"at" jsonschema:"where the pointer is"`
}

// MouseDown presses a mouse button and keeps it down.
var MouseDown = Define(Kind{
	Name:       "mouse_down",
	Summary:    "Press a mouse button and hold it until mouse_up, or until the run ends.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, MouseButtonArgs{Button: desktop.Left}, mouseDown)

// MouseUp lets go of a mouse button.
var MouseUp = Define(Kind{
	Name:       "mouse_up",
	Summary:    "Let go of a mouse button that mouse_down holds.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, MouseButtonArgs{Button: desktop.Left}, mouseUp)

// MouseButtonArgs says which button, and where.
type MouseButtonArgs struct {
	Place
	Button desktop.Button `json:"button,omitzero" jsonschema:"the mouse button"`
}

// Validate wants a whole point or none.
func (a *MouseButtonArgs) Validate() error {
	_, err := a.Given()
	return err
}

func mouseMove(ctx context.Context, env *Env, a MouseMoveArgs) (PointerResult, error) {
	at := desktop.Point{X: a.X, Y: a.Y}
	if err := env.onScreen(ctx, at); err != nil {
		return PointerResult{}, err
	}
	return PointerResult{at}, env.Desktop.MovePointer(ctx, at)
}

func mouseDown(ctx context.Context, env *Env, a MouseButtonArgs) (PointerResult, error) {
	return a.at(ctx, env, env.Desktop.ButtonDown)
}

func mouseUp(ctx context.Context, env *Env, a MouseButtonArgs) (PointerResult, error) {
	return a.at(ctx, env, env.Desktop.ButtonUp)
}

// at does something with the button at the place that is given.
func (a *MouseButtonArgs) at(ctx context.Context, env *Env, do func(context.Context, desktop.Button) error) (PointerResult, error) {
	at, err := env.point(ctx, a.Place)
	if err != nil {
		return PointerResult{}, err
	}
	if a.X != nil {
		if err := env.Desktop.MovePointer(ctx, at); err != nil {
			return PointerResult{}, err
		}
	}
	return PointerResult{at}, do(ctx, a.Button)
}

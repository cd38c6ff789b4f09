package steps

import (
	"context"
	"errors"
	"time"

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

// MouseDrag drags from one point to another.
var MouseDrag = Define(Kind{
	Name:    "mouse_drag",
	Summary: "Press a mouse button at one point, move to another and let go.",
	Toolset: Desktop,
	Touches: Act,
	Focus:   Take,
}, MouseDragArgs{Target: aimed, Around: around, Button: desktop.Left}, mouseDrag)

// MouseDragArgs says from where to where. An element that is named must be
// there first, and its window comes to the front.
type MouseDragArgs struct {
	Target
	StartX int            `json:"start_x" jsonschema:"where to press: the distance from the left edge of the screen"`
	StartY int            `json:"start_y" jsonschema:"where to press: the distance from the top edge of the screen"`
	EndX   int            `json:"end_x" jsonschema:"where to let go: the distance from the left edge of the screen"`
	EndY   int            `json:"end_y" jsonschema:"where to let go: the distance from the top edge of the screen"`
	Button desktop.Button `json:"button,omitzero" jsonschema:"the mouse button"`
	Around
}

// Validate allows that no element is named, and wants a distance.
func (a *MouseDragArgs) Validate() error {
	if a.StartX == a.EndX && a.StartY == a.EndY {
		return errors.New("the start and the end are the same point; use click_element")
	}
	if !a.Named() {
		return nil
	}
	return a.Target.Validate()
}

// MouseDragResult says what was dragged.
type MouseDragResult struct {
	From desktop.Point `json:"from" jsonschema:"where the button was pressed"`
	To   desktop.Point `json:"to" jsonschema:"where it was let go"`
	After
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

const (
	// dragSteps is in how many moves a drag goes from its start to its end:
	// applications take one jump for a click that slipped.
	dragSteps = 12
	dragEvery = 10 * time.Millisecond
)

func mouseDrag(ctx context.Context, env *Env, a MouseDragArgs) (MouseDragResult, error) {
	from, to := desktop.Point{X: a.StartX, Y: a.StartY}, desktop.Point{X: a.EndX, Y: a.EndY}
	for _, p := range []desktop.Point{from, to} {
		if err := env.onScreen(ctx, p); err != nil {
			return MouseDragResult{}, err
		}
	}
	var el *desktop.Element
	if a.Named() {
		var err error
		if el, _, err = env.aim(ctx, a.Target, need{windows: a.WindowOptions}); err != nil {
			return MouseDragResult{}, err
		}
	}
	r := MouseDragResult{From: from, To: to}
	var err error
	r.After, err = env.around(ctx, a.Around, el, func() (bool, error) { return false, env.drag(ctx, from, to, a.Button) })
	return r, err
}

// drag holds a button from one point to another, and lets go of it whatever
// happens.
func (e *Env) drag(ctx context.Context, from, to desktop.Point, b desktop.Button) (err error) {
	if err := e.Desktop.MovePointer(ctx, from); err != nil {
		return err
	}
	defer func() {
		free, cancel := lettingGo(ctx)
		defer cancel()
		err = errors.Join(err, e.Desktop.ButtonUp(free, b))
	}()
	if err := e.Desktop.ButtonDown(ctx, b); err != nil {
		return err
	}
	for i := 1; i <= dragSteps; i++ {
		at := desktop.Point{X: from.X + (to.X-from.X)*i/dragSteps, Y: from.Y + (to.Y-from.Y)*i/dragSteps}
		if err := e.Desktop.MovePointer(ctx, at); err != nil {
			return err
		}
		if err := Sleep(ctx, dragEvery); err != nil {
			return err
		}
	}
	return nil
}

package steps

import (
	"errors"

	"understudy/steps/desktop"
)

// MouseMove moves the pointer.
var MouseMove = Define[MouseMoveArgs, PointerResult](Kind{
	Name:       "mouse_move",
	Summary:    "Move the pointer to a point of the screen.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, MouseMoveArgs{}, nil)

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
var MouseDown = Define[MouseButtonArgs, PointerResult](Kind{
	Name:       "mouse_down",
	Summary:    "Press a mouse button and hold it until mouse_up, or until the run ends.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, MouseButtonArgs{Button: desktop.Left}, nil)

// MouseUp lets go of a mouse button.
var MouseUp = Define[MouseButtonArgs, PointerResult](Kind{
	Name:       "mouse_up",
	Summary:    "Let go of a mouse button that mouse_down holds.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, MouseButtonArgs{Button: desktop.Left}, nil)

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
var MouseDrag = Define[MouseDragArgs, MouseDragResult](Kind{
	Name:    "mouse_drag",
	Summary: "Press a mouse button at one point, move to another and let go.",
	Toolset: Desktop,
	Touches: Act,
	Focus:   Take,
}, MouseDragArgs{Target: aimed, Around: around, Button: desktop.Left}, nil)

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

package steps

import (
	"errors"

	"understudy/steps/desktop"
)

// ActivateWindow brings a window to the front.
var ActivateWindow = Define(Kind{
	Name:       "activate_window",
	Summary:    "Bring a window to the front and give it the focus.",
	Toolset:    Core,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, WindowArgs{TimeoutMS: lookFor}, activateWindow)

// CloseWindow asks a window to close.
var CloseWindow = Define(Kind{
	Name:    "close_window",
	Summary: "Ask a window to close, as its close button does; a question it may put is left to later steps.",
	Toolset: Desktop,
	Touches: Act,
	Focus:   Take,
	Risk:    Destructive,
}, WindowArgs{TimeoutMS: lookFor}, closeWindow)

// MinimizeWindow hides a window.
var MinimizeWindow = Define(Kind{
	Name:       "minimize_window",
	Summary:    "Minimize a window.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, WindowArgs{TimeoutMS: lookFor}, minimizeWindow)

// MaximizeWindow makes a window as large as its screen.
var MaximizeWindow = Define(Kind{
	Name:       "maximize_window",
	Summary:    "Make a window as large as its screen.",
	Toolset:    Desktop,
	Touches:    Act,
	Focus:      Take,
	Idempotent: true,
}, WindowArgs{TimeoutMS: lookFor}, maximizeWindow)

// MoveWindow moves a window and changes its size.
var MoveWindow = Define(Kind{
	Name:       "move_window",
	Summary:    "Move a window, and change its size.",
	Toolset:    Desktop,
	Touches:    Act,
	Idempotent: true,
}, MoveWindowArgs{WindowArgs: WindowArgs{TimeoutMS: lookFor}}, moveWindow)

// WindowArgs says which window. It must be the only one that fits.
type WindowArgs struct {
	Title     string           `json:"title,omitzero" jsonschema:"part of the window's title"`
	Process   string           `json:"process,omitzero" jsonschema:"the application's process name"`
	ID        desktop.WindowID `json:"id,omitzero" jsonschema:"the window's number in the list of windows"`
	TimeoutMS Millis           `json:"timeout_ms,omitzero" jsonschema:"how long to wait for the window"`
}

// Validate wants something that names a window.
func (a *WindowArgs) Validate() error {
	if a.Title == "" && a.Process == "" && a.ID == 0 {
		return errors.New("wanted a title, a process or an id: nothing names the window")
	}
	return nil
}

// MoveWindowArgs says where a window goes.
type MoveWindowArgs struct {
	WindowArgs
	Place
	Width  Count `json:"width,omitzero" jsonschema:"the new width; without it the width stays"`
	Height Count `json:"height,omitzero" jsonschema:"the new height; without it the height stays"`
}

// Validate wants a window and something to change.
func (a *MoveWindowArgs) Validate() error {
	place, err := a.Given()
	if err != nil {
		return err
	}
	if !place && a.Width == 0 && a.Height == 0 {
		return errors.New("wanted x and y, a width or a height: nothing says where the window goes")
	}
	return a.WindowArgs.Validate()
}

// WindowResult is the window as it is afterwards.
type WindowResult struct {
	Window   desktop.Window `json:"window" jsonschema:"the window"`
	Verified bool           `json:"verified" jsonschema:"whether the change was seen"`
	Refused  string         `json:"refused,omitzero" jsonschema:"why a window that was to close stays, such as a question that it asks"`
}

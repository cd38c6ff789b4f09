package kinds

import (
	"context"
	"errors"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

func moveWindow(ctx context.Context, env *steps.Env, a MoveWindowArgs) (observe.WindowResult, error) {
	w, err := aim.FindWindow(ctx, env.Desktop, a.WindowTarget)
	if err != nil {
		return observe.WindowResult{}, err
	}
	to := w.Bounds
	if a.X != nil {
		to.X, to.Y = *a.X, *a.Y
	}
	if a.Width > 0 {
		to.W = int(a.Width)
	}
	if a.Height > 0 {
		to.H = int(a.Height)
	}
	a.ID = w.ID
	// A window manager may keep a window on its screen, and a window its
	// least size, so being elsewhere is told and is no failure.
	return observe.ChangeWindow(ctx, env, a.WindowTarget, desktop.Manage{Do: desktop.Place, Bounds: to}, func(w desktop.Window) bool { return w.Bounds == to })
}

// MoveWindow moves a window and changes its size.
var MoveWindow = steps.Define(steps.Kind{
	Name:       "move_window",
	Summary:    "Move a window, and change its size.",
	Toolset:    steps.Desktop,
	Idempotent: true,
}, MoveWindowArgs{WindowTarget: defaultWindow}, moveWindow)

// MoveWindowArgs says where a window goes.
type MoveWindowArgs struct {
	aim.WindowTarget
	aim.Position
	Width  steps.Count `json:"width,omitzero" jsonschema:"the new width; without it the width stays"`
	Height steps.Count `json:"height,omitzero" jsonschema:"the new height; without it the height stays"`
}

func (a *MoveWindowArgs) Validate() error {
	place, err := a.Given()
	if err != nil {
		return err
	}
	if !place && a.Width == 0 && a.Height == 0 {
		return errors.New("wanted x and y, a width or a height: nothing says where the window goes")
	}
	return a.WindowTarget.Validate()
}

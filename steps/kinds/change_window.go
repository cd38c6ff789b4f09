package kinds

import (
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// ChangeWindow brings a window to the front, or makes it as large as its screen, or
// minimizes it.
var ChangeWindow = steps.Define(desktopKind("change_window", "Bring a window to the front, maximize it or minimize it."), ChangeWindowArgs{WindowTarget: defaultWindow}, changeWindow)

// ChangeWindowArgs says what to do with which window.
type ChangeWindowArgs struct {
	Do WindowChange `json:"do" jsonschema:"activate brings it to the front and gives it the focus"`
	aim.WindowTarget
}

// WindowChange is what to do with a window.
type WindowChange string

func (WindowChange) Words() []string { return []string{"activate", "maximize", "minimize"} }

// windowChanges are the changes of the desktop, and what is so afterwards.
var windowChanges = map[WindowChange]struct {
	do desktop.WindowAction
	is func(desktop.Window) bool
}{
	"activate": {desktop.Activate, func(w desktop.Window) bool { return w.Active && !w.Minimized }},
	"maximize": {desktop.Maximize, func(w desktop.Window) bool { return w.Maximized && !w.Minimized }},
	"minimize": {desktop.Minimize, func(w desktop.Window) bool { return w.Minimized }},
}

func changeWindow(ctx context.Context, env *steps.Env, a ChangeWindowArgs) (observe.WindowResult, error) {
	c := windowChanges[a.Do]
	return observe.ChangeWindow(ctx, env, a.WindowTarget, desktop.Manage{Do: c.do}, c.is)
}

// defaultWindow are the default arguments of kinds that name a window.
var defaultWindow = aim.WindowTarget{TimeoutMS: aim.SearchTime}

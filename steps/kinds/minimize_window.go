package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
	"understudy/steps/observe"
)

func minimizeWindow(ctx context.Context, env *steps.Env, a aim.WindowTarget) (observe.WindowResult, error) {
	return observe.ChangeWindow(ctx, env.Desktop, a, desktop.Manage{Do: desktop.Minimize}, func(w desktop.Window) bool { return w.Minimized })
}

// MinimizeWindow hides a window.
var MinimizeWindow = steps.Define(steps.Kind{
	Name:       "minimize_window",
	Summary:    "Minimize a window.",
	Toolset:    steps.Desktop,
	Touches:    steps.Act,
	Focus:      steps.Take,
	Idempotent: true,
}, aim.WindowTarget{TimeoutMS: aim.SearchTime}, minimizeWindow)

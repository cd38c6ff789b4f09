package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
	"understudy/steps/observe"
)

func activateWindow(ctx context.Context, env *steps.Env, a aim.WindowTarget) (observe.WindowResult, error) {
	return observe.ChangeWindow(ctx, env.Desktop, a, desktop.Manage{Do: desktop.Activate}, func(w desktop.Window) bool { return w.Active && !w.Minimized })
}

// ActivateWindow brings a window to the front.
var ActivateWindow = steps.Define(steps.Kind{
	Name:       "activate_window",
	Summary:    "Bring a window to the front and give it the focus.",
	Toolset:    steps.Desktop,
	Touches:    steps.Act,
	Focus:      steps.Take,
	Idempotent: true,
}, aim.WindowTarget{TimeoutMS: aim.SearchTime}, activateWindow)

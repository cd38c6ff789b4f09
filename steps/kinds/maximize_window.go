package kinds

import (
	"context"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
	"understudy/steps/observe"
)

func maximizeWindow(ctx context.Context, env *steps.Env, a aim.WindowTarget) (observe.WindowResult, error) {
	w, err := aim.FindWindow(ctx, env.Desktop, a)
	if err != nil {
		return observe.WindowResult{}, err
	}
	if w.Minimized { // it would be large and unseen
		if err := aim.Raise(ctx, env.Desktop, w.ID); err != nil {
			return observe.WindowResult{}, err
		}
	}
	a.ID = w.ID
	return observe.ChangeWindow(ctx, env.Desktop, a, desktop.Manage{Do: desktop.Maximize}, func(w desktop.Window) bool { return w.Maximized && !w.Minimized })
}

// MaximizeWindow makes a window as large as its screen.
var MaximizeWindow = steps.Define(steps.Kind{
	Name:       "maximize_window",
	Summary:    "Make a window as large as its screen.",
	Toolset:    steps.Desktop,
	Touches:    steps.Act,
	Focus:      steps.Take,
	Idempotent: true,
}, aim.WindowTarget{TimeoutMS: aim.SearchTime}, maximizeWindow)

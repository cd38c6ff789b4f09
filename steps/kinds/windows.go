package kinds

import (
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// windowKind declares a kind that changes a window unless it is so already.
func windowKind(name, summary string, change desktop.WindowAction, is func(desktop.Window) bool) steps.Kind {
	return steps.Define(desktopKind(name, summary), defaultWindow, func(ctx context.Context, env *steps.Env, a aim.WindowTarget) (observe.WindowResult, error) {
		return observe.ChangeWindow(ctx, env, a, desktop.Manage{Do: change}, is)
	})
}

// defaultWindow are the default arguments of kinds that name a window.
var defaultWindow = aim.WindowTarget{TimeoutMS: aim.SearchTime}

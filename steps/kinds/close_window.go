package kinds

import (
	"context"
	"errors"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

func closeWindow(ctx context.Context, env *steps.Env, a aim.WindowTarget) (observe.WindowResult, error) {
	w, err := aim.FindWindow(ctx, env.Desktop, a)
	if err != nil {
		return observe.WindowResult{}, err
	}
	err = env.Desktop.Do(ctx, desktop.Manage{Window: w.ID, Do: desktop.Close})
	if errors.Is(err, desktop.ErrRefused) {
		refused := steps.AsError(err)
		observe.NameDialog(ctx, env, refused)
		return observe.WindowResult{Window: w, Checked: observe.No, Refused: refused.Error()}, nil
	}
	if err != nil {
		return observe.WindowResult{}, err
	}
	err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
		if _, err := aim.FindWindow(ctx, env.Desktop, aim.WindowTarget{ID: w.ID}); steps.CodeOf(err) != steps.NotFound {
			return errors.Join(err, steps.Errorf(steps.Unexpected, "still there"))
		}
		return nil
	})
	if err != nil && ctx.Err() != nil {
		return observe.WindowResult{}, err
	}
	return observe.WindowResult{Window: w, Checked: observe.YesIf(err == nil)}, nil
}

// CloseWindow asks a window to close.
var CloseWindow = steps.Define(steps.Kind{
	Name:    "close_window",
	Summary: "Ask a window to close. A question that it asks first is shown with its buttons.",
	Toolset: steps.Core,
	Focus:   steps.Take,
	Risk:    steps.Destructive,
}, defaultWindow, closeWindow)

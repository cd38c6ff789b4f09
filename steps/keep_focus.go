package steps

import (
	"context"
	"time"

	"understudy/steps/desktop"
)

// restoreWithin is how long bringing the user back may take. It takes a few
// milliseconds, and longer where the machine is busy.
const restoreWithin = 2 * time.Second

// keepingFocus does something and brings the user back to where they were,
// when the arguments ask for it, or when the kind and the caller do. Bringing
// back is a courtesy: what fails in it is only logged.
func (b *Bound) keepingFocus(ctx context.Context, env *Env, do func() Outcome) Outcome {
	wanted := env.KeepFocus && b.kind.Focus == Keep && b.kind.Touches == Act
	if asked, ok := b.args["restore_focus"].(bool); ok && b.kind.Touches == Act {
		wanted = asked
	}
	if !wanted || env.Desktop == nil {
		return do()
	}
	saved, err := env.Desktop.SaveFocus(ctx)
	if err != nil {
		env.Logger().WarnContext(ctx, "the focus could not be remembered", "error", err)
		return do()
	}
	o := do()
	free, cancel := context.WithTimeout(context.WithoutCancel(ctx), restoreWithin)
	defer cancel()
	if err := env.Desktop.Do(free, desktop.RestoreFocus{State: saved}); err != nil {
		env.Logger().WarnContext(ctx, "the focus could not be given back", "error", err)
	}
	return o
}

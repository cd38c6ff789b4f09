package steps

import (
	"context"
	"time"

	"understudy/steps/desktop"
)

// restoreWithin bounds giving the focus back. It takes milliseconds, and longer on a
// busy machine.
const restoreWithin = 2 * time.Second

// keepingFocus runs do and gives focus and caret back to the user if the arguments ask
// for it, or else the kind and the caller. Failures of that are only logged.
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

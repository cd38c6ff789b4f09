package engine

import (
	"context"
	"time"

	"understudy/steps/desktop"
)

// focusWithin bounds how long saving or restoring the user's focus may take. Both are
// a courtesy: errors are only logged.
const focusWithin = 5 * time.Second

// savedFocus is what had the focus before an attempt first acted.
type savedFocus struct {
	desktop *desktop.Desktop
	focus   desktop.FocusState
}

// saveFocus saves the user's focus, once per attempt, if the document asks for it
// to be restored.
func (w *worker) saveFocus(ctx context.Context, d *desktop.Desktop) {
	if !w.program.Options.RestoreFocus || w.focus != nil {
		return
	}
	w.focus = &savedFocus{}
	ctx, cancel := context.WithTimeout(ctx, focusWithin)
	defer cancel()
	saved, err := d.SaveFocus(ctx)
	if err != nil {
		w.e.log().WarnContext(ctx, "the focus could not be remembered", "run", w.id, "error", err)
		return
	}
	w.focus = &savedFocus{d, saved}
}

// restoreFocus restores the user's focus when an attempt ends or comes to rest. The
// run still holds the lease at this point.
func (w *worker) restoreFocus() {
	saved := w.focus
	w.focus = nil
	if saved == nil || saved.desktop == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), focusWithin)
	defer cancel()
	defer w.e.lastAct.Mark()
	if err := saved.desktop.Do(ctx, desktop.RestoreFocus{State: saved.focus}); err != nil {
		w.e.log().WarnContext(ctx, "the focus could not be given back", "run", w.id, "error", err)
	}
}

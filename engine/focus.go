package engine

import (
	"context"
	"time"

	"understudy/steps/desktop"
)

// focusWithin bounds how long saving or restoring the user's focus may take. Both are
// a courtesy: errors are only logged.
const focusWithin = 5 * time.Second

// borrowed is what had the focus before an attempt first acted.
type borrowed struct {
	desktop *desktop.Desktop
	focus   desktop.FocusState
}

// borrowFocus saves the user's focus, once per attempt, if the document asks for it
// to be restored.
func (w *worker) borrowFocus(ctx context.Context, d *desktop.Desktop) {
	if !w.program.Options.RestoreFocus || w.user != nil {
		return
	}
	w.user = &borrowed{}
	ctx, cancel := context.WithTimeout(ctx, focusWithin)
	defer cancel()
	saved, err := d.SaveFocus(ctx)
	if err != nil {
		w.e.log().WarnContext(ctx, "the focus could not be remembered", "run", w.id, "error", err)
		return
	}
	w.user = &borrowed{d, saved}
}

// returnFocus restores the user's focus when an attempt ends or comes to rest. The
// run still holds the lease at this point.
func (w *worker) returnFocus() {
	user := w.user
	w.user = nil
	if user == nil || user.desktop == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), focusWithin)
	defer cancel()
	defer w.e.stirred.Mark()
	if err := user.desktop.Do(ctx, desktop.RestoreFocus{State: user.focus}); err != nil {
		w.e.log().WarnContext(ctx, "the focus could not be given back", "run", w.id, "error", err)
	}
}

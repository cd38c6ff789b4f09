package engine

import (
	"context"
	"time"

	"understudy/steps/desktop"
)

// focusWithin is how long finding out where the user is, or bringing them
// back, may take. Both are a courtesy: what fails in them is only logged.
const focusWithin = 5 * time.Second

// borrowed is where the user was before an attempt acted for the first time.
type borrowed struct {
	desktop *desktop.Desktop
	focus   desktop.FocusState
}

// borrowFocus remembers where the user is, once in an attempt, when its
// document wants the focus given back.
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

// returnFocus brings the user back to where they were, when an attempt ends or
// stands still. The run has the desktop until then.
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

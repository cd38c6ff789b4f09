package engine

import (
	"context"
	"time"

	"understudy/internal/desktop"
)

// focusWithin bounds how long saving or restoring the user's focus may take. Both are
// a courtesy: errors are only logged.
const focusWithin = 5 * time.Second

// savedFocus is what had the focus before an attempt first acted.
type savedFocus struct {
	*journal
	asked   bool             // in this attempt
	desktop *desktop.Desktop // nil: nothing is saved
	focus   desktop.FocusState
}

// save saves the user's focus, once per attempt, if the document asks for it
// to be restored.
func (x *savedFocus) save(ctx context.Context, d *desktop.Desktop) {
	if !x.program.Options.RestoreFocus || x.asked {
		return
	}
	x.asked = true
	ctx, cancel := context.WithTimeout(ctx, focusWithin)
	defer cancel()
	saved, err := d.SaveFocus(ctx)
	if err != nil {
		x.e.log().WarnContext(ctx, "the focus could not be remembered", "run", x.id, "error", err)
		return
	}
	x.desktop, x.focus = d, saved
}

// restore restores the user's focus when an attempt ends or comes to rest. The
// run still holds the lease at this point.
func (x *savedFocus) restore() {
	d := x.desktop
	x.asked, x.desktop = false, nil
	if d == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), focusWithin)
	defer cancel()
	defer x.e.lastAct.Mark()
	if err := d.Do(ctx, desktop.RestoreFocus{State: x.focus}); err != nil {
		x.e.log().WarnContext(ctx, "the focus could not be given back", "run", x.id, "error", err)
	}
}

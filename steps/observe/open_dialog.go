package observe

import (
	"context"
	"slices"
	"strings"
	"time"

	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
)

// dialogWithin bounds the search for a dialog.
const dialogWithin = 2 * time.Second

// NameDialog adds the open dialog or alert to the advice of a failed step, with its text
// and its buttons, unless it is there already: it is the usual reason for a failure.
func NameDialog(ctx context.Context, d *desktop.Desktop, e *steps.Error) {
	if strings.Contains(e.Next, aim.DialogIsOpen) {
		return
	}
	if open := openDialog(ctx, d); open != "" {
		e.Next = strings.TrimPrefix(e.Next+"; ", "; ") + open
	}
}

// openDialog describes the dialog that is open. It returns "" if there is none, or if
// its application does not answer in time.
func openDialog(ctx context.Context, d *desktop.Desktop) string {
	ctx, cancel := context.WithTimeout(ctx, dialogWithin)
	defer cancel()
	windows, err := d.Windows(ctx)
	if err != nil {
		return ""
	}
	for _, w := range slices.Backward(windows) {
		if !w.Shows() || w.Popup || !w.Dialog && !w.Modal && !w.Active {
			continue
		}
		t, err := d.Tree(ctx, desktop.Scope{Window: w.ID, Process: w.Process, Limit: mostElements, Full: true})
		if err != nil {
			continue
		}
		if text := aim.DialogHint(t.Roots); text != "" {
			return text
		}
	}
	return ""
}

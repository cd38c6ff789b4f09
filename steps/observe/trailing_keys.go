package observe

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// KeysResult is the effect of the keys at the end of a text.
type KeysResult struct {
	Opened  []string `json:"opened,omitzero" jsonschema:"the windows that the keys opened"`
	Closed  []string `json:"closed,omitzero" jsonschema:"the windows that the keys closed"`
	TakenBy string   `json:"taken_by,omitzero" jsonschema:"what took the keys instead of the field, such as a list of completions"`
}

// keysShowWithin bounds the wait for windows that keys open or close.
var keysShowWithin = aim.EffectLimit{Least: 100 * time.Millisecond, Looks: 3}

// PressKeys presses the keys at the end of a text that was typed into el, and returns
// their effect on the windows.
func PressKeys(ctx context.Context, hand *aim.Hand, el *desktop.Element, keys []desktop.Chord) (r KeysResult, err error) {
	before, err := hand.Desktop.Windows(ctx)
	if err != nil {
		return r, err
	}
	list := listOver(before, el)
	passedOn := list != nil && keys[0].String() == "enter" && nothingChosen(ctx, hand.Desktop, list)
	if err := aim.PressKeysIn(ctx, hand.Desktop, el, keys); err != nil {
		return r, err
	}
	if err := aim.WaitUntilRead(ctx, hand.Desktop); err != nil {
		return r, err
	}
	compare := func(ctx context.Context) error {
		now, err := hand.Desktop.Windows(ctx)
		if err != nil {
			return err
		}
		r = KeysResult{titles(now.Without(before)), titles(before.Without(now)), takenBy(before, now, el)}
		if len(r.Opened)+len(r.Closed) == 0 {
			return steps.Errorf(steps.Unexpected, "nothing opened or closed")
		}
		return nil
	}
	err = aim.WaitForEffect(ctx, keysShowWithin, compare)
	if err == nil && r.TakenBy != "" { // the list may be only the first window that closes
		err = aim.WaitForEffect(ctx, aim.UsualEffectLimit, func(ctx context.Context) error {
			if err := compare(ctx); err != nil || r.TakenBy == "" {
				return err
			}
			return steps.Errorf(steps.Unexpected, "only the list closed")
		})
	}
	if passedOn {
		r.TakenBy = ""
	}
	if ctx.Err() == nil {
		err = nil // the keys may have no effect on windows
	}
	return r, err
}

// titles names windows, except tooltips.
func titles(windows desktop.Windows) (names []string) {
	for _, w := range windows {
		if w.Tooltip {
			continue
		}
		what := "window"
		switch {
		case w.Popup:
			what = "popup"
		case w.Dialog || w.Modal:
			what = "dialog"
		}
		names = append(names, strings.TrimSpace(fmt.Sprintf("%s %q of %s", what, w.Title, w.Process)))
	}
	return names
}

// listOver returns the list, such as one of completions, that is open over a field, or
// nil.
func listOver(windows desktop.Windows, el *desktop.Element) *desktop.Window {
	own := windows.ByID(el.Window)
	for i, w := range windows {
		if own != nil && w.ID != own.ID && w.Popup && !w.Tooltip && w.PID == own.PID {
			return &windows[i]
		}
	}
	return nil
}

// nothingChosen reports whether a list shows items, and none of them is chosen: then it
// passes Enter on to its field, which may take long over it.
func nothingChosen(ctx context.Context, d *desktop.Desktop, list *desktop.Window) bool {
	t, err := d.Tree(ctx, desktop.Scope{Window: list.ID, Process: list.Process})
	if err != nil {
		return false
	}
	items, chosen := false, false
	t.Walk(func(e *desktop.Element) bool {
		items = items || e.Role.Is(desktop.Option)
		chosen = chosen || e.States.Has(desktop.Selected)
		return !chosen
	})
	return items && !chosen
}

// takenBy describes a list over a field that took the keys meant for the field: they
// closed it, and had no other effect. It returns "" if there was none.
func takenBy(before, now desktop.Windows, el *desktop.Element) string {
	own, closed := before.ByID(el.Window), before.Without(now)
	other := func(w desktop.Window) bool { return !w.Tooltip && (!w.Popup || w.PID != own.PID) }
	if own == nil || now.ByID(el.Window) == nil || len(titles(closed)) == 0 || len(titles(now.Without(before))) > 0 || slices.ContainsFunc(closed, other) {
		return ""
	}
	return "a list that was open over the field, which closed"
}

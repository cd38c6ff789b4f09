package steps

import (
	"context"
	"errors"
	"time"

	"understudy/steps/desktop"
)

// unseenAfter is how long an element that does not show may take to do so by
// itself, before it is looked for among what does not show.
const unseenAfter = 300 * time.Millisecond

// unseen is what is known of an element that does not show.
type unseen struct {
	began  time.Time
	looked bool
	el     *desktop.Element // the only one that is meant; nil when there is none, or several
}

// bring looks once for an element among what does not show, and scrolls it
// into view when that is why it does not. It makes ready for an act and is not
// one itself.
func (e *Env) bring(ctx context.Context, u *unseen, q query) error {
	if u.looked || q.ref != "" || time.Since(u.began) < unseenAfter {
		return nil
	}
	u.looked = true
	s, err := e.look(ctx, q.first, manner{hidden: true})
	if err != nil || len(s.found) != 1 || s.found[0].Handle == "" {
		return err
	}
	u.el = s.found[0]
	if !scrolledAway(u.el) {
		return nil
	}
	if err := e.behind.Reveal(ctx, u.el.Handle); !errors.Is(err, desktop.ErrRefused) {
		return err
	}
	return nil
}

// instead is the error of an element that is there and does not show, in place
// of one that says that nothing is there.
func (u unseen) instead(err error, long time.Duration, n need) error {
	if u.el == nil || CodeOf(err) != NotFound {
		return err
	}
	why, next := "is not visible: it is there and does not show", "open the menu, the page or the window that it is in"
	if scrolledAway(u.el) {
		why, next = "is not visible: it is scrolled out of view", "bring it into view with scroll_element"
	}
	if n.point != nil {
		next += ", or use invoke_element"
	}
	return waited(notReady(u.el, why, next), long)
}

// scrolledAway says whether an element does not show because what it is in is
// scrolled to another place.
func scrolledAway(el *desktop.Element) bool {
	if el.States.Has(desktop.Showing) {
		return false
	}
	for p := el; p != nil && p.States.Has(desktop.Visible); p = p.Parent {
		if p.States.Has(desktop.Showing) && (p.RawRole == "scroll pane" || p.Role == "document") {
			return true
		}
	}
	return false
}

package aim

import (
	"context"
	"errors"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
)

// unseenAfter is how long an element may take to show by itself before it is searched
// among what is hidden.
const unseenAfter = 300 * time.Millisecond

// hiddenElement is what is known of an element that does not show.
type hiddenElement struct {
	began  time.Time
	looked bool
	el     *desktop.Element // the only one that is meant; nil when there is none, or several
}

// revealHidden searches once among what is hidden, and scrolls the only match into
// view if it is scrolled away. It prepares an act and is not counted as one.
func revealHidden(ctx context.Context, hand *Hand, u *hiddenElement, q Query) error {
	if u.looked || q.Ref != "" || time.Since(u.began) < unseenAfter {
		return nil
	}
	u.looked = true
	s, err := Search(ctx, hand, q.First, SearchOptions{Hidden: true})
	if err != nil || len(s.Found) != 1 || s.Found[0].Handle == "" {
		return err
	}
	u.el = s.Found[0]
	if !scrolledAway(u.el) {
		return nil
	}
	if err := hand.Unaccounted().Do(ctx, desktop.Reveal{Element: u.el.Handle}); !errors.Is(err, desktop.ErrRefused) {
		return err
	}
	return nil
}

// instead replaces "not found" by a better error if the element exists and does not
// show.
func (u hiddenElement) instead(err error, long time.Duration, n Requirement) error {
	if u.el == nil || steps.CodeOf(err) != steps.NotFound {
		return err
	}
	why, next := "is not visible: it is there and does not show", "open the menu, the page or the window that it is in"
	if scrolledAway(u.el) {
		why, next = "is not visible: it is scrolled out of view", "bring it into view with scroll_element"
	}
	if n.Point != nil {
		next += ", or use invoke_element"
	}
	return withWait(NotActionable(u.el, why, next), long)
}

// scrolledAway reports whether el is hidden only because its container is scrolled.
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

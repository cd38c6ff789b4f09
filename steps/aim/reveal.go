package aim

import (
	"context"
	"errors"
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/steps"
	"understudy/steps/browse"
)

const (
	// unseenAfter is how long an element may take to show by itself before hidden elements
	// are searched. Each later search follows after unseenLater times as long, as it reads
	// much more than one for what shows.
	unseenAfter = 300 * time.Millisecond
	unseenLater = 4
)

// hiddenElement is the state of the search for an element that does not show.
type hiddenElement struct {
	began    time.Time
	wait     time.Duration    // from began to the next search
	el       *desktop.Element // the only match of the last search; nil if there was none, or several
	revealed bool
	asked    bool // the pages that show were asked for it
}

// revealHidden searches hidden elements at growing intervals until the only match is
// scrolled away, and scrolls it into view. That does not count as an act.
func revealHidden(ctx context.Context, hand *Hand, u *hiddenElement, q Query, o WindowOptions) error {
	if u.revealed || q.Ref != "" || time.Since(u.began) < u.wait {
		return nil
	}
	u.wait, u.el = max(u.wait, time.Since(u.began))*unseenLater, nil
	if u.askPages(ctx, hand, q) {
		return nil
	}
	s, err := Search(ctx, hand, q.First, SearchOptions{Hidden: true})
	if err != nil || len(s.Found) != 1 || s.Found[0].Handle == "" {
		return err
	}
	u.el = s.Found[0]
	if away, err := isAway(ctx, hand.Desktop, u.el); !away || err != nil {
		return err
	}
	u.revealed = true
	return revealOnce(ctx, hand, u.el, o)
}

// askPages asks the pages of connected browsers once to scroll to what a query may mean, and reports
// whether one did.
func (u *hiddenElement) askPages(ctx context.Context, hand *Hand, q Query) bool {
	if u.asked {
		return false
	}
	u.asked = true
	for _, s := range q.First {
		revealed, err := browse.Reveal(ctx, hand.Env, s)
		if err != nil {
			hand.Logger().DebugContext(ctx, "the pages are not asked", "error", err)
		}
		if revealed {
			return true
		}
	}
	return false
}

// SearchAway searches pages for elements that are scrolled out of view, after a search that
// found nothing. They exist for a person, who scrolls.
func SearchAway(ctx context.Context, hand *Hand, all []*selector.Selector, before SearchResult) (SearchResult, error) {
	if !slices.ContainsFunc(before.Roots, hasPage) {
		return before, nil
	}
	s, err := Search(ctx, hand, all, SearchOptions{Hidden: true})
	s.Found = slices.DeleteFunc(slices.Clone(s.Found), func(el *desktop.Element) bool { return !scrolledAway(el) })
	return s, err
}

// hasPage reports whether an element is or holds a page of a browser.
func hasPage(el *desktop.Element) (has bool) {
	el.Walk(func(e *desktop.Element) bool {
		has = e.RawRole == "document web"
		return !has
	})
	return has
}

// Reveal scrolls an element into view, with the wheel if its application does not do so
// on request. It returns ErrRefused if neither works.
func Reveal(ctx context.Context, hand *Hand, d *desktop.Desktop, el *desktop.Element, o WindowOptions) error {
	err := requestReveal(ctx, hand, d, el, o)
	if !errors.Is(err, desktop.ErrRefused) {
		return err
	}
	if in, failed := wheelIntoView(ctx, hand, d, el, o); !in {
		return errors.Join(err, failed)
	}
	return nil
}

// requestReveal asks the application to scroll an element into view.
func requestReveal(ctx context.Context, hand *Hand, d *desktop.Desktop, el *desktop.Element, o WindowOptions) error {
	var then desktop.Chord
	if err := d.Do(ctx, desktop.Reveal{Element: el.Handle, Then: &then}); err != nil || then.Key == "" {
		return err
	}
	if err := BringToFront(ctx, hand, o, el.Window); err != nil {
		return err
	}
	return PressKeys(ctx, d, []desktop.Chord{then})
}

// notRevealed is the error of an application that did not scroll to an element on
// request. It ends a WaitUntil: the wheel takes more time than one poll has.
type notRevealed struct{ el *desktop.Element }

func (e *notRevealed) Error() string { return Describe(e.el) + " is not scrolled into view on request" }

// refusedReveal returns the element to which its application did not scroll, or nil.
func refusedReveal(err error) *desktop.Element {
	if e, ok := errors.AsType[*notRevealed](err); ok {
		return e.el
	}
	return nil
}

// revealOnce is Reveal that does not count as an act and leaves the wheel to the caller,
// by the error notRevealed.
func revealOnce(ctx context.Context, hand *Hand, el *desktop.Element, o WindowOptions) error {
	err := requestReveal(ctx, hand, hand.Unaccounted(), el, o)
	if errors.Is(err, desktop.ErrRefused) {
		return &notRevealed{el}
	}
	return quietly(err)
}

// BringIntoView scrolls an element into view if its application can, for an act without
// the pointer, so that an observer sees the act. It does not count as an act.
func BringIntoView(ctx context.Context, hand *Hand, el *desktop.Element, o WindowOptions) error {
	if away, err := isAway(ctx, hand.Desktop, el); !away || err != nil {
		return err
	}
	return quietly(Reveal(ctx, hand, hand.Unaccounted(), el, o))
}

// quietly drops the error of an element that cannot be revealed: a later check reports
// that it is out of view.
func quietly(err error) error {
	if errors.Is(err, desktop.ErrRefused) || errors.Is(err, desktop.ErrUnavailable) {
		return nil
	}
	return err
}

// atElement is At for an element that was found already, and returns it as it was read
// last. A picture is not looked for again.
func atElement(ctx context.Context, hand *Hand, el *desktop.Element, n Requirement) (*desktop.Element, desktop.Point, error) {
	at, err := readyInView(ctx, hand, el, time.Now(), n)
	if err == nil || el.Handle == "" {
		return el, at, err
	}
	if refused := refusedReveal(err); refused != nil {
		if _, err := wheelIntoView(ctx, hand, hand.Unaccounted(), refused, n.Windows); err != nil {
			return el, at, err
		}
	}
	var gone error // permanent
	err = WaitUntil(ctx, SearchTime.Std(), func(ctx context.Context) error {
		now, err := hand.Desktop.Refresh(ctx, el.Handle)
		if errors.Is(err, desktop.ErrNotFound) {
			gone = err
			return nil
		}
		if err != nil {
			return err
		}
		el = inTree(now, el)
		at, err = checkReady(ctx, hand, el, time.Now(), n)
		return err
	})
	return el, at, errors.Join(err, gone)
}

// readyInView is checkReady, and scrolls the element into view once if that is what it
// fails on.
func readyInView(ctx context.Context, hand *Hand, el *desktop.Element, seen time.Time, n Requirement) (desktop.Point, error) {
	at, err := checkReady(ctx, hand, el, seen, n)
	if steps.CodeOf(err) != steps.NotActionable || n.Point == nil || el.Handle == "" || hand.revealed[el.Handle] {
		return at, err
	}
	away, failed := outOfView(ctx, hand.Desktop, el, n.Point(el.Bounds))
	if failed != nil || !away {
		return at, errors.Join(err, failed)
	}
	hand.revealed[el.Handle] = true
	return at, errors.Join(err, revealOnce(ctx, hand, el, n.Windows))
}

// isAway reports whether an element is scrolled out of view. Qt Quick reports only its
// box.
func isAway(ctx context.Context, d *desktop.Desktop, el *desktop.Element) (bool, error) {
	if scrolledAway(el) || el.Bounds.Empty() {
		return scrolledAway(el), nil
	}
	return outOfView(ctx, d, el, el.Bounds.Center())
}

// outOfView reports whether a point of el is outside an ancestor of el, so that it does
// not show. Many toolkits report all elements of a form as showing, however the form is
// scrolled.
func outOfView(ctx context.Context, d *desktop.Desktop, el *desktop.Element, at desktop.Point) (bool, error) {
	for p := el.Parent; p != nil && !p.Role.Is(desktop.OpensMenu); p = p.Parent {
		box, err := boxOf(ctx, d, p)
		if err != nil {
			return false, err
		}
		if !box.Empty() && !box.Contains(at) && p.Role != "pagetab" { // GTK 3 has the page in its tab
			return true, nil
		}
	}
	return false, nil
}

// boxOf returns the box of an ancestor of an element, which not every search has read.
func boxOf(ctx context.Context, d *desktop.Desktop, el *desktop.Element) (desktop.Rect, error) {
	if !el.Bounds.Empty() {
		return el.Bounds, nil
	}
	now, err := d.Refresh(ctx, el.Handle)
	if errors.Is(err, desktop.ErrNotFound) {
		return desktop.Rect{}, nil
	}
	if err != nil {
		return desktop.Rect{}, err
	}
	return now.Bounds, nil
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

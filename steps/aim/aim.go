package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// Requirement has the conditions of an element before an action.
type Requirement struct {
	Enabled bool
	// Point returns where the pointer must reach it; nil if the action does not use the
	// pointer.
	Point func(box desktop.Rect) desktop.Point
	// Drawn is what the element drew there; nil if that is not known.
	Drawn *Drawn
	// Hidden: an element that does not show is allowed.
	Hidden bool
	// Handle: a picture is not allowed, because the action asks the application.
	Handle bool
	// Unfit reports elements that cannot be meant, such as the label of a field that has
	// its name; of several matches the only other one is taken. nil: there are none.
	Unfit func(*desktop.Element) bool
	// Windows configures the preparation of the element's window.
	Windows WindowOptions
}

// acts reports whether the action needs the element to be showing; then one that is
// scrolled out of view is revealed first.
func (n Requirement) acts() bool { return n.Point != nil || n.Enabled && !n.Hidden }

// At finds the element that t names, waits until it meets n, and returns it with the
// point to press. On timeout the error names the last condition that did not hold.
// Fallback selectors get a time of their own after the others have found nothing.
func At(ctx context.Context, hand *Hand, t Target, n Requirement) (*desktop.Element, desktop.Point, error) {
	q, err := t.Query()
	if err != nil {
		return nil, desktop.Point{}, err
	}
	long := t.SearchTime()
	el, at, err := AtQuery(ctx, hand, q, n, long)
	if err != nil && el == nil && len(q.Fallbacks) > 0 && ctx.Err() == nil {
		first := err
		q.First, q.Fallbacks, q.Ref = q.Fallbacks, nil, ""
		if el, at, err = AtQuery(ctx, hand, q, n, long); err != nil {
			err = WithTried(err, first)
		} else {
			hand.Logger().InfoContext(ctx, "only a fallback found the element: "+Describe(el))
		}
	}
	return el, at, err
}

// WithTried returns err with the candidates of an earlier error before its own.
func WithTried(err, earlier error) error {
	e := *steps.AsError(err)
	e.Candidates = slices.Concat(steps.AsError(earlier).Candidates, e.Candidates)
	return &e
}

// AtQuery is At for a query, with one time for all of it.
func AtQuery(ctx context.Context, hand *Hand, q Query, n Requirement, long time.Duration) (el *desktop.Element, at desktop.Point, err error) {
	raised, opened, scrolled := false, false, false
	away := hiddenElement{began: time.Now(), wait: unseenAfter}
	try := func(ctx context.Context) error {
		scrolled = away.revealed
		el, err = resolve(ctx, hand, q, n)
		seen := time.Now()
		if err != nil {
			if steps.CodeOf(err) != steps.NotFound {
				return err
			}
			if !opened {
				opened = true
				err = errors.Join(err, restoreMinimized(ctx, hand, n.Windows, q.within.Process))
			}
			if n.acts() {
				err = errors.Join(err, revealHidden(ctx, hand, &away, q, n.Windows))
			}
			return err
		}
		if !raised {
			raised = true // once: a window that does not come to the front is not asked again
			if err := BringToFront(ctx, hand, n.Windows, el.Window); err != nil {
				return err
			}
		}
		at, err = readyInView(ctx, hand, el, seen, n)
		return err
	}
	err = WaitUntil(ctx, long, try)
	if away.revealed && !scrolled && refusedReveal(err) == nil { // by the last poll
		err = WaitUntil(ctx, long, try)
	}
	for refused := refusedReveal(err); refused != nil; refused = refusedReveal(err) {
		if _, err = wheelIntoView(ctx, hand, hand.Unaccounted(), refused, n.Windows); err == nil {
			err = WaitUntil(ctx, long, try) // the wheel takes long, so the wait begins anew
		}
	}
	if err == nil {
		hand.Keyboard.Name(desktop.Window{ID: el.Window, PID: el.PID, Process: el.Process, Title: el.WindowTitle})
	}
	return el, at, away.instead(err, long, n)
}

// resolve returns the one element that matches a query now. Hidden elements are
// considered only if nothing that shows matches.
func resolve(ctx context.Context, hand *Hand, q Query, n Requirement) (*desktop.Element, error) {
	if q.Ref != "" {
		el, err := ByRef(ctx, hand.Env, q.Ref)
		if err == nil && el.Read != nil {
			hand.pictures[el] = picture{el.Read, Likeness}
			return el, nil
		}
		if err != nil || !n.acts() || el.States.Has(desktop.Showing) {
			return el, err
		}
		if shown := hand.Trees.Element(q.Ref); shown == nil || !shown.States.Has(desktop.Showing) {
			return el, nil // some toolkits never say that it shows
		}
		if away, err := isAway(ctx, hand.Desktop, el); away || err != nil {
			return el, err
		}
		return el, NotActionable(el, "is no longer visible", "open the menu, the page or the window that it is in, or look at the elements with get_window_tree")
	}
	m := SearchOptions{Likeness: q.Likeness, windows: n.Windows}
	s, err := Search(ctx, hand, q.First, m)
	if err == nil && n.Hidden && len(s.Found) == 0 { // elements that show come first
		m.Hidden = true
		s, err = Search(ctx, hand, q.First, m)
	}
	if err != nil {
		return nil, err
	}
	if n.Unfit != nil && len(s.Found) > 1 {
		if fit := slices.DeleteFunc(slices.Clone(s.Found), n.Unfit); len(fit) == 1 {
			s.Found = fit
		}
	}
	el, err := s.One()
	if err == nil && n.Handle && el.Handle == "" {
		return nil, &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%s is a picture, and this needs an element", Describe(el)), Next: "name the element by its role and name, or use click_element and type_text"}
	}
	return el, err
}

// checkReady returns the point to press if el, which was read at seen, meets n. The hit
// test runs during the wait for the element to be still, so it costs no extra time.
func checkReady(ctx context.Context, hand *Hand, el *desktop.Element, seen time.Time, n Requirement) (desktop.Point, error) {
	if n.Enabled && !el.States.Has(desktop.Enabled) {
		return desktop.Point{}, isDisabled(el)
	}
	if n.Point == nil {
		return desktop.Point{}, nil
	}
	if el.Bounds.Empty() {
		if err := placed(ctx, hand.Desktop, el.Window); err != nil {
			return desktop.Point{}, err
		}
		return desktop.Point{}, NotActionable(el, "is not visible: it has no area on the screen", "scroll it into view with scroll_element, or use invoke_element")
	}
	at := n.Point(el.Bounds)
	if n.Drawn != nil {
		var err error
		if at, err = n.Drawn.find(ctx, hand, el, at); err != nil {
			return at, err
		}
	}
	if err := checkOnScreen(ctx, hand.Desktop, el, at); err != nil {
		return desktop.Point{}, err
	}
	window, err := checkUncovered(ctx, hand, el, at)
	if err != nil {
		return desktop.Point{}, err
	}
	hit, looked, err := waitStill(ctx, hand, candidate{el, at, window}, seen, n)
	if err != nil {
		return desktop.Point{}, err
	}
	if err := notCovered(el, hit, at); err != nil {
		return desktop.Point{}, err
	}
	window, err = checkUncovered(ctx, hand, el, at) // again, as the windows may have changed during the hit test
	if err == nil {
		noteReachable(hand, el, hit, window, looked)
	}
	return at, err
}

// ElementWithBox returns the element or window that t names. An empty box is an error.
func ElementWithBox(ctx context.Context, hand *Hand, t Target) (*desktop.Element, error) {
	el, _, err := At(ctx, hand, t, Requirement{})
	if err == nil && el.Bounds.Empty() {
		err = NotActionable(el, "has no area on the screen", "scroll it into view with scroll_element")
	}
	return el, err
}

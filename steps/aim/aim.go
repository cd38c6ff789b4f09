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
	// Apart: of a button, any point will do at which a left click is no double click.
	Apart bool
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
			hand.NoteMatch(fmt.Sprintf("by a fallback, %s, as its own selectors found nothing", Describe(el)))
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
func AtQuery(ctx context.Context, hand *Hand, q Query, n Requirement, long time.Duration) (*desktop.Element, desktop.Point, error) {
	s := &search{hand: hand, q: q, n: n, long: long, away: hiddenElement{began: time.Now(), wait: unseenAfter}}
	err := s.reach(ctx)
	if err == nil {
		hand.Keyboard.Name(desktop.Window{ID: s.el.Window, PID: s.el.PID, Process: s.el.Process, Title: s.el.WindowTitle})
	}
	return s.el, s.at, s.away.instead(err, long, n)
}

// A search polls for an element until it is ready. To get there it restores a window, reveals
// the element and raises its window, each once.
type search struct {
	hand *Hand
	q    Query
	n    Requirement
	long time.Duration // of each wait

	el *desktop.Element
	at desktop.Point

	opened, raised bool
	away           hiddenElement
	seenRevealed   bool // the last poll began after the element was revealed
}

// reach waits for the element. If the last poll reveals it, the wait begins again, and so it
// does after the wheel, which takes long.
func (s *search) reach(ctx context.Context) error {
	err := s.wait(ctx)
	if s.away.revealed && !s.seenRevealed && refusedReveal(err) == nil {
		err = s.wait(ctx)
	}
	for {
		refused := refusedReveal(err)
		if refused == nil {
			return err
		}
		if _, err = wheelIntoView(ctx, s.hand, s.hand.Unaccounted(), refused, s.n.Windows); err == nil {
			err = s.wait(ctx)
		}
	}
}

func (s *search) wait(ctx context.Context) error { return WaitUntil(ctx, s.long, s.poll) }

// poll looks for the element once, and checks whether it is ready.
func (s *search) poll(ctx context.Context) (err error) {
	s.seenRevealed = s.away.revealed
	s.el, err = resolve(ctx, s.hand, s.q, s.n)
	seen := time.Now()
	if steps.CodeOf(err) == steps.NotFound {
		return errors.Join(err, s.bringUp(ctx))
	}
	if err == nil {
		err = s.raise(ctx)
	}
	if err != nil {
		return err
	}
	s.at, err = readyInView(ctx, s.hand, s.el, seen, s.n)
	if steps.CodeOf(err) == steps.NotActionable && s.n.Point != nil {
		s.away.askPages(ctx, s.hand, s.q) // in a frame of another site much is said to show that does not
	}
	return err
}

// bringUp does what may bring up an element that was not found, for the next poll.
func (s *search) bringUp(ctx context.Context) (err error) {
	if !s.opened {
		s.opened = true
		err = restoreMinimized(ctx, s.hand, s.n.Windows, s.q.within.Process)
	}
	if s.n.acts() {
		err = errors.Join(err, revealHidden(ctx, s.hand, &s.away, s.q, s.n.Windows))
	}
	return err
}

// raise brings the window of the element to the front. A window that does not come is not
// asked again.
func (s *search) raise(ctx context.Context) error {
	if s.raised {
		return nil
	}
	s.raised = true
	return BringToFront(ctx, s.hand, s.n.Windows, s.el.Window)
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
	if n.Apart {
		var err error
		if at, err = apart(ctx, hand, el, at); err != nil {
			return at, err
		}
	}
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

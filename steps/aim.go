package steps

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/steps/desktop"
)

const (
	// lookEvery is the pause between two looks at the screen, once it is clear
	// that what is waited for takes a while.
	lookEvery = 50 * time.Millisecond
	// lookSoon is the first pause; each is twice as long as the one before.
	lookSoon = 5 * time.Millisecond
	// oneTry is how long a try that was begun in time may take. On a busy machine
	// an application that answers all the while needs many seconds for one; one
	// that hangs is given up by the driver long before.
	oneTry = 30 * time.Second
)

// need is what an action needs of its element beside being there.
type need struct {
	enabled bool
	// point is where the pointer must be able to reach it; nil when the action
	// does without the pointer.
	point func(box desktop.Rect) desktop.Point
	// hidden elements will do.
	hidden bool
	// handle says that a picture will not do: the application is asked.
	handle bool
	// windows says what to do with the element's window first.
	windows WindowOptions
}

// acts says whether something is done to an element that shows, so that one
// which is scrolled away is brought into view.
func (n need) acts() bool { return n.point != nil || n.enabled && !n.hidden }

// aim waits until a target is one element that an action can be done to, and
// says where. When the time is over, the error says what did not hold.
func (e *Env) aim(ctx context.Context, t Target, n need) (*desktop.Element, desktop.Point, error) {
	q, err := t.query()
	if err != nil {
		return nil, desktop.Point{}, err
	}
	long := t.TimeoutMS.Std() * time.Duration(1+t.Retries)
	el, at, err := e.aimWithin(ctx, q, n, long)
	if err != nil && len(q.fallbacks) > 0 && ctx.Err() == nil {
		first := err
		q.first, q.fallbacks, q.ref = q.fallbacks, nil, ""
		if el, at, err = e.aimWithin(ctx, q, n, long); err != nil {
			err = withTried(err, first)
		}
	}
	return el, at, err
}

// withTried adds what an earlier error tried to the candidates of a later one.
func withTried(err, earlier error) error {
	a, b := AsError(err), AsError(earlier)
	c := *a
	c.Candidates = append(append([]Candidate(nil), b.Candidates...), a.Candidates...)
	return &c
}

func (e *Env) aimWithin(ctx context.Context, q query, n need, long time.Duration) (el *desktop.Element, at desktop.Point, err error) {
	raised, opened := false, false
	away := unseen{began: time.Now()}
	err = e.until(ctx, long, func(ctx context.Context) error {
		el, err = e.sought(ctx, q, n)
		seen := time.Now()
		if err != nil {
			if CodeOf(err) == NotFound && !opened {
				opened = true
				return errors.Join(err, e.unhide(ctx, n.windows, q.within.Process))
			}
			if CodeOf(err) == NotFound && n.acts() {
				return errors.Join(err, e.bring(ctx, &away, q))
			}
			return err
		}
		if !raised {
			raised = true // once: a window that does not come is not asked again
			if err := e.front(ctx, n.windows, el.Window); err != nil {
				return err
			}
		}
		at, err = e.ready(ctx, el, seen, n)
		return err
	})
	return el, at, away.instead(err, long, n)
}

// sought is the element that a query names now.
func (e *Env) sought(ctx context.Context, q query, n need) (*desktop.Element, error) {
	if q.ref != "" {
		return e.byRef(ctx, q.ref)
	}
	m := manner{likeness: q.likeness, windows: n.windows}
	s, err := e.look(ctx, q.first, m)
	if err == nil && n.hidden && len(s.found) == 0 { // what shows comes first
		m.hidden = true
		s, err = e.look(ctx, q.first, m)
	}
	if err != nil {
		return nil, err
	}
	el, err := s.one()
	if err == nil && n.handle && el.Handle == "" {
		return nil, &Error{Code: Invalid, Err: fmt.Errorf("%s is a picture, and a picture cannot be asked for this", inWords(el)), Next: "name the element by its role and name, or use click_element and type_text"}
	}
	return el, err
}

// until does something until it succeeds or cannot succeed any more, with a
// pause between the tries, the last when the time is over. A time of 0 means
// one try. What was begun in time may come to its end, because an application
// on a busy machine must be able to answer: a try that is cut short and made
// anew is one that never ends. The error is that of the last that did.
func (e *Env) until(ctx context.Context, long time.Duration, try func(context.Context) error) error {
	if long <= 0 {
		return try(ctx)
	}
	end := time.Now().Add(long)
	var last error
	for pause := lookSoon; ; pause = min(2*pause, lookEvery) {
		began := time.Now()
		cut, err := tryFor(ctx, max(end.Sub(began), oneTry), try)
		if err == nil {
			return nil
		}
		if !cut {
			last = err
		}
		switch {
		case ctx.Err() != nil && last == nil:
			return err
		case ctx.Err() != nil:
			return last
		case hopeless(err):
			return err
		case cut && last == nil:
			return unanswered(err, time.Since(began))
		}
		// An application that is slow to answer gets time for its own work.
		left := time.Until(end)
		if left <= 0 || Sleep(ctx, min(max(pause, time.Since(began)), left)) != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return last
	}
	return waited(last, long)
}

// tryFor tries once, and says whether that was cut short.
func tryFor(ctx context.Context, long time.Duration, try func(context.Context) error) (cut bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	err = try(ctx)
	return ctx.Err() != nil, err
}

// hopeless says that trying again will not help.
func hopeless(err error) bool {
	switch CodeOf(err) {
	case Invalid, Unavailable, Denied:
		return true
	}
	return errors.Is(err, errNoRef)
}

// waited adds to an error how long was waited.
func waited(err error, long time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return unanswered(err, long)
	}
	c := *AsError(err)
	c.Err = fmt.Errorf("after waiting %s: %w", long, c.Err)
	return &c
}

// unanswered is the error of a try that was cut short after a time, which says
// what was asked.
func unanswered(err error, long time.Duration) error {
	return &Error{
		Code: Timeout, Err: fmt.Errorf("the desktop did not answer within %s: %w", long.Round(time.Millisecond), err),
		Next: "see with get_applications_and_windows_list what is open, and end what hangs; a machine with too much to do needs a longer timeout_ms",
	}
}

// ready says whether an action can be done to an element now, and where. What
// else there is to ask is asked while it is seen whether the element keeps
// still; it was read by the given time.
func (e *Env) ready(ctx context.Context, el *desktop.Element, seen time.Time, n need) (desktop.Point, error) {
	if n.enabled && !el.States.Has(desktop.Enabled) {
		return desktop.Point{}, isDisabled(el)
	}
	if n.point == nil {
		return desktop.Point{}, nil
	}
	if el.Bounds.Empty() {
		return desktop.Point{}, notReady(el, "is not visible: it takes up no room on the screen", "scroll it into view with scroll_element, or use invoke_element")
	}
	at := n.point(el.Bounds)
	if err := e.within(ctx, el, at); err != nil {
		return desktop.Point{}, err
	}
	window, err := e.uncovered(ctx, el, at)
	if err != nil {
		return desktop.Point{}, err
	}
	hit, looked, err := e.keepsStill(ctx, stance{el, at, window}, seen, n)
	if err != nil {
		return desktop.Point{}, err
	}
	if err := notCovered(el, hit, at); err != nil {
		return desktop.Point{}, err
	}
	window, err = e.uncovered(ctx, el, at) // again, and last: the windows may have changed while the application was asked
	if err == nil {
		e.meet(el, window, looked)
	}
	return at, err
}

func windowMoves(el *desktop.Element) error {
	return notReady(el, "moves: its window has just been moved or resized", "wait until it stands still")
}

func isDisabled(el *desktop.Element) error {
	return notReady(el, "is disabled", "do first what enables it, or wait for it with wait_for_element and the condition enabled")
}

// notReady is the error of an element that an action cannot be done to.
func notReady(el *desktop.Element, why, next string) error {
	return &Error{Code: NotActionable, Err: fmt.Errorf("%s %s", inWords(el), why), Next: next}
}

// middle is the middle of a box.
func middle(box desktop.Rect) desktop.Point { return box.Center() }

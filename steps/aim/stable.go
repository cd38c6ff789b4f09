package aim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// An element that slides in is not where it was when the button goes down, so it must
// be read twice at the same place, a frame apart. If its area was not painted for a
// frame, and nothing was done just before that could make it move, one look is enough.

const (
	// StillTime is how long an element must keep its place before it is pressed: a little
	// longer than a frame of the slowest screen (20 ms), as what moves does so in every
	// frame.
	StillTime = 21 * time.Millisecond
	// askAhead is how long before the end of that time the hit test begins: it usually
	// takes 2 to 4 ms, and its answer must not be older than freshness at the end.
	askAhead = 7 * time.Millisecond
)

// candidate is an element that may be pressed at a point, once it is still.
type candidate struct {
	el     *desktop.Element
	at     desktop.Point
	window *desktop.Window // at that point, or nil
}

// lastChange returns when the element's area was last painted or something was last
// done on the desktop; now if unknown.
func lastChange(ctx context.Context, env *steps.Env, s candidate) (time.Time, error) {
	if s.window == nil {
		return time.Now(), nil
	}
	drawn, err := env.Desktop.LastDrawn(ctx, s.window.ID, s.el.Bounds)
	if errors.Is(err, desktop.ErrUnavailable) {
		return time.Now(), nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("asking what was drawn: %w", err)
	}
	if stirred := env.LastAct.At(); stirred.After(drawn) {
		drawn = stirred
	}
	return drawn, nil
}

// waitStill waits until el, which was read at seen, has kept its place for StillTime.
// It returns the hit test at the point, and when the element was last known to be
// there.
func waitStill(ctx context.Context, hand *Hand, s candidate, seen time.Time, n Requirement) (hit *desktop.Element, looked time.Time, err error) {
	rests, err := lastChange(ctx, hand.Env, s)
	if err != nil {
		return nil, looked, err
	}
	if rests.Before(seen) {
		if hit, looked, err = waitUndrawn(ctx, hand, s, rests, n); err != nil || !looked.IsZero() {
			return hit, looked, err
		}
	}
	return waitSamePlace(ctx, hand, s, seen, n)
}

// waitUndrawn waits until el's area was not painted for StillTime. looked is zero if
// it was painted meanwhile, or if its application reports its own moves, so that paint
// proves nothing.
func waitUndrawn(ctx context.Context, hand *Hand, s candidate, rests time.Time, n Requirement) (hit *desktop.Element, looked time.Time, err error) {
	if err := steps.Sleep(ctx, StillTime-askAhead-time.Since(rests)); err != nil {
		return nil, looked, err
	}
	if hit, err = elementAt(ctx, hand, s.el, s.at, hand.Desktop.ElementAt); err != nil || hit != nil && (hit.Guessed || hit.Sure) {
		return nil, looked, err
	}
	if err := steps.Sleep(ctx, StillTime-time.Since(rests)); err != nil {
		return nil, looked, err
	}
	now := time.Now()
	if still, err := lastChange(ctx, hand.Env, s); err != nil || still.After(rests) {
		return nil, looked, err
	}
	return hit, now, checkSamePlace(s.el, s.el, nil, n)
}

// waitSamePlace waits until el, which was read at seen, has kept its place for
// StillTime, and reads it again. The hit test is begun before that time is over, as it
// takes the application a while, and repeated if the answer is too old at the end.
func waitSamePlace(ctx context.Context, hand *Hand, s candidate, seen time.Time, n Requirement) (hit *desktop.Element, looked time.Time, err error) {
	if err := steps.Sleep(ctx, StillTime-askAhead-time.Since(seen)); err != nil {
		return nil, looked, err
	}
	if hit, err = elementAt(ctx, hand, s.el, s.at, hand.Desktop.ElementAt); err != nil {
		return nil, looked, err
	}
	if hit != nil && (hit.Guessed || hit.Sure) {
		if hit, err = browserStill(ctx, hand, s.el, s.at); err != nil {
			return hit, looked, err
		}
	}
	told := time.Now()
	if err := steps.Sleep(ctx, StillTime-time.Since(seen)); err != nil {
		return nil, looked, err
	}
	looked = time.Now()
	var now *desktop.Element
	if looked.Sub(told) > freshness {
		if hit, err = elementAt(ctx, hand, s.el, s.at, hand.Desktop.ElementAt); err != nil {
			return nil, looked, err
		}
		now = hit
	}
	if now == nil || now.Handle != s.el.Handle {
		now, err = refresh(ctx, hand, s.el)
	}
	return hit, looked, checkSamePlace(s.el, now, err, n)
}

// checkSamePlace returns an error unless el, read again as now, is where it was.
func checkSamePlace(el, now *desktop.Element, err error, n Requirement) error {
	switch {
	case errors.Is(err, desktop.ErrNotFound):
		return NotActionable(el, "went away again", "wait until the window stops moving")
	case err != nil:
		return err
	case !sameRow(el, now):
		return NotActionable(el, fmt.Sprintf("changes: it shows %q now", now.Name), "wait until the list stops changing")
	case el.Unsettled || now.Unsettled:
		return windowMoves(el)
	case now.Bounds != el.Bounds:
		return NotActionable(el, fmt.Sprintf("moves: it went from %s to %s", el.Bounds, now.Bounds), "wait until it stops moving")
	case n.Enabled && !now.States.Has(desktop.Enabled):
		return isDisabled(el)
	}
	return nil
}

// Browsers report moves of elements late, and some not at all, such as those inside a
// panel that slides in. Their hit test is right. So an element of a page is hit tested at
// two corners of its reported box and at the point, where one that moved is not found.

// occludedStillTime is how long an element whose corners are covered must keep its
// place. Browsers report moves up to 0.5 s late.
const occludedStillTime = 700 * time.Millisecond

// browserStill returns what the page's own hit test finds at a point of el, or an
// error if el has moved since it was read. An element with a covered corner cannot be
// checked by its corners, so it is polled for occludedStillTime.
func browserStill(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point) (*desktop.Element, error) {
	first, err := cornersFound(ctx, hand, el)
	if err != nil {
		return nil, err
	}
	hit, err := pageElementAt(ctx, hand, el, at)
	for began := time.Now(); err == nil && first != whole && time.Since(began) < occludedStillTime; {
		if err = steps.Sleep(ctx, LongestPause); err != nil {
			break
		}
		if seen, err := cornersFound(ctx, hand, el); err != nil {
			return nil, err
		} else if seen != first {
			return nil, NotActionable(el, "moves: its corners are not where they were", "wait until it stops moving")
		}
		now, failed := refresh(ctx, hand, el)
		if err := checkSamePlace(el, now, failed, Requirement{}); err != nil {
			return nil, err
		}
		hit, err = pageElementAt(ctx, hand, el, at)
	}
	if steps.CodeOf(err) == steps.NotActionable {
		err = hand.uncover(ctx, el, err)
	}
	return hit, err
}

// pageElementAt returns the page's hit test at a point of el. Anything but el is an
// error.
func pageElementAt(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point) (*desktop.Element, error) {
	hit, err := elementAt(ctx, hand, el, at, hand.Desktop.Hit)
	if err != nil {
		return nil, err
	}
	if hit != nil && hit.Guessed {
		return nil, NotActionable(el, "may have moved: its page does not report what is at its old place", "wait until the page answers again")
	}
	return hit, notCovered(el, hit, at)
}

// cornersSeen says at which of two opposite corners the hit test found the element.
type cornersSeen [2]bool

var whole = cornersSeen{true, true}

// cornersFound runs the hit test at two opposite corners, inset far enough to be
// inside a rounded box.
func cornersFound(ctx context.Context, hand *Hand, el *desktop.Element) (seen cornersSeen, err error) {
	const round = 7 // a quarter of a circle leaves a seventh of its width free
	b := el.Bounds
	in := (min(b.W, b.H) + round - 1) / round
	for i, p := range []desktop.Point{{X: b.X + in, Y: b.Y + in}, {X: b.X + b.W - 1 - in, Y: b.Y + b.H - 1 - in}} {
		hit, err := elementAt(ctx, hand, el, p, hand.Desktop.Hit)
		if err != nil {
			return seen, err
		}
		seen[i] = hit != nil && !hit.Guessed && sameOrInside(el, hit)
	}
	return seen, nil
}

// sameRow reports whether an element in a row of a list, read again as now, still shows
// the same row: lists reuse their elements for other rows when they change or scroll.
func sameRow(el, now *desktop.Element) bool {
	return el.Name == "" || now.Name == el.Name || !inRow(el)
}

func inRow(el *desktop.Element) bool {
	is := func(e *desktop.Element) bool { return e.Role.Is(desktop.Recycled) }
	return is(el) || el.Enclosing(is) != nil
}

func anotherRow(el, now *desktop.Element) error {
	return fmt.Errorf("%s shows %q now: %w", Describe(el), now.Name, desktop.ErrMoved)
}

// CheckSameRow returns ErrMoved if el shows another row of a list than when it was found.
// It is for actions without the pointer, which nothing else keeps from another row.
func CheckSameRow(ctx context.Context, d *desktop.Desktop, el *desktop.Element) error {
	if el.Name == "" || !inRow(el) {
		return nil
	}
	now, err := d.Refresh(ctx, el.Handle)
	if err == nil && !sameRow(el, now) {
		err = anotherRow(el, now)
	}
	return err
}

package aim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
)

// What is clicked must keep still: an element that glides in is not where it
// was when the button goes down. It has kept still when it is read twice, a
// frame apart, at the same place. Often that can be known at once: what was not
// drawn anew for a frame did not move, unless something was done just before,
// which may be what makes it move.

const (
	// StillTime is how long an element must stay where it is to count as still:
	// a little longer than a frame of the slowest screen, which is 20 ms. What
	// moves does so in every frame.
	StillTime = 21 * time.Millisecond
	// askAhead is how long before that is over it is asked what is under an
	// element's point.
	askAhead = 10 * time.Millisecond
)

// candidate is the place where an element is to keep still.
type candidate struct {
	el     *desktop.Element
	at     desktop.Point
	window *desktop.Window // which is seen there; nil when there is none
}

// lastChange is a time since which an element has not been drawn anew, nor
// anything been done: now, when that is not known.
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

// waitStill waits until an element that was read by a given time has kept
// still for long enough, and says what is under its point by then, and when the
// element was known last to be there.
func waitStill(ctx context.Context, hand *Hand, s candidate, seen time.Time, n Requirement) (hit *desktop.Element, looked time.Time, err error) {
	rests, err := lastChange(ctx, hand.Env, s)
	if err != nil {
		return nil, looked, err
	}
	if rests.Before(seen) {
		if hit, looked, err = waitUndrawn(ctx, hand.Env, s, rests, n); err != nil || !looked.IsZero() {
			return hit, looked, err
		}
	}
	return waitSamePlace(ctx, hand, s, seen, n)
}

// waitUndrawn waits until an element has not been drawn anew for long enough, and
// says what is under its point. The time is zero when it was drawn meanwhile, or
// when it is one that says itself whether it moves.
func waitUndrawn(ctx context.Context, env *steps.Env, s candidate, rests time.Time, n Requirement) (hit *desktop.Element, looked time.Time, err error) {
	if err := steps.Sleep(ctx, StillTime-askAhead-time.Since(rests)); err != nil {
		return nil, looked, err
	}
	if hit, err = elementAt(ctx, env.Desktop, s.el, s.at); err != nil || hit != nil && (hit.Guessed || hit.Sure) {
		return nil, looked, err
	}
	if err := steps.Sleep(ctx, StillTime-time.Since(rests)); err != nil {
		return nil, looked, err
	}
	now := time.Now()
	if still, err := lastChange(ctx, env, s); err != nil || still.After(rests) {
		return nil, looked, err
	}
	return hit, now, checkSamePlace(s.el, s.el, nil, n)
}

// waitSamePlace waits until an element that was read by a given time has been at the
// same place for long enough, and reads it again. What is under a point takes an
// application some time to say, so it is asked before the wait is over; and
// again, when the answer came too soon to hold at the end.
func waitSamePlace(ctx context.Context, hand *Hand, s candidate, seen time.Time, n Requirement) (hit *desktop.Element, looked time.Time, err error) {
	if err := steps.Sleep(ctx, StillTime-askAhead-time.Since(seen)); err != nil {
		return nil, looked, err
	}
	if hit, err = elementAt(ctx, hand.Desktop, s.el, s.at); err != nil {
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
		if hit, err = elementAt(ctx, hand.Desktop, s.el, s.at); err != nil {
			return nil, looked, err
		}
		now = hit
	}
	if now == nil || now.Handle != s.el.Handle {
		now, err = refresh(ctx, hand, s.el)
	}
	return hit, looked, checkSamePlace(s.el, now, err, n)
}

// checkSamePlace fails unless an element, as it was read now, is where it was.
func checkSamePlace(el, now *desktop.Element, err error, n Requirement) error {
	switch {
	case errors.Is(err, desktop.ErrNotFound):
		return NotActionable(el, "went away again", "wait until the window has come to rest")
	case err != nil:
		return err
	case el.Unsettled || now.Unsettled:
		return windowMoves(el)
	case now.Bounds != el.Bounds:
		return NotActionable(el, fmt.Sprintf("moves: it went from %s to %s", el.Bounds, now.Bounds), "wait until it stands still")
	case n.Enabled && !now.States.Has(desktop.Enabled):
		return isDisabled(el)
	}
	return nil
}

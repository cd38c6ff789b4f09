package steps

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"understudy/steps/desktop"
)

// What is clicked must keep still: an element that glides in is not where it
// was when the button goes down. It has kept still when it is read twice, a
// frame apart, at the same place. Often that can be known at once: what was not
// drawn anew for a frame did not move, unless something was done just before,
// which may be what makes it move.

const (
	// stillFor is how long an element must stay where it is to count as still:
	// a little longer than a frame of the slowest screen, which is 20 ms. What
	// moves does so in every frame.
	stillFor = 21 * time.Millisecond
	// askAhead is how long before that is over it is asked what is under an
	// element's point.
	askAhead = 10 * time.Millisecond
)

// Stirred is when something was last done on a desktop. Where there is none,
// that is always just now.
type Stirred struct {
	last atomic.Pointer[time.Time]
}

// Stir does something that may make what is on the screen move.
func (s *Stirred) Stir(do func() error) error {
	defer s.Note()
	return do()
}

// Note says that something was done just now.
func (s *Stirred) Note() {
	if s != nil {
		now := time.Now()
		s.last.Store(&now)
	}
}

// since is when it was: a long time ago, if nothing was done yet.
func (s *Stirred) since() time.Time {
	if s == nil {
		return time.Now()
	}
	if last := s.last.Load(); last != nil {
		return *last
	}
	return time.Time{}
}

// stance is the place where an element is to keep still.
type stance struct {
	el     *desktop.Element
	at     desktop.Point
	window *desktop.Window // which is seen there; nil when there is none
}

// restsSince is a time since which an element has not been drawn anew, nor
// anything been done: now, when that is not known.
func (e *Env) restsSince(ctx context.Context, s stance) (time.Time, error) {
	if s.window == nil {
		return time.Now(), nil
	}
	drawn, err := e.Desktop.LastDrawn(ctx, s.window.ID, s.el.Bounds)
	if errors.Is(err, desktop.ErrUnavailable) {
		return time.Now(), nil
	}
	if err != nil {
		return time.Time{}, fmt.Errorf("asking what was drawn: %w", err)
	}
	if stirred := e.Stirred.since(); stirred.After(drawn) {
		drawn = stirred
	}
	return drawn, nil
}

// keepsStill waits until an element that was read by a given time has kept
// still for long enough, and says what is under its point by then, and when the
// element was known last to be there.
func (e *Env) keepsStill(ctx context.Context, s stance, seen time.Time, n need) (hit *desktop.Element, looked time.Time, err error) {
	rests, err := e.restsSince(ctx, s)
	if err != nil {
		return nil, looked, err
	}
	if rests.Before(seen) {
		if hit, looked, err = e.rested(ctx, s, rests, n); err != nil || !looked.IsZero() {
			return hit, looked, err
		}
	}
	return e.stays(ctx, s, seen, n)
}

// rested waits until an element has not been drawn anew for long enough, and
// says what is under its point. The time is zero when it was drawn meanwhile, or
// when it is one that says itself whether it moves.
func (e *Env) rested(ctx context.Context, s stance, rests time.Time, n need) (hit *desktop.Element, looked time.Time, err error) {
	if err := Sleep(ctx, stillFor-askAhead-time.Since(rests)); err != nil {
		return nil, looked, err
	}
	if hit, err = e.under(ctx, s.el, s.at); err != nil || hit != nil && (hit.Guessed || hit.Sure) {
		return nil, looked, err
	}
	if err := Sleep(ctx, stillFor-time.Since(rests)); err != nil {
		return nil, looked, err
	}
	now := time.Now()
	if still, err := e.restsSince(ctx, s); err != nil || still.After(rests) {
		return nil, looked, err
	}
	return hit, now, stayed(s.el, s.el, nil, n)
}

// stays waits until an element that was read by a given time has been at the
// same place for long enough, and reads it again. What is under a point takes an
// application some time to say, so it is asked before the wait is over; and
// again, when the answer came too soon to hold at the end.
func (e *Env) stays(ctx context.Context, s stance, seen time.Time, n need) (hit *desktop.Element, looked time.Time, err error) {
	if err := Sleep(ctx, stillFor-askAhead-time.Since(seen)); err != nil {
		return nil, looked, err
	}
	if hit, err = e.under(ctx, s.el, s.at); err != nil {
		return nil, looked, err
	}
	if hit != nil && (hit.Guessed || hit.Sure) {
		if hit, err = e.steady(ctx, s.el, s.at); err != nil {
			return hit, looked, err
		}
	}
	told := time.Now()
	if err := Sleep(ctx, stillFor-time.Since(seen)); err != nil {
		return nil, looked, err
	}
	looked = time.Now()
	var now *desktop.Element
	if looked.Sub(told) > fresh {
		if hit, err = e.under(ctx, s.el, s.at); err != nil {
			return nil, looked, err
		}
		now = hit
	}
	if now == nil || now.Handle != s.el.Handle {
		now, err = e.again(ctx, s.el)
	}
	return hit, looked, stayed(s.el, now, err, n)
}

// stayed fails unless an element, as it was read now, is where it was.
func stayed(el, now *desktop.Element, err error, n need) error {
	switch {
	case errors.Is(err, desktop.ErrNotFound):
		return notReady(el, "went away again", "wait until the window has come to rest")
	case err != nil:
		return err
	case el.Unsettled || now.Unsettled:
		return windowMoves(el)
	case now.Bounds != el.Bounds:
		return notReady(el, fmt.Sprintf("moves: it went from %s to %s", el.Bounds, now.Bounds), "wait until it stands still")
	case n.enabled && !now.States.Has(desktop.Enabled):
		return isDisabled(el)
	}
	return nil
}

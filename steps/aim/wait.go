package aim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/steps"
)

const (
	// LongestPause is the longest pause between two polls.
	LongestPause = 50 * time.Millisecond
	// firstPause is the first pause; each is twice as long as the one before.
	firstPause = 5 * time.Millisecond
	// TryTimeout bounds one poll that began in time. On a busy machine an application that
	// does answer can need many seconds; the driver gives up earlier on one that hangs.
	TryTimeout = 30 * time.Second
)

// WaitUntil polls try with growing pauses until it succeeds, fails permanently, or
// long has passed; the last poll is at the end of that time. Zero means one poll. A
// poll that began in time may finish, because on a busy machine one that is cut short
// and repeated would never end. The error is that of the last poll that finished.
func WaitUntil(ctx context.Context, long time.Duration, try func(context.Context) error) error {
	if long <= 0 {
		return try(ctx)
	}
	end := time.Now().Add(long)
	var last error
	for pause := firstPause; ; pause = min(2*pause, LongestPause) {
		began := time.Now()
		cut, err := tryOnce(ctx, max(end.Sub(began), TryTimeout), try)
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
		case permanent(err):
			return err
		case cut && last == nil:
			return noAnswer(err, time.Since(began))
		}
		// An application that is slow to answer gets time for its own work.
		left := time.Until(end)
		if left <= 0 || steps.Sleep(ctx, min(max(pause, time.Since(began)), left)) != nil {
			break
		}
	}
	if ctx.Err() != nil {
		return last
	}
	return withWait(last, long)
}

// tryOnce polls once, and reports whether the poll was cut short.
func tryOnce(ctx context.Context, long time.Duration, try func(context.Context) error) (cut bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	err = try(ctx)
	return ctx.Err() != nil, err
}

// permanent reports whether another poll cannot help.
func permanent(err error) bool {
	switch steps.CodeOf(err) {
	case steps.Invalid, steps.Unavailable, steps.Denied:
		return true
	}
	return errors.Is(err, ErrNoRef) || errors.Is(err, errStale) || refusedReveal(err) != nil
}

// withWait adds how long was waited to an error.
func withWait(err error, long time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return noAnswer(err, long)
	}
	e := steps.AsError(err)
	return e.With(e.Code, fmt.Errorf("after waiting %s: %w", long, e.Err))
}

// noAnswer returns the error of a poll that was cut short after a time; err describes the
// query.
func noAnswer(err error, long time.Duration) error {
	return steps.Errorf(steps.Timeout, "the desktop did not answer within %s: %w", long.Round(time.Millisecond), err).
		WithNext("list what is open with get_applications_and_windows_list, and end what hangs; a busy machine needs a longer timeout_ms")
}

// UsualEffectLimit is how long an action's effect, such as typed text, may take to show.
var UsualEffectLimit = EffectLimit{Least: time.Second, Looks: 20}

// EffectLimit bounds the wait for the effect of an action by time and by number of polls,
// whichever is later. Time alone is too short on a busy machine, where an application
// answers few polls in a second.
type EffectLimit struct {
	Least time.Duration
	Looks int
}

// patienceEnds bounds the wait however few the polls were.
const patienceEnds = 15 * time.Second

// WaitForEffect polls until look succeeds or the limit is exceeded. The error is that of
// the last poll that finished.
func WaitForEffect(ctx context.Context, p EffectLimit, look func(context.Context) error) error {
	began, looks := time.Now(), 0
	var last error
	err := WaitUntil(ctx, patienceEnds, func(ctx context.Context) error {
		err := look(ctx)
		if looks++; err == nil || permanent(err) || looks < p.Looks || time.Since(began) < p.Least {
			return err
		}
		last = err
		return nil
	})
	if last != nil {
		return withWait(last, time.Since(began).Round(time.Millisecond))
	}
	return err
}

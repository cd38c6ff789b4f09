package aim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/steps"
)

const (
	// LongestPause is the pause between two looks at the screen, once it is clear
	// that what is waited for takes a while.
	LongestPause = 50 * time.Millisecond
	// firstPause is the first pause; each is twice as long as the one before.
	firstPause = 5 * time.Millisecond
	// TryTimeout is how long a try that was begun in time may take. On a busy machine
	// an application that answers all the while needs many seconds for one; one
	// that hangs is given up by the driver long before.
	TryTimeout = 30 * time.Second
)

// WaitUntil does something until it succeeds or cannot succeed any more, with a
// pause between the tries, the last when the time is over. A time of 0 means
// one try. What was begun in time may come to its end, because an application
// on a busy machine must be able to answer: a try that is cut short and made
// anew is one that never ends. The error is that of the last that did.
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

// tryOnce tries once, and says whether that was cut short.
func tryOnce(ctx context.Context, long time.Duration, try func(context.Context) error) (cut bool, err error) {
	ctx, cancel := context.WithTimeout(ctx, long)
	defer cancel()
	err = try(ctx)
	return ctx.Err() != nil, err
}

// permanent says that trying again will not help.
func permanent(err error) bool {
	switch steps.CodeOf(err) {
	case steps.Invalid, steps.Unavailable, steps.Denied:
		return true
	}
	return errors.Is(err, errNoRef)
}

// withWait adds to an error how long was waited.
func withWait(err error, long time.Duration) error {
	if errors.Is(err, context.DeadlineExceeded) {
		return noAnswer(err, long)
	}
	c := *steps.AsError(err)
	c.Err = fmt.Errorf("after waiting %s: %w", long, c.Err)
	return &c
}

// noAnswer is the error of a try that was cut short after a time, which says
// what was asked.
func noAnswer(err error, long time.Duration) error {
	return &steps.Error{
		Code: steps.Timeout, Err: fmt.Errorf("the desktop did not answer within %s: %w", long.Round(time.Millisecond), err),
		Next: "see with get_applications_and_windows_list what is open, and end what hangs; a machine with too much to do needs a longer timeout_ms",
	}
}

// EffectPatience is how long typed text, and what else an action does, may take to
// show.
var EffectPatience = Patience{Least: time.Second, Looks: 20}

// Patience is how long it is waited for what an action was to bring about: for
// some time, and for some looks. Time alone is short on a busy machine, where
// an application that has not come to it answers few questions in a second.
type Patience struct {
	Least time.Duration
	Looks int
}

// patienceEnds is when it is not waited any longer, however few the looks were.
const patienceEnds = 15 * time.Second

// WaitForEffect looks until what an action was to bring about is there, or patience
// is over. The error is that of the last look that came to an end.
func WaitForEffect(ctx context.Context, p Patience, look func(context.Context) error) error {
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

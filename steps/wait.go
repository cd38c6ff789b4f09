package steps

import (
	"context"
	"sync"
	"time"

	"understudy/steps/desktop"
)

// Sleep waits, or returns the cause when the context ends first.
func Sleep(ctx context.Context, d time.Duration) error { return desktop.Sleep(ctx, d) }

// WaitFor waits for a group, but no longer than the context lasts.
func WaitFor(ctx context.Context, wg *sync.WaitGroup) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		wg.Wait()
	}()
	select {
	case <-done:
	case <-ctx.Done():
	}
}

// patience is how long it is waited for what an action was to bring about: for
// some time, and for some looks. Time alone is short on a busy machine, where
// an application that has not come to it answers few questions in a second.
type patience struct {
	least time.Duration
	looks int
}

// patienceEnds is when it is not waited any longer, however few the looks were.
const patienceEnds = 15 * time.Second

// follows looks until what an action was to bring about is there, or patience
// is over. The error is that of the last look that came to an end.
func (e *Env) follows(ctx context.Context, p patience, look func(context.Context) error) error {
	began, looks := time.Now(), 0
	var last error
	err := e.until(ctx, patienceEnds, func(ctx context.Context) error {
		err := look(ctx)
		if looks++; err == nil || hopeless(err) || looks < p.looks || time.Since(began) < p.least {
			return err
		}
		last = err
		return nil
	})
	if last != nil {
		return waited(last, time.Since(began).Round(time.Millisecond))
	}
	return err
}

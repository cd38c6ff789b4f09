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

package desktop

import (
	"context"
	"time"
)

// Sleep waits, or returns the cause when the context ends first. No time at all
// is no wait, also when the context has ended.
func Sleep(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

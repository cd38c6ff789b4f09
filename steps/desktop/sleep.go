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
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

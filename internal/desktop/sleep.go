package desktop

import (
	"context"
	"time"
)

// Sleep waits, or returns the cause of the context if that ends first. If d is not
// positive, Sleep returns nil at once, even if the context has ended.
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

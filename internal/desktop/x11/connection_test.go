//go:build linux

package x11_test

import (
	"context"
	"errors"
	"syscall"
	"testing"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/virtualtest"
)

// While a display does not answer, one call gives up. The other calls keep waiting, and return
// when the display answers again.
func TestCancelledCallLeavesOtherCallsWaiting(t *testing.T) {
	for _, row := range []struct {
		name   string
		giveUp func(ctx context.Context, b *bench) error
	}{
		{"a look", func(ctx context.Context, b *bench) error { _, err := b.Windows(ctx); return err }},
		{"a picture", func(ctx context.Context, b *bench) error { _, err := b.Capture(ctx, desktop.Rect{}); return err }},
		{"an act", func(ctx context.Context, b *bench) error { return b.Do(ctx, desktop.Type{Text: "x"}) }},
	} {
		t.Run(row.name, func(t *testing.T) {
			b := open(t)
			b.must(b.Ping(t.Context()))
			b.must(syscall.Kill(virtualtest.ServerPID(b.t, b.display), syscall.SIGSTOP))
			others := map[string]chan error{}
			for _, x := range everything {
				switch x.name {
				case "PointerPosition", "Monitors", "Capture", "Windows", "Info", "Ping":
					done := make(chan error, 1)
					others[x.name] = done
					go func() { done <- x.do(t.Context(), b.Desktop) }()
				}
			}
			if err := row.giveUp(soon(t, 100*time.Millisecond), b); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v, wanted the context's end", err)
			}
			b.must(syscall.Kill(virtualtest.ServerPID(b.t, b.display), syscall.SIGCONT))
			for name, done := range others {
				if err := <-done; err != nil {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

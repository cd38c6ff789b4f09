package aim

import (
	"context"
	"fmt"
	"slices"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
)

const (
	// releaseTimeout bounds the release of held keys and buttons; a busy desktop needs
	// seconds.
	releaseTimeout = 15 * time.Second
	// releaseTimeoutCancelled is the bound once the step was cancelled.
	releaseTimeoutCancelled = 100 * time.Millisecond
)

// ReleaseContext returns a context in which held input can be released, even if ctx
// was cancelled.
func ReleaseContext(ctx context.Context) (context.Context, context.CancelFunc) {
	long := releaseTimeout
	if ctx.Err() != nil {
		long = releaseTimeoutCancelled
	}
	return context.WithTimeout(context.WithoutCancel(ctx), long)
}

// HoldKeys holds keys while do runs. They are always released.
func HoldKeys(ctx context.Context, d *desktop.Desktop, keys []desktop.Key, do func() error) (err error) {
	var held []desktop.Key
	defer func() {
		free, cancel := ReleaseContext(ctx)
		defer cancel()
		for _, k := range slices.Backward(held) {
			if up := d.Do(free, desktop.KeyUp{Key: k}); up != nil && err == nil {
				err = fmt.Errorf("letting go of %s: %w", k, up)
			}
		}
	}()
	for _, name := range keys {
		k, err := desktop.ParseKey(string(name))
		if err != nil {
			return &steps.Error{Code: steps.Invalid, Err: err}
		}
		held = append(held, k)
		if err := d.Do(ctx, desktop.KeyDown{Key: k}); err != nil {
			return err
		}
	}
	return do()
}

// RestorePointer returns a function that moves the pointer back to where it is now, or
// to where it was before a tooltip was dismissed. A failure is only logged.
func RestorePointer(ctx context.Context, hand *Hand, wanted bool) func(context.Context) {
	if !wanted {
		return func(context.Context) {}
	}
	at, err := hand.Desktop.PointerPosition(ctx)
	if err != nil {
		hand.Logger().WarnContext(ctx, "the pointer's place is not known", "error", err)
		return func(context.Context) {}
	}
	if hand.pointerBefore != nil {
		at = *hand.pointerBefore
	}
	return func(ctx context.Context) {
		if err := hand.Unaccounted().Do(ctx, desktop.MovePointer{To: at}); err != nil {
			hand.Logger().WarnContext(ctx, "the pointer was not put back", "error", err)
		}
	}
}

// PointOf returns the point that arguments give, or the position of the pointer.
func PointOf(ctx context.Context, d *desktop.Desktop, p Position) (desktop.Point, error) {
	if p.X == nil {
		return d.PointerPosition(ctx)
	}
	at := desktop.Point{X: *p.X, Y: *p.Y}
	return at, OnScreen(ctx, d, at)
}

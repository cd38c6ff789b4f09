package steps

import (
	"context"
	"fmt"
	"slices"
	"time"

	"understudy/steps/desktop"
)

const (
	// letGo is how long a key or a button that is held has to be let go. A busy
	// desktop takes its time.
	letGo = 15 * time.Second
	// letGoSoon is the same when the step was cancelled.
	letGoSoon = 100 * time.Millisecond
)

// lettingGo is a context to let go in of what is held, also when the step was
// cancelled.
func lettingGo(ctx context.Context) (context.Context, context.CancelFunc) {
	long := letGo
	if ctx.Err() != nil {
		long = letGoSoon
	}
	return context.WithTimeout(context.WithoutCancel(ctx), long)
}

// holding holds keys while something is done, and lets go of them whatever
// happens.
func (e *Env) holding(ctx context.Context, keys []desktop.Key, do func() error) (err error) {
	var held []desktop.Key
	defer func() {
		free, cancel := lettingGo(ctx)
		defer cancel()
		for _, k := range slices.Backward(held) {
			if up := e.Desktop.KeyUp(free, k); up != nil && err == nil {
				err = fmt.Errorf("letting go of %s: %w", k, up)
			}
		}
	}()
	for _, name := range keys {
		k, err := desktop.ParseKey(string(name))
		if err != nil {
			return &Error{Code: Invalid, Err: err}
		}
		held = append(held, k)
		if err := e.Desktop.KeyDown(ctx, k); err != nil {
			return err
		}
	}
	return do()
}

// pointerBack remembers where the pointer is; what it returns puts it back
// there. That is a courtesy: when it fails, only the log says so.
func (e *Env) pointerBack(ctx context.Context, wanted bool) func(context.Context) {
	if !wanted {
		return func(context.Context) {}
	}
	at, err := e.Desktop.PointerPosition(ctx)
	if err != nil {
		e.Logger().WarnContext(ctx, "the pointer's place is not known", "error", err)
		return func(context.Context) {}
	}
	if e.cameFrom != nil {
		at = *e.cameFrom
	}
	return func(ctx context.Context) {
		if err := e.behind.MovePointer(ctx, at); err != nil {
			e.Logger().WarnContext(ctx, "the pointer was not put back", "error", err)
		}
	}
}

// onScreen fails for a point that no monitor shows.
func (e *Env) onScreen(ctx context.Context, at desktop.Point) error {
	monitors, failed := e.Desktop.Monitors(ctx)
	if failed != nil {
		return fmt.Errorf("asking for the size of the screen: %w", failed)
	}
	for _, m := range monitors {
		if m.Bounds.Contains(at) {
			return nil
		}
	}
	if len(monitors) == 0 {
		return Errorf(NotActionable, "the point %s is on no monitor: there is none", at)
	}
	err := Errorf(NotActionable, "the point %s is not on the screen, which is %s", at, monitors[0].Bounds)
	err.Next = "take a point of a picture by capture_screenshot, or name the element"
	return err
}

// point is the place that arguments give, or where the pointer is.
func (e *Env) point(ctx context.Context, p Place) (desktop.Point, error) {
	if p.X == nil {
		return e.Desktop.PointerPosition(ctx)
	}
	at := desktop.Point{X: *p.X, Y: *p.Y}
	return at, e.onScreen(ctx, at)
}

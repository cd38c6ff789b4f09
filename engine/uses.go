package engine

import (
	"context"
	"sync"

	"understudy/steps"
)

// Uses are the uses of something that can be taken away.
type Uses struct {
	life context.Context // ends with the right to use it
	end  context.CancelCauseFunc

	mu      sync.Mutex // held to begin a use, and to end life
	current sync.WaitGroup
}

// NewUses returns the uses of something that may be used from now on.
func NewUses() *Uses {
	u := &Uses{}
	u.life, u.end = context.WithCancelCause(context.Background())
	return u
}

// Do calls use with a context that ends with the right to it, and returns why it ended.
func (u *Uses) Do(ctx context.Context, use func(context.Context)) error {
	if !u.begin() {
		return context.Cause(u.life)
	}
	defer u.current.Done()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer context.AfterFunc(u.life, func() { cancel(context.Cause(u.life)) })()
	use(ctx)
	return context.Cause(ctx)
}

func (u *Uses) begin() bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.life.Err() != nil {
		return false
	}
	u.current.Add(1)
	return true
}

// End ends the right to use, and waits until nobody uses it.
func (u *Uses) End(ctx context.Context) error {
	u.mu.Lock()
	u.end(errHandedBack)
	u.mu.Unlock()
	done := make(chan struct{})
	go func() {
		defer close(done)
		u.current.Wait()
	}()
	select {
	case <-done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

var errHandedBack = steps.Errorf(steps.Denied, "the desktop has been handed back")

// WhileHeld calls act, which acts for a person on the desktop of a run, if the person
// has taken it over. The context of act ends with the takeover, and nothing else acts
// there before act has returned.
func (e *Engine) WhileHeld(ctx context.Context, id, by string, act func(context.Context)) error {
	h := e.holds.of(id)
	if h == nil || h.by != by {
		return steps.Errorf(steps.Denied, "%s does not hold the desktop of run %s", by, id)
	}
	return h.uses.Do(ctx, act)
}

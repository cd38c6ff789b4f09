package owner

import (
	"context"
	"sync"

	"understudy/engine"
)

// views are the uses, in this process, of desktops that people have taken over from runs
// of another process.
type views struct {
	mu    sync.Mutex
	byRun map[string]*engine.Uses
}

func (v *views) of(run string) *engine.Uses {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.byRun == nil {
		v.byRun = map[string]*engine.Uses{}
	}
	if v.byRun[run] == nil {
		v.byRun[run] = engine.NewUses()
	}
	return v.byRun[run]
}

// end ends the uses of one desktop, and waits for them.
func (v *views) end(ctx context.Context, run string) error {
	u := v.of(run)
	v.mu.Lock()
	delete(v.byRun, run)
	v.mu.Unlock()
	return u.End(ctx)
}

// WhileHeld is [engine.Engine.WhileHeld]. For a run of another process, act has
// returned before HandBack of this process returns; for other ends of the takeover, the
// caller ends ctx.
func (m *Member) WhileHeld(ctx context.Context, id, by string, act func(context.Context)) error {
	at, err := m.connect(ctx)
	if err != nil {
		return err
	}
	if at.host != nil {
		return at.host.local.Engine.WhileHeld(ctx, id, by, act)
	}
	u := m.views.of(id) // before the question, so that it sees each later HandBack
	if _, err := m.TakeOver(ctx, id, engine.Takeover{By: by, Renew: true}); err != nil {
		return err
	}
	return u.Do(ctx, act)
}

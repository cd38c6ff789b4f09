package mcpserver

import (
	"context"
	"sync"
	"time"

	"understudy/engine"
)

// active keeps account of the calls and runs that are under way.
type active struct {
	limit int // how many runs may act at once

	mu     sync.Mutex
	calls  map[*call]context.CancelCauseFunc
	runs   map[string]caller // who began or continued each
	places int               // taken
	last   time.Time
	closed bool
	idle   chan struct{} // closed when the last call ends after close
	count  uint64        // calls so far

	aside sync.WaitGroup // what watches detached runs
	kept  sync.WaitGroup // the runs of clients that went away, which go on
	ctx   context.Context
	end   context.CancelCauseFunc
}

// life is the context of what outlasts a call.
func (a *active) life() context.Context {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.ctx == nil {
		a.ctx, a.end = context.WithCancelCause(context.Background())
	}
	return a.ctx
}

// enter notes a call, and gives the function that notes its end.
func (a *active) enter(c *call, cancel context.CancelCauseFunc) func() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.calls == nil {
		a.calls = map[*call]context.CancelCauseFunc{}
	}
	if a.closed {
		cancel(errStopping)
	}
	a.calls[c] = cancel
	a.last = time.Now()
	a.count++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		delete(a.calls, c)
		a.last = time.Now()
		if a.closed && len(a.calls) == 0 && a.idle != nil {
			close(a.idle)
			a.idle = nil
		}
	}
}

// underWay is how many calls there are.
func (a *active) underWay() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.calls)
}

// begun and rested note a run.
func (a *active) begun(run string, c caller) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.runs == nil {
		a.runs = map[string]caller{}
	}
	a.runs[run] = c
}

func (a *active) rested(run string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.runs, run)
	a.last = time.Now()
}

// behind are the callers whose rights a run has: one; every call of its client
// before the run is noted, which is a moment after it began; none when it is not
// of a client of this server.
func (a *active) behind(run, client string) []caller {
	a.mu.Lock()
	defer a.mu.Unlock()
	if c, ok := a.runs[run]; ok {
		return []caller{c}
	}
	var all []caller
	for c := range a.calls {
		if c.id() == client {
			all = append(all, c.caller)
		}
	}
	return all
}

// take takes a place for a run that acts; give gives it back, once.
func (a *active) take(p engine.Places) (give func(), ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.busy(p) {
		return nil, false
	}
	a.places++
	return sync.OnceFunc(func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.places--
		a.last = time.Now()
	}), true
}

// standing is how things are: for /status and /metrics.
type standing struct {
	Busy     bool      `json:"busy"`
	Active   int       `json:"activeRequests"`
	Max      int       `json:"maxConcurrent"`
	Activity time.Time `json:"lastActivity,omitzero"`
	calls    int
	runs     int
	total    uint64
}

// acting is how many runs act on the desktop. The engine's count has those of
// the command line and of other servers over the same data folder; this server's
// has calls whose runs have not come so far. The lock is held.
func (a *active) acting(p engine.Places) int { return max(a.places, len(p.Taken)) }

func (a *active) busy(p engine.Places) bool {
	acting := a.acting(p)
	return acting >= a.limit || p.Total > 0 && acting >= p.Total
}

func (a *active) standing(p engine.Places) standing {
	a.mu.Lock()
	defer a.mu.Unlock()
	return standing{
		Busy: a.busy(p), Active: a.acting(p), Max: a.limit, Activity: a.last,
		calls: len(a.calls), runs: len(a.runs), total: a.count,
	}
}

// close ends every call with a cause, refuses new ones, and waits for those
// that there are.
func (a *active) close(ctx context.Context, cause error) error {
	a.mu.Lock()
	a.closed = true
	if a.idle == nil { // else another waits too
		a.idle = make(chan struct{})
	}
	idle := a.idle
	if len(a.calls) == 0 {
		close(idle)
		a.idle = nil
	}
	for _, cancel := range a.calls {
		cancel(cause)
	}
	end := a.end
	a.mu.Unlock()
	if end != nil {
		defer a.aside.Wait()
		defer end(errStopping)
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

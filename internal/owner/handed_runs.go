package owner

import (
	"context"
	"sync"
	"time"

	"understudy/engine"
)

// handedRuns are the runs that were paused for a handover and wait for their member
// to find the new owner. Clients that watch such a run must not see the pause.
type handedRuns struct {
	mu   sync.Mutex
	runs map[string]chan struct{} // closed when the run continues, or when its member did not come in time
}

// add adds runs that are expected within limit.
func (x *handedRuns) add(runs []string, limit time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.runs = map[string]chan struct{}{}
	for _, run := range runs {
		x.runs[run] = make(chan struct{})
		time.AfterFunc(limit, func() { x.arrived(run) })
	}
}

// arrived ends the wait for a run.
func (x *handedRuns) arrived(run string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if c := x.runs[run]; c != nil {
		close(c)
		delete(x.runs, run)
	}
}

// wait waits while a run is expected.
func (x *handedRuns) wait(ctx context.Context, run string) {
	x.mu.Lock()
	c := x.runs[run]
	x.mu.Unlock()
	if c == nil {
		return
	}
	select {
	case <-c:
	case <-ctx.Done():
	}
}

// hidingHandover is a Runs that hides the pause of expected runs.
type hidingHandover struct {
	engine.Runs
	expected *handedRuns
}

func (p hidingHandover) Wait(ctx context.Context, id string) (engine.Header, error) {
	p.expected.wait(ctx, id)
	return p.Runs.Wait(ctx, id)
}

func (p hidingHandover) Await(ctx context.Context, id string, after uint64) (engine.Header, error) {
	p.expected.wait(ctx, id)
	return p.Runs.Await(ctx, id, after)
}

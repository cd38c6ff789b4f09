package mcpserver

import (
	"context"
	"sync"
	"time"

	"understudy/mcpserver/httpd"
)

// inflight tracks the calls and runs in flight. Make one with newInflight.
type inflight struct {
	life context.Context // for what outlasts a call; it ends with the server
	end  context.CancelCauseFunc

	detached sync.WaitGroup // goroutines that are not part of a call
	orphaned sync.WaitGroup // runs that continue after their clients went away

	mu       sync.Mutex
	calls    map[*call]context.CancelCauseFunc
	runs     map[string]caller // run → the caller that began or continued it
	activity time.Time
	total    uint64 // calls so far
	closed   bool
	open     outstanding // calls
}

// outstanding counts what has begun and not ended. Its zero value is ready.
type outstanding struct {
	mu   sync.Mutex
	left int
	none chan struct{} // closed when nothing is left; nil: nothing has begun
}

// begin counts one more, until done is called.
func (o *outstanding) begin() (done func()) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left++; o.left == 1 {
		o.none = make(chan struct{})
	}
	return o.done
}

func (o *outstanding) done() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.left--; o.left == 0 {
		close(o.none)
	}
}

// wait returns when nothing is left, or with the cause for which the context ended.
func (o *outstanding) wait(ctx context.Context) error {
	o.mu.Lock()
	none := o.none
	o.mu.Unlock()
	if none == nil {
		return nil
	}
	select {
	case <-none:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func newInflight() *inflight {
	life, end := context.WithCancelCause(context.Background())
	return &inflight{life: life, end: end, calls: map[*call]context.CancelCauseFunc{}, runs: map[string]caller{}}
}

// enter registers a call, and returns the function that removes it.
func (f *inflight) enter(c *call, cancel context.CancelCauseFunc) (leave func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		cancel(errStopping)
	}
	f.calls[c] = cancel
	f.activity = time.Now()
	f.total++
	done := f.open.begin()
	return func() {
		defer done()
		f.mu.Lock()
		defer f.mu.Unlock()
		delete(f.calls, c)
		f.activity = time.Now()
	}
}

func (f *inflight) counts() httpd.Counts {
	f.mu.Lock()
	defer f.mu.Unlock()
	return httpd.Counts{Calls: len(f.calls), Runs: len(f.runs), Total: f.total, Activity: f.activity}
}

// runsOf counts the runs of a credential, and all runs.
func (f *inflight) runsOf(credential string) (own, all int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range f.runs {
		if c.grant != nil && c.grant.Name == credential {
			own++
		}
	}
	return own, len(f.runs)
}

func (f *inflight) noteRun(run string, c caller) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.runs[run] = c
}

func (f *inflight) forgetRun(run string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	delete(f.runs, run)
	f.activity = time.Now()
}

// callersOf returns the callers whose policy governs a run. Until noteRun has
// registered the run, it falls back to all open calls of that client; it returns
// none for a run that no client of this server began.
func (f *inflight) callersOf(run, client string) []caller {
	f.mu.Lock()
	defer f.mu.Unlock()
	if c, ok := f.runs[run]; ok {
		return []caller{c}
	}
	var all []caller
	for c := range f.calls {
		if c.id() == client {
			all = append(all, c.caller)
		}
	}
	return all
}

// close ends every call with a cause, refuses new ones, and waits until none is left.
func (f *inflight) close(ctx context.Context, cause error) error {
	f.mu.Lock()
	f.closed = true
	for _, cancel := range f.calls {
		cancel(cause)
	}
	f.mu.Unlock()
	defer f.detached.Wait()
	defer f.end(errStopping)
	return f.open.wait(ctx)
}

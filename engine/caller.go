package engine

import (
	"context"

	"understudy/steps"
)

// A Caller is on whose behalf a process begins and continues runs.
type Caller struct {
	// Allow is asked at each step whether a run may use a kind on behalf of the client that
	// began it or last continued it; nil: always.
	Allow func(run, client string, k steps.Kind) error
}

// For returns the runs of the engine for a caller, who decides about each run from when it
// begins or continues the run until another caller continues it.
func (e *Engine) For(c *Caller) Runs { return callersRuns{e, c} }

type callersRuns struct {
	*Engine
	by *Caller
}

func (r callersRuns) Start(ctx context.Context, q Request) (Header, error) {
	q.caller = r.by
	return r.Engine.Start(ctx, q)
}

func (r callersRuns) Resume(ctx context.Context, id string, q ResumeRequest) (Header, error) {
	q.caller = r.by
	return r.Engine.Resume(ctx, id, q)
}

func (r callersRuns) Fork(ctx context.Context, id, from string, q ResumeRequest) (Header, error) {
	q.caller = r.by
	return r.Engine.Fork(ctx, id, from, q)
}

func (r callersRuns) Answer(ctx context.Context, id string, a Answer) (Header, error) {
	a.caller = r.by
	return r.Engine.Answer(ctx, id, a)
}

func (r callersRuns) Continue(ctx context.Context, id string) (Header, error) {
	return r.proceed(ctx, id, r.by)
}

// Gone tells the engine that a caller has gone, whose runs are cancelled unless their
// documents say otherwise. A run that is stopping already continues to: this does not count as
// a second stop.
func (e *Engine) Gone(c *Caller) {
	for _, id := range e.Active() {
		w := e.workers.of(id)
		if w == nil || w.may.caller != c || w.program.Options.OutlivesClient(false) {
			continue
		}
		if stop, _ := w.stops.asked(); stop == nil {
			w.stops.interrupt(ByClient, "its client went away")
		}
	}
}

// asks returns what decides about the steps of a run; nil: they may use every kind.
func (p *permission) asks() func(run, client string, k steps.Kind) error {
	if p.caller != nil {
		return p.caller.Allow
	}
	return p.e.Allow
}

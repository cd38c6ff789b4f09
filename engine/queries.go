package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"understudy/steps"
)

// Wait returns when a run ends, waits for an answer or is paused.
func (e *Engine) Wait(ctx context.Context, id string) (Header, error) {
	if e.Elsewhere {
		return e.Await(ctx, id, math.MaxUint64) // until it is at rest
	}
	if w := e.workers.of(id); w != nil {
		select {
		case <-w.done:
			if w.err != nil {
				return e.withError(ctx, id, w.err)
			}
			return w.header, nil
		case <-ctx.Done():
			return Header{}, context.Cause(ctx)
		}
	}
	if cause := e.workers.failure(id); cause != nil {
		return e.withError(ctx, id, cause)
	}
	return e.Get(ctx, id)
}

// withError returns the header of a run that could not continue because of an error.
func (e *Engine) withError(ctx context.Context, id string, cause error) (Header, error) {
	h, err := e.Get(ctx, id)
	if err != nil {
		return h, errors.Join(cause, err)
	}
	code := steps.CodeOf(cause)
	if errors.Is(cause, ErrFull) {
		code = steps.Unavailable
	}
	h.Error = &ErrorRecord{Code: code, Message: cause.Error(), Next: "fix the cause, then resume the run"}
	return h, nil
}

// Get returns the header of a run.
func (e *Engine) Get(ctx context.Context, id string) (Header, error) {
	h, _, err := e.Store.Run(ctx, id)
	if err != nil {
		return Header{}, noRun(id, err)
	}
	return e.present(h), nil
}

func noRun(id string, err error) error {
	if !errors.Is(err, ErrNoRun) {
		return err
	}
	x := &steps.Error{Code: steps.NotFound, Err: fmt.Errorf("%w: %s", err, id)}
	x.Next = "list the existing runs"
	return x
}

// present corrects a stored header by what this process knows: a running run that no
// worker executes was interrupted.
func (e *Engine) present(h Header) Header {
	h.TakenBy = e.holds.by(h.ID)
	if e.Elsewhere && h.Status.Ended() {
		e.RestoreUnstored(h.ID, Unstored{}) // nobody will ask for it
	}
	if e.Elsewhere || h.Status != Running && h.Status != Queued {
		return h // in a fleet, a run whose worker is lost gets another one
	}
	w := e.workers.of(h.ID)
	if w == nil {
		h.Status = Interrupted
		return h
	}
	if h.ResumeFrom = ""; w.queued.Load() {
		h.Status, h.Position = Queued, w.position()
	}
	return h
}

// List returns runs, the newest first.
func (e *Engine) List(ctx context.Context, q Query) ([]Header, error) {
	var out []Header
	stored := q
	if slices.Contains(q.Status, Interrupted) || slices.Contains(q.Status, Queued) {
		stored.Status = append(slices.Clone(q.Status), Running, Queued) // a fleet's backup has queued runs
	}
	stored.Limit = 0
	ctx, where, done, err := whereOf(ctx, q.Where)
	if err != nil {
		return nil, err
	}
	defer done()
	for h, err := range e.Store.Runs(ctx, stored) {
		if err != nil {
			return out, err
		}
		h = e.present(h)
		if len(q.Status) > 0 && !slices.Contains(q.Status, h.Status) {
			continue
		}
		switch holds, err := where.holds(ctx, h); {
		case err != nil:
			return nil, err
		case !holds:
			continue
		}
		if out = append(out, h); q.Limit > 0 && len(out) == q.Limit {
			break
		}
	}
	return out, nil
}

// Events returns the events of a run from a sequence number on, at most eventPage.
func (e *Engine) Events(ctx context.Context, id string, from uint64) ([]Event, error) {
	var out []Event
	for ev, err := range e.Store.Events(ctx, id, from) {
		if err != nil {
			return out, noRun(id, err)
		}
		if out = append(out, ev); len(out) == eventPage {
			break
		}
	}
	return out, nil
}

const eventPage = 1000

// File returns the content with the given hash.
func (e *Engine) File(ctx context.Context, sort FileSort, hash string) ([]byte, error) {
	return e.Files.Get(ctx, sort, hash)
}

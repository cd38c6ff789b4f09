package bulk

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"understudy/engine"
	"understudy/steps"
)

// ItemState is how far an item is.
type ItemState string

// The states. An item that changed since the plan was made is left alone.
const (
	Open    ItemState = "open"
	Begun   ItemState = "begun"
	Done    ItemState = "done"
	Changed ItemState = "changed"
)

// state reads from the runs whether an item was done. The header is that of the run which
// the item continued or began.
func (p Plan) state(ctx context.Context, runs engine.Runs, i Item) (ItemState, engine.Header, error) {
	id := i.Run
	if p.Act == Fork {
		id = i.Key
	}
	h, err := runs.Get(ctx, id)
	gone := errors.Is(err, engine.ErrNoRun) || steps.CodeOf(err) == steps.NotFound
	switch {
	case gone && p.Act == Remove:
		return Done, h, nil
	case gone && p.Act == Fork:
		return p.stateOfSource(ctx, runs, i)
	case gone:
		return Changed, h, nil
	case err != nil:
		return "", h, err
	}
	return p.stateOf(i, h), h, nil
}

// stateOfSource returns the state of a run that was not forked yet.
func (p Plan) stateOfSource(ctx context.Context, runs engine.Runs, i Item) (ItemState, engine.Header, error) {
	h, err := runs.Get(ctx, i.Run)
	switch {
	case errors.Is(err, engine.ErrNoRun) || steps.CodeOf(err) == steps.NotFound:
		return Changed, engine.Header{}, nil
	case err == nil && h.Seq != i.Seq:
		return Changed, engine.Header{}, nil
	}
	return Open, engine.Header{}, err
}

func (p Plan) stateOf(i Item, h engine.Header) ItemState {
	over := h.Status.Ended() || h.Status == engine.Waiting || h.Status == engine.Paused
	switch {
	case p.Act == Stop && h.Attempt != i.Attempt: // somebody continued it since
		return Changed
	case p.Act == Stop && (h.Status == engine.Cancelled || h.Stopping):
		return Done
	case p.Act == Stop && h.Status.Ended(): // by itself
		return Changed
	case p.Act == Stop:
		return Open
	case (p.Act == Fork || h.Key == i.Key) && over:
		return Done
	case p.Act == Fork || h.Key == i.Key:
		return Begun
	case h.Seq == i.Seq:
		return Open
	}
	return Changed
}

// A Doer does what a plan says with one run, for the caller who carries it out, and waits
// until the run is at rest.
type Doer func(ctx context.Context, runs engine.Runs, p Plan, i Item) error

// Access returns the runs as the caller may see and change them at that moment.
type Access func(ctx context.Context) (engine.Runs, error)

// carryOut does what was not done yet, a few runs at a time. A run that cannot be done
// holds up no other.
func (p Plan) carryOut(ctx context.Context, runs Access, do Doer) error {
	places := make(chan struct{}, max(1, p.AtOnce))
	failed := make([]error, len(p.Items))
	var under sync.WaitGroup
	for n, i := range p.Items {
		select {
		case places <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		under.Go(func() {
			defer func() { <-places }()
			if err := p.doOne(ctx, runs, i, do); err != nil && ctx.Err() == nil {
				failed[n] = fmt.Errorf("run %s: %w", i.Run, err)
			}
		})
	}
	under.Wait()
	return errors.Join(append(failed, context.Cause(ctx))...)
}

func (p Plan) doOne(ctx context.Context, of Access, i Item, do Doer) error {
	runs, err := of(ctx)
	if err != nil {
		return err
	}
	state, h, err := p.state(ctx, runs, i)
	switch {
	case err != nil:
		return err
	case state == Open:
		err = do(ctx, runs, p, i)
		if now, _, unread := p.state(ctx, runs, i); err != nil && unread == nil && now == Changed {
			return nil // somebody was faster, and the engine refused
		}
		return err
	case state == Begun: // by somebody who was cut short
		_, err = runs.Wait(ctx, h.ID)
	}
	return err
}

// Do does what a plan says with one run. What the request says is added to.
func Do(ctx context.Context, runs engine.Runs, p Plan, i Item, r engine.ResumeRequest) error {
	switch p.Act {
	case Stop:
		_, err := runs.Stop(ctx, i.Run, engine.ByUser, "stopped with others by "+r.By)
		return err
	case Remove:
		return runs.Remove(ctx, i.Run, true)
	}
	h, err := Begin(ctx, runs, p, i, r)
	if err == nil {
		_, err = runs.Wait(ctx, h.ID)
	}
	return err
}

// Begin continues the run of a plan, or begins a fork of it. What the request says is
// added to.
func Begin(ctx context.Context, runs engine.Runs, p Plan, i Item, r engine.ResumeRequest) (engine.Header, error) {
	r.From, r.Queue, r.Key, r.Seq, r.Owner = p.From, true, i.Key, i.Seq, p.Owner
	if p.Act == Fork {
		return runs.Fork(ctx, i.Run, p.From, r)
	}
	return runs.Resume(ctx, i.Run, r)
}

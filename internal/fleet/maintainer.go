package fleet

import (
	"context"
	"fmt"
	"iter"
	"slices"

	"understudy/engine"
	"understudy/steps"
	"understudy/store"
)

// maintainer maintains the store of a fleet.
type maintainer struct{ Store }

// Remove removes a run that no worker executes or may take.
func (m maintainer) Remove(ctx context.Context, run string) error {
	return m.Store.Remove(ctx, run, refuseActive)
}

func refuseActive(h engine.Header) error {
	if h.Status == engine.Running || h.Status == engine.Queued {
		return steps.Errorf(steps.Busy, "run %s is %s", h.ID, h.Status).WithNext("stop it first")
	}
	return nil
}

// copiedAtOnce is the number of events in one batch of a backup.
const copiedAtOnce = 256

// Backup copies the runs into a store for one machine in a new folder, where `runs
// ls` and `runs check` can read them without the fleet.
func (m maintainer) Backup(ctx context.Context, dir string) (err error) {
	if err := store.EmptyFolder(dir); err != nil {
		return err
	}
	to, err := store.Open(dir, store.Options{})
	if err != nil {
		return err
	}
	defer func() {
		if ended := to.Close(); err == nil {
			err = ended
		}
	}()
	headers, err := collect(m.Runs(ctx, engine.Query{}))
	if err != nil {
		return err
	}
	files, err := m.FileNames(ctx) // read after the runs, and files are stored before runs, so no file is missing
	if err != nil {
		return err
	}
	for sort, hashes := range files {
		for _, hash := range hashes {
			content, err := m.Get(ctx, sort, hash)
			if err == nil {
				_, err = to.Put(ctx, sort, content)
			}
			if err != nil {
				return fmt.Errorf("copying %s %s: %w", sort, hash, err)
			}
		}
	}
	for _, h := range slices.Backward(headers) {
		if err := copyRun(ctx, m, to, h, 0, nil); err != nil {
			return fmt.Errorf("copying run %s: %w", h.ID, err)
		}
	}
	return nil
}

// collect returns all values of a sequence, or its first error.
func collect[T any](seq iter.Seq2[T, error]) (all []T, err error) {
	for v, err := range seq {
		if err != nil {
			return nil, err
		}
		all = append(all, v)
	}
	return all, nil
}

// copyRun copies the events of a run after number there, up to the time at which its
// header was read. If seen is not nil, it is called with each event before that is
// stored.
func copyRun(ctx context.Context, from, to engine.Store, h engine.Header, there uint64, seen func(engine.Event) error) error {
	var events []engine.Event
	write := func() error {
		if len(events) == 0 {
			return nil
		}
		last, first := events[len(events)-1], events[0]
		now := h
		now.Attempt, now.Seq = last.Attempt, last.Seq
		err := to.Append(ctx, h.ID, engine.Batch{Attempt: last.Attempt, Seq: first.Seq - 1, Events: events, Header: now})
		events = nil
		return err
	}
	for ev, err := range from.Events(ctx, h.ID, there+1) {
		if err != nil {
			return err
		}
		if ev.Seq > h.Seq {
			break
		}
		if seen != nil {
			if err := seen(ev); err != nil {
				return err
			}
		}
		if len(events) == copiedAtOnce || len(events) > 0 && events[0].Attempt != ev.Attempt {
			if err := write(); err != nil {
				return err
			}
		}
		events = append(events, ev)
	}
	return write()
}

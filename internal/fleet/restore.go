package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"understudy/engine"
	"understudy/store"
	"understudy/store/format"
)

// Restored is the result of Restore.
type Restored struct {
	Runs, Events, Files int
	There               int // runs of which nothing was missing
	Interrupted         int // restored runs that had not come to rest
}

// Restore copies the runs of a store for one machine, such as a backup, into the
// fleet, together with their files. It verifies all checksums first, and compares
// afterwards what it stored. A run that exists already is completed. A run that had
// not come to rest becomes interrupted, because it may have done more than the backup
// knows.
func (c *Client) Restore(ctx context.Context, dir string) (done Restored, err error) {
	from, err := store.Open(dir, store.Options{})
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, from.Close()) }()
	found, err := from.Check(ctx)
	if err != nil {
		return done, err
	}
	if !found.Clean() {
		return done, fmt.Errorf("%s is damaged: %s, and %d problems in all; understudy runs check names them", dir, found.Problems[0], len(found.Problems))
	}
	headers, err := collect(from.Runs(ctx, engine.Query{}))
	if err != nil {
		return done, err
	}
	r := restoring{Client: c, from: from, files: map[string]bool{}, done: &done}
	for _, h := range slices.Backward(headers) {
		if err := r.run(ctx, h); err != nil {
			return done, fmt.Errorf("restoring run %s: %w", h.ID, err)
		}
	}
	return done, nil
}

type restoring struct {
	*Client
	from  *store.Store
	files map[string]bool // copied already
	done  *Restored
}

func (r restoring) run(ctx context.Context, h engine.Header) error {
	there, _, err := r.store.Run(ctx, h.ID)
	if err != nil && !errors.Is(err, engine.ErrNoRun) {
		return err
	}
	if there.Seq >= h.Seq {
		r.done.There++
		return nil
	}
	under := h.Status == engine.Queued || h.Status == engine.Running
	if under {
		h.Status = engine.Interrupted
	}
	raw, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := r.filesIn(ctx, raw); err != nil {
		return err
	}
	err = copyRun(ctx, r.from, r.store, h, there.Seq, func(ev engine.Event) error { return r.filesIn(ctx, ev.Data) })
	if err == nil {
		err = r.compare(ctx, h)
	}
	if err != nil {
		return err
	}
	r.done.Runs++
	if under {
		r.done.Interrupted++
		_, err = r.GiveUp(ctx, h.ID, errors.New("it was unfinished when the backup was made"), "see what it did since, then resume it")
	}
	return err
}

// filesIn copies the files whose hashes are in a text.
func (r restoring) filesIn(ctx context.Context, text []byte) error {
	for name := range format.HashesIn(text) {
		hash := string(name)
		if r.files[hash] {
			continue
		}
		for _, sort := range []engine.FileSort{engine.Documents, engine.Captures, engine.Artifacts} {
			content, err := r.from.Get(ctx, sort, hash)
			if errors.Is(err, engine.ErrNoFile) {
				continue
			}
			stored := ""
			if err == nil {
				stored, err = r.store.Put(ctx, sort, content)
			}
			if err == nil && stored != hash {
				err = fmt.Errorf("it is stored as %s", stored)
			}
			if err != nil {
				return fmt.Errorf("%s %s: %w", sort, hash, err)
			}
			r.files[hash] = true
			r.done.Files++
		}
	}
	return nil
}

// compare reads a restored run, which verifies its checksums, and compares it with
// the original.
func (r restoring) compare(ctx context.Context, h engine.Header) error {
	was, err := collect(r.from.Events(ctx, h.ID, 1))
	if err != nil {
		return err
	}
	is, err := collect(r.store.Events(ctx, h.ID, 1))
	if err != nil {
		return err
	}
	if len(is) < len(was) {
		return fmt.Errorf("%d of its %d events are there", len(is), len(was))
	}
	for i, before := range was {
		if ev := is[i]; ev.Seq != before.Seq || ev.Attempt != before.Attempt || ev.Type != before.Type || ev.Path != before.Path || !ev.At.Equal(before.At) || !bytes.Equal(ev.Data, before.Data) {
			return fmt.Errorf("event %d differs from that of the backup", ev.Seq)
		}
	}
	r.done.Events += len(was)
	return nil
}

package store

import (
	"bytes"
	"errors"
	"slices"
	"time"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
)

// maxLazy is how many lazy batches may wait. While the disk is full they would fill
// the memory, so further batches are written, and refused, like others.
const maxLazy = 1024

// appendLazily keeps a batch in memory for the next commit or flush. It can be read at
// once, and is lost in a crash: writing it with bbolt but without a sync could ruin the
// file. It reports false if the batch must be written now.
func (w *writer) appendLazily(r *request) bool {
	w.writing.Lock() // no commit may change the run meanwhile
	defer w.writing.Unlock()
	h, err := w.position(r.run)
	if err == nil {
		err = r.batch.Check(r.run, h.Attempt, h.Seq)
	}
	if err == nil {
		n := len(w.lazy.all())
		if n >= maxLazy {
			return false
		}
		w.lazy.add(&request{run: r.run, batch: ownCopy(r.batch)})
		if n == 0 {
			w.flushLater()
		}
	}
	r.done <- err
	return true
}

// position returns the last header of a run, empty for a new run.
func (w *writer) position(run string) (engine.Header, error) {
	if h, there := w.lazy.last(run); there {
		return h, nil
	}
	var h head
	err := w.view(func(tx *bolt.Tx) (err error) {
		h, err = readHead(tx, run)
		return err
	})
	if errors.Is(err, engine.ErrNoRun) {
		err = nil
	}
	return h.Header, err
}

// ownCopy returns a copy of a batch that shares no memory with it.
func ownCopy(b engine.Batch) engine.Batch {
	b.Events = slices.Clone(b.Events)
	for i, ev := range b.Events {
		b.Events[i].At = ev.At.UTC().Round(0)
		b.Events[i].Data = bytes.Clone(ev.Data)
	}
	if b.Snapshot != nil {
		b.Snapshot = &engine.Snapshot{Seq: b.Snapshot.Seq, State: bytes.Clone(b.Snapshot.State)}
	}
	return b
}

// flush writes the lazy batches. If that fails, it is tried again later.
func (w *writer) flush() error {
	w.writing.Lock()
	defer w.writing.Unlock()
	return w.flushNow()
}

// flushNow is flush for a caller that holds w.writing.
func (w *writer) flushNow() error {
	n := len(w.lazy.all())
	if n == 0 {
		return nil
	}
	err := w.commit(nil)
	if err != nil {
		w.log.Warn("lazy events are not stored yet", "batches", n, "error", err)
		w.flushLater()
	}
	return err
}

// flushLater calls flush when the lazy batches have waited for long enough. The caller
// holds w.writing.
func (w *writer) flushLater() {
	if w.later != nil {
		w.later.Stop()
	}
	w.later = time.AfterFunc(w.lazyTime, func() { _ = w.flush() })
}

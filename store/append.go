package store

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/store/format"
)

// A writer commits batches to the database, one commit at a time.
type writer struct {
	database
	files    files
	queue    queue // for the next commit
	lazy     queue // for the next commit or flush
	lazyTime time.Duration

	writing sync.Mutex      // held from taking the queue to the end of its commit; guards what follows
	putHere map[string]bool // documents put since Open, which a run may be about to name
	later   *time.Timer     // the last one of flushLater
}

// A request is a batch that waits for a commit.
type request struct {
	run   string
	batch engine.Batch
	done  chan error // receives the result, unless the batch is lazy
	err   error      // why this batch is refused, while others of the commit are not
}

// A queue holds requests, the oldest first, until a commit writes them.
type queue struct {
	mu       sync.Mutex
	requests []*request // only appended to, or replaced
}

func (q *queue) add(r *request) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.requests = append(q.requests, r)
}

// all returns the requests.
func (q *queue) all() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.requests
}

// take returns the requests and removes them.
func (q *queue) take() []*request {
	q.mu.Lock()
	defer q.mu.Unlock()
	all := q.requests
	q.requests = nil
	return all
}

// drop removes the requests of runs.
func (q *queue) drop(runs []string) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.requests = slices.DeleteFunc(slices.Clone(q.requests), func(r *request) bool { return slices.Contains(runs, r.run) })
}

// of returns the batches of a run.
func (q *queue) of(run string) (batches []engine.Batch) {
	for _, r := range q.all() {
		if r.run == run {
			batches = append(batches, r.batch)
		}
	}
	return batches
}

// last returns the last header of a run, if the queue has a batch of it.
func (q *queue) last(run string) (h engine.Header, there bool) {
	for _, r := range slices.Backward(q.all()) {
		if r.run == run {
			return r.batch.Header, true
		}
	}
	return h, false
}

// Append adds a batch to a run. The batch is durable when Append returns, unless
// it is lazy. Once the batch is queued, the end of the context is ignored.
//
// Batches that arrive during a commit share the next one.
func (s *Store) Append(ctx context.Context, run string, b engine.Batch) error {
	if ctx.Err() != nil {
		return fmt.Errorf("run %s: storing events: %w", run, context.Cause(ctx))
	}
	if err := format.CheckID(run); err != nil {
		return err
	}
	if b.Wanted != nil {
		return fmt.Errorf("run %s: storing events: %w", run, engine.ErrNoQueue)
	}
	r := &request{run: run, batch: b, done: make(chan error, 1)}
	if b.Lazy && s.appendLazily(r) {
		return <-r.done
	}
	s.queue.add(r)
	s.commitQueue()
	return <-r.done
}

// commitQueue commits the queue, unless another caller has committed it
// meanwhile.
func (w *writer) commitQueue() {
	w.writing.Lock()
	defer w.writing.Unlock()
	queue := w.queue.take()
	if len(queue) == 0 {
		return
	}
	err := w.commit(queue)
	for _, r := range queue {
		one := err
		if err != nil && len(queue) > 1 { // a batch that is too large must not fail the others
			r.err = nil
			one = w.commit([]*request{r})
		}
		r.done <- cmp.Or(r.err, one)
	}
}

// errNothing rolls back a transaction in which there is nothing to write.
var errNothing = errors.New("nothing to write")

// commit writes the lazy batches and then the requests in one transaction. The
// caller holds s.writing.
func (w *writer) commit(queue []*request) error {
	lazy := w.lazy.all()
	err := w.update(func(tx *bolt.Tx) error {
		written := len(lazy)
		for i, r := range slices.Concat(lazy, queue) {
			refused, err := w.write(tx, r.run, r.batch)
			if err != nil {
				return fmt.Errorf("run %s: storing events: %w", r.run, err)
			}
			switch r.err = refused; {
			case i < len(lazy) && refused != nil: // the run was removed meanwhile
				w.log.Warn("lazy events are dropped", "run", r.run, "error", refused)
			case i >= len(lazy) && refused == nil:
				written++
			}
		}
		if written == 0 {
			return errNothing
		}
		return nil
	})
	if errors.Is(err, errNothing) {
		return nil
	}
	if err == nil {
		w.lazy.take() // none was added meanwhile
	}
	return err
}

// write stores a batch. If it refuses the batch, it has written nothing.
func (w *writer) write(tx *bolt.Tx, run string, b engine.Batch) (refused, err error) {
	old, err := readHead(tx, run)
	var before *engine.Header
	switch {
	case err == nil:
		before = &old.Header
	case errors.Is(err, engine.ErrNoRun):
		old.tail = format.Seed(run)
	default:
		return err, nil // a damaged run stops itself, and no other
	}
	if err := b.Check(run, old.Attempt, old.Seq); err != nil {
		return err, nil
	}
	if journal := tx.Bucket(bucketJournal).Bucket([]byte(run)); journal != nil && journal.Get(seqKey(old.Seq+1)) != nil {
		return damagedRun(tx.DB().Path(), run, "event %d is not the last, as its header says", old.Seq), nil
	}
	h := head{Header: b.Header, tail: old.tail, size: old.size}
	if err := w.writeEvents(tx, run, b.Events, &h); err != nil {
		return nil, err
	}
	if err := writeSnapshot(tx, run, b.Snapshot, &h); err != nil {
		return nil, err
	}
	record, err := encodeHead(h)
	if err != nil {
		return nil, err
	}
	if err := tx.Bucket(bucketHeaders).Put([]byte(run), record); err != nil {
		return nil, err
	}
	return nil, putIndex(tx, before, &h.Header)
}

func writeSnapshot(tx *bolt.Tx, run string, snap *engine.Snapshot, h *head) error {
	if snap == nil {
		return nil
	}
	b, key, record := tx.Bucket(bucketSnapshots), []byte(run), encodeSnapshot(run, snap)
	h.size += int64(len(record) - len(b.Get(key)))
	return b.Put(key, record)
}

// writeEvents adds events to a run, and updates the checksum and the size in its
// head.
func (w *writer) writeEvents(tx *bolt.Tx, run string, events []engine.Event, h *head) error {
	if len(events) == 0 {
		return nil
	}
	journal, err := tx.Bucket(bucketJournal).CreateBucketIfNotExists([]byte(run))
	if err != nil {
		return err
	}
	journal.FillPercent = 0.9 // events are only added at the end
	for _, ev := range events {
		record := encodeEvent(ev)
		h.tail = format.Seal(h.tail, record)
		h.size += int64(len(record))
		if err := journal.Put(seqKey(ev.Seq), record); err != nil {
			return err
		}
		if err := w.files.putNames(tx, run, ev.Data); err != nil {
			return err
		}
	}
	return nil
}

func seqKey(seq uint64) []byte { return binary.BigEndian.AppendUint64(nil, seq) }

func readHead(tx *bolt.Tx, run string) (head, error) {
	record := tx.Bucket(bucketHeaders).Get([]byte(run))
	if record == nil {
		return head{}, fmt.Errorf("run %s: %w", run, engine.ErrNoRun)
	}
	h, err := decodeHead(run, record)
	if err != nil {
		return head{}, damagedRun(tx.DB().Path(), run, "its header: %v", err)
	}
	return h, nil
}

package store

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/store/sealed"
)

const maxID = 128

// A request is a batch that waits for a commit.
type request struct {
	run   string
	batch engine.Batch
	done  chan error
	err   error // why this one is refused, while others of the commit are not
}

// Append adds a batch to a run. It is durable when Append returns, unless it
// is lazy. The context counts only before the batch is handed over: after
// that it is written whole.
//
// Batches that arrive during a commit share the next one.
func (s *Store) Append(ctx context.Context, run string, b engine.Batch) error {
	if err := ctx.Err(); err != nil {
		return fmt.Errorf("run %s: storing events: %w", run, context.Cause(ctx))
	}
	if run == "" || len(run) > maxID || strings.ContainsRune(run, 0) {
		return fmt.Errorf("run %q: wanted an id of 1 to %d bytes", run, maxID)
	}
	if b.Wanted != nil {
		return fmt.Errorf("run %s: storing events: %w", run, engine.ErrNoQueue)
	}
	r := &request{run: run, batch: b, done: make(chan error, 1)}
	if b.Lazy && s.appendLazily(r) {
		return <-r.done
	}
	s.mu.Lock()
	s.queue = append(s.queue, r)
	s.mu.Unlock()
	s.commitQueue()
	return <-r.done
}

// commitQueue commits what waits, which is nothing when another caller took it
// along meanwhile.
func (s *Store) commitQueue() {
	s.writing.Lock()
	defer s.writing.Unlock()
	s.mu.Lock()
	queue := s.queue
	s.queue = nil
	s.mu.Unlock()
	if len(queue) == 0 {
		return
	}
	err := s.commit(queue)
	for _, r := range queue {
		if err != nil && len(queue) > 1 { // one that is too large must not take the others along
			r.err = nil
			answer(r, s.commit([]*request{r}))
			continue
		}
		answer(r, err)
	}
}

func answer(r *request, err error) {
	if r.err != nil {
		err = r.err
	}
	r.done <- err
}

// errNothing rolls back a transaction in which every batch was refused.
var errNothing = errors.New("nothing to write")

// commit writes the lazy batches and then the queue in one transaction. The
// caller holds s.writing.
func (s *Store) commit(queue []*request) error {
	lazy := s.lazy.all()
	err := s.update(func(tx *bolt.Tx) error {
		written := len(lazy)
		for _, l := range lazy {
			if refused, err := s.write(tx, l.run, l.batch); err != nil {
				return fmt.Errorf("run %s: storing lazy events: %w", l.run, err)
			} else if refused != nil { // its run was removed meanwhile
				s.log.Warn("lazy events are dropped", "run", l.run, "error", refused)
			}
		}
		for _, r := range queue {
			refused, err := s.write(tx, r.run, r.batch)
			if err != nil {
				return fmt.Errorf("run %s: storing events: %w", r.run, err)
			}
			if r.err = refused; refused == nil {
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
	if err == nil && len(lazy) > 0 {
		s.lazy.drop(func(i int, _ lazyBatch) bool { return i < len(lazy) }) // they are durable now
	}
	return err
}

// write stores a batch, or refuses it and has written nothing.
func (s *Store) write(tx *bolt.Tx, run string, b engine.Batch) (refused, err error) {
	old, err := readHead(tx, run)
	var before *engine.Header
	switch {
	case err == nil:
		before = &old.Header
	case errors.Is(err, engine.ErrNoRun):
		old.tail = sealed.Seed(run)
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
	if err := s.writeEvents(tx, run, b.Events, &h); err != nil {
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

// writeEvents stores events behind those that a run has, and notes in its head
// the checksum of the last one and the size.
func (s *Store) writeEvents(tx *bolt.Tx, run string, events []engine.Event, h *head) error {
	if len(events) == 0 {
		return nil
	}
	journal, err := tx.Bucket(bucketJournal).CreateBucketIfNotExists([]byte(run))
	if err != nil {
		return err
	}
	journal.FillPercent = 0.9 // events only ever come at the end
	for _, ev := range events {
		record := encodeEvent(ev)
		h.tail = sealed.Seal(h.tail, record)
		h.size += int64(len(record))
		if err := journal.Put(seqKey(ev.Seq), record); err != nil {
			return err
		}
		if err := s.putNames(tx, run, ev.Data); err != nil {
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

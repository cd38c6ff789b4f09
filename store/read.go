package store

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	bolt "go.etcd.io/bbolt"

	"understudy/engine"
	"understudy/store/format"
)

// An open transaction keeps pages from being reused, and a caller that ranges
// over events may be slow. So events and headers are read in pieces, each in a
// transaction of its own.
const (
	pieceEvents = 512       // at most
	pieceBytes  = 256 << 10 // about
	pieceRuns   = 64
)

// Run returns the header of a run, and its snapshot if it has one.
func (s *Store) Run(_ context.Context, run string) (engine.Header, *engine.Snapshot, error) {
	lazy := s.lazy.of(run) // before the database, because a commit may move them there
	var h head
	var snap *engine.Snapshot
	err := s.view(func(tx *bolt.Tx) (err error) {
		if h, err = readHead(tx, run); err != nil {
			return err
		}
		if snap, err = readSnapshot(tx, run, h.Seq); err != nil {
			return damagedRun(s.path(), run, "%v", err)
		}
		return nil
	})
	if err != nil && !(errors.Is(err, engine.ErrNoRun) && len(lazy) > 0) {
		return engine.Header{}, nil, err
	}
	for _, b := range lazy {
		if b.Header.Seq >= h.Seq {
			h.Header = b.Header
		}
		if b.Snapshot != nil && (snap == nil || b.Snapshot.Seq >= snap.Seq) {
			snap = b.Snapshot
		}
	}
	return h.Header, snap, nil
}

// readSnapshot returns the snapshot of a run, which has seq events; nil: there is none.
func readSnapshot(tx *bolt.Tx, run string, seq uint64) (*engine.Snapshot, error) {
	record := tx.Bucket(bucketSnapshots).Get([]byte(run))
	if record == nil {
		return nil, nil
	}
	snap, err := decodeSnapshot(run, record)
	switch {
	case err != nil:
		return nil, fmt.Errorf("its snapshot: %w", err)
	case snap.Seq > seq:
		return nil, fmt.Errorf("its snapshot is of event %d of %d", snap.Seq, seq)
	}
	return snap, nil
}

// Events yields the events of a run from a number on. If there is no such run,
// the error is ErrNoRun. Each event is checked against the one before it, and
// the last one against the header: a missing or changed event is an error.
func (s *Store) Events(ctx context.Context, run string, from uint64) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		p := &passage{run: run, next: max(from, 1)}
		for !p.atEnd {
			if ctx.Err() != nil {
				yield(engine.Event{}, context.Cause(ctx))
				return
			}
			p.lazy = s.lazy.of(run)
			err := s.view(p.read)
			for _, ev := range p.events {
				if !yield(ev, nil) {
					return
				}
			}
			if err != nil {
				yield(engine.Event{}, err)
				return
			}
		}
	}
}

// A passage iterates over the events of a run, piece by piece.
type passage struct {
	run    string
	next   uint64         // the number of the event to read
	sum    uint32         // the checksum of the event before it
	lazy   []engine.Batch // the lazy batches when the piece was begun
	events []engine.Event // the piece
	atEnd  bool
	begun  bool
}

// read reads the next piece. It includes the events before a damaged one.
func (p *passage) read(tx *bolt.Tx) error {
	p.events = p.events[:0]
	h, err := readHead(tx, p.run)
	switch {
	case errors.Is(err, engine.ErrNoRun) && len(p.lazy) > 0 && !p.begun:
	case err != nil:
		return err
	default:
		if err := p.stored(tx, h); err != nil || p.next <= h.Seq {
			return err
		}
	}
	p.atEnd = true
	for _, b := range p.lazy {
		for _, ev := range b.Events {
			if ev.Seq == p.next {
				p.events = append(p.events, ev)
				p.next++
			}
		}
	}
	return nil
}

// stored reads the next piece of the events in the database.
func (p *passage) stored(tx *bolt.Tx, h head) error {
	if p.next > h.Seq {
		return nil
	}
	path := tx.DB().Path()
	journal := tx.Bucket(bucketJournal).Bucket([]byte(p.run))
	if journal == nil {
		return damagedRun(path, p.run, "its events are missing")
	}
	cursor := journal.Cursor()
	key, record, err := p.seek(cursor)
	if err != nil {
		return damagedRun(path, p.run, "%v", err)
	}
	for bytesRead := 0; p.next <= h.Seq && len(p.events) < pieceEvents && bytesRead < pieceBytes; {
		if key == nil || len(key) != 8 || binary.BigEndian.Uint64(key) != p.next {
			return damagedRun(path, p.run, "event %d of %d is missing", p.next, h.Seq)
		}
		ev, sum, err := openEvent(p.next, p.sum, record)
		if err != nil {
			return damagedRun(path, p.run, "event %d: %v", p.next, err)
		}
		p.events = append(p.events, ev)
		p.sum, bytesRead = sum, bytesRead+len(record)
		p.next++
		key, record = cursor.Next()
	}
	if p.next > h.Seq && (p.sum != h.tail || key != nil) {
		return damagedRun(path, p.run, "event %d is not the last, as its header says", h.Seq)
	}
	return nil
}

// seek moves to the next event. The first time, it reads the checksum of the
// event before that.
func (p *passage) seek(cursor *bolt.Cursor) (key, record []byte, err error) {
	if !p.begun {
		p.begun, p.sum = true, format.Seed(p.run)
		if p.next > 1 {
			key, record = cursor.Seek(seqKey(p.next - 1))
			if !bytes.Equal(key, seqKey(p.next-1)) || len(record) < format.SumSize {
				return nil, nil, fmt.Errorf("event %d is missing", p.next-1)
			}
			p.sum = format.Sum(record)
		}
	}
	key, record = cursor.Seek(seqKey(p.next))
	return key, record, nil
}

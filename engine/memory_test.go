package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"iter"
	"slices"
	"sync"
)

// memory is a Store and Files for the tests of the rules; the real store has
// tests with the engine of its own.
type memory struct {
	mu     sync.Mutex
	events map[string][][]byte
	heads  map[string]Header
	snaps  map[string]*Snapshot
	files  map[string][]byte
	fail   func(b Batch) error
	after  func(run string, b Batch) // called when a batch is stored
	// batches is how many were stored.
	batches int
	forget  bool // keep headers only
}

func newMemory() *memory {
	return &memory{events: map[string][][]byte{}, heads: map[string]Header{}, snaps: map[string]*Snapshot{}, files: map[string][]byte{}}
}

func (m *memory) Append(_ context.Context, run string, b Batch) error {
	if err := m.append(run, b); err != nil {
		return err
	}
	if m.after != nil {
		m.after(run, b)
	}
	return nil
}

func (m *memory) append(run string, b Batch) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.batches++
	if m.fail != nil {
		if err := m.fail(b); err != nil {
			return err
		}
	}
	h := m.heads[run]
	if h.Attempt != b.Attempt || h.Seq != b.Seq {
		return &StaleError{Run: run, WantAttempt: b.Attempt, Attempt: h.Attempt, WantSeq: b.Seq, Seq: h.Seq}
	}
	if m.forget {
		b.Events, b.Snapshot = nil, nil
	}
	for _, ev := range b.Events {
		raw, err := json.Marshal(ev)
		if err != nil {
			return err
		}
		m.events[run] = append(m.events[run], raw)
	}
	m.heads[run] = b.Header
	if b.Snapshot != nil {
		m.snaps[run] = b.Snapshot
	}
	return nil
}

func (m *memory) Events(_ context.Context, run string, from uint64) iter.Seq2[Event, error] {
	m.mu.Lock()
	all := slices.Clone(m.events[run])
	m.mu.Unlock()
	return func(yield func(Event, error) bool) {
		for i := int(from) - 1; i < len(all); i++ {
			var ev Event
			err := json.Unmarshal(all[i], &ev)
			if !yield(ev, err) {
				return
			}
		}
	}
}

func (m *memory) Run(_ context.Context, run string) (Header, *Snapshot, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	h, ok := m.heads[run]
	if !ok {
		return h, nil, ErrNoRun
	}
	return h, m.snaps[run], nil
}

func (m *memory) Runs(_ context.Context, q Query) iter.Seq2[Header, error] {
	return func(yield func(Header, error) bool) {
		m.mu.Lock()
		var all []Header
		for _, h := range m.heads {
			if q.Wants(&h) {
				all = append(all, h)
			}
		}
		m.mu.Unlock()
		slices.SortFunc(all, func(a, b Header) int { return -compare(a.ID, b.ID) })
		for _, h := range all {
			if !yield(h, nil) {
				return
			}
		}
	}
}

func compare(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

func (m *memory) Put(_ context.Context, sort FileSort, content []byte) (string, error) {
	sum := sha256.Sum256(content)
	hash := hex.EncodeToString(sum[:])
	m.mu.Lock()
	defer m.mu.Unlock()
	m.files[string(sort)+hash] = content
	return hash, nil
}

func (m *memory) Get(_ context.Context, sort FileSort, hash string) ([]byte, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	c, ok := m.files[string(sort)+hash]
	if !ok {
		return nil, ErrNoFile
	}
	return c, nil
}

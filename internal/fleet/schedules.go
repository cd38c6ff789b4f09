package fleet

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"understudy/internal/schedules"
)

var _ schedules.Store = (*Schedules)(nil)

// Schedules keeps schedules in the store of a fleet, so that all servers can start
// their runs. The store creates a run with a given id only once, whichever server
// tries.
type Schedules struct {
	Client func(context.Context) (*Client, error)

	serving atomic.Bool

	mu    sync.Mutex
	known map[string]record
}

// A record is one of the store and the schedule in it, with an error for a damaged one.
type record struct {
	raw   []byte
	entry *schedules.Entry
	err   error
}

func (s *Schedules) List(ctx context.Context) ([]schedules.Entry, error) {
	c, err := s.Client(ctx)
	if err != nil {
		return nil, err
	}
	records, damaged := c.store.Records(ctx)
	if records == nil {
		return nil, damaged
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	all, known, failed := make([]schedules.Entry, 0, len(records)), map[string]record{}, []error{damaged}
	for _, name := range slices.Sorted(maps.Keys(records)) {
		r := s.known[name]
		if !bytes.Equal(r.raw, records[name]) {
			r.raw = records[name]
			r.entry, r.err = entryOf(name, r.raw)
		}
		if known[name] = r; r.entry != nil {
			all = append(all, *r.entry)
		}
		failed = append(failed, r.err)
	}
	s.known = known
	return all, errors.Join(failed...)
}

// Get implements schedules.Store.
func (s *Schedules) Get(ctx context.Context, name string) (e *schedules.Entry, err error) {
	c, err := s.Client(ctx)
	if err == nil {
		err = c.store.ChangeRecord(ctx, name, func(raw []byte) ([]byte, error) {
			e, err = entryOf(name, raw)
			return raw, err // as it was, so nothing is stored
		})
	}
	return e, err
}

func entryOf(name string, raw []byte) (*schedules.Entry, error) {
	if raw == nil {
		return nil, nil
	}
	e := &schedules.Entry{}
	if err := json.Unmarshal(raw, e); err != nil {
		return nil, fmt.Errorf("the schedule %s: %w", name, err)
	}
	e.State.Pending, e.State.Notes = slices.Clip(e.State.Pending), slices.Clip(e.State.Notes) // entries share them
	return e, nil
}

func (s *Schedules) Change(ctx context.Context, name string, change func(*schedules.Entry) (*schedules.Entry, error)) error {
	c, err := s.Client(ctx)
	if err != nil {
		return err
	}
	return c.store.ChangeRecord(ctx, name, func(raw []byte) ([]byte, error) {
		before, err := entryOf(name, raw)
		if err != nil {
			return nil, err
		}
		after, err := change(before)
		if err != nil || after == nil {
			return nil, err
		}
		return json.Marshal(after)
	})
}

// Serve answers, until the context ends, that a server takes care of the schedules.
func (s *Schedules) Serve(ctx context.Context) error {
	if s.serving.Load() {
		return nil
	}
	c, err := s.Client(ctx)
	if err == nil {
		err = c.store.Answer(ctx, func(context.Context, []byte) []byte { return []byte{} }, servesName)
	}
	s.serving.Store(err == nil)
	return err
}

func (s *Schedules) Served(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, askTime)
	defer cancel()
	c, err := s.Client(ctx)
	if err == nil {
		_, err = c.store.Ask(ctx, nil, servesName)
	}
	return err == nil
}

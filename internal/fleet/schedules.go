package fleet

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
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

	listed atomic.Pointer[listing]
}

// A listing is the schedules of one version of the records, with an error for damaged
// ones.
type listing struct {
	version string
	entries []schedules.Entry
	err     error
}

func (s *Schedules) List(ctx context.Context) ([]schedules.Entry, error) {
	c, err := s.Client(ctx)
	if err != nil {
		return nil, err
	}
	last := s.listed.Load()
	if last == nil {
		last = &listing{}
	}
	records, version, err := c.store.Records(ctx, last.version)
	if err != nil {
		return nil, err
	}
	if version != last.version {
		last = &listing{version: version}
		for _, name := range slices.Sorted(maps.Keys(records)) {
			e, err := entryOf(name, records[name])
			if e != nil {
				last.entries = append(last.entries, *e)
			}
			last.err = errors.Join(last.err, err)
		}
		s.listed.Store(last)
	}
	return append([]schedules.Entry{}, last.entries...), last.err
}

// Get reads a record by a change that changes nothing.
func (s *Schedules) Get(ctx context.Context, name string) (e *schedules.Entry, err error) {
	c, err := s.Client(ctx)
	if err != nil {
		return nil, err
	}
	return e, c.store.ChangeRecord(ctx, name, func(raw []byte) ([]byte, error) {
		e, err = entryOf(name, raw)
		return raw, err
	})
}

func entryOf(name string, raw []byte) (*schedules.Entry, error) {
	if raw == nil {
		return nil, nil
	}
	e := &schedules.Entry{}
	if err := json.Unmarshal(raw, e); err != nil {
		return nil, fmt.Errorf("the schedule %s: %w", name, err)
	}
	return e.Clip(), nil
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

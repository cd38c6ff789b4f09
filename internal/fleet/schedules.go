package fleet

import (
	"context"
	"encoding/json"
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
}

func (s *Schedules) List(ctx context.Context) ([]schedules.Entry, error) {
	c, err := s.Client(ctx)
	if err != nil {
		return nil, err
	}
	records, err := c.store.Records(ctx)
	if err != nil {
		return nil, err
	}
	all := make([]schedules.Entry, 0, len(records))
	for _, name := range slices.Sorted(maps.Keys(records)) {
		e, err := entryOf(name, records[name])
		if err != nil {
			return nil, err
		}
		all = append(all, *e)
	}
	return all, nil
}

func entryOf(name string, raw []byte) (*schedules.Entry, error) {
	if raw == nil {
		return nil, nil
	}
	e := &schedules.Entry{}
	if err := json.Unmarshal(raw, e); err != nil {
		return nil, fmt.Errorf("the schedule %s: %w", name, err)
	}
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

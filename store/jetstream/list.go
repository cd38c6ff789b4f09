package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
)

// headers are the headers of all runs, kept up to date by a consumer of the stream
// from the first listing on.
type headers struct {
	stop func()

	mu    sync.Mutex
	runs  map[string]*listedRun // never changed, only replaced
	order []string              // ids, the oldest first
	seen  uint64                // the number of the last message
	grown chan struct{}         // closed and replaced by each message
}

type listedRun struct {
	seq    uint64
	header engine.Header
	err    error
}

// Runs yields the headers of runs, the newest first. They are at least as new as
// the leader's at the time of the call.
func (s *Store) Runs(ctx context.Context, q engine.Query) iter.Seq2[engine.Header, error] {
	return func(yield func(engine.Header, error) bool) {
		l, err := s.follow(ctx)
		if err == nil {
			err = s.catchUp(ctx, l)
		}
		if err != nil {
			yield(engine.Header{}, fmt.Errorf("listing runs: %w", err))
			return
		}
		for _, r := range l.find(q) {
			if !yield(r.header, r.err) {
				return
			}
		}
	}
}

// find returns the runs that a query wants, and those whose headers cannot be read.
func (l *headers) find(q engine.Query) (found []*listedRun) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range slices.Backward(l.order) {
		r := l.runs[id]
		if r.err == nil && q.Wants(&r.header) || r.err != nil && (q.Before == "" || id < q.Before) {
			found = append(found, r)
		}
		if len(found) == q.Limit && q.Limit > 0 {
			break
		}
	}
	return found
}

// follow returns the list of headers, and starts its consumer the first time.
func (s *Store) follow(ctx context.Context) (*headers, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list != nil {
		return s.list, nil
	}
	l := &headers{runs: map[string]*listedRun{}, grown: make(chan struct{})}
	var c jetstream.Consumer
	err := s.persist(ctx, func(ctx context.Context) (err error) {
		c, err = s.js.OrderedConsumer(ctx, s.stream(runsStream), jetstream.OrderedConsumerConfig{
			FilterSubjects: []string{s.prefix + ".r.*"}, DeliverPolicy: jetstream.DeliverLastPerSubjectPolicy, HeadersOnly: true,
		})
		return err
	})
	if err != nil {
		return nil, err
	}
	following, err := c.Consume(func(m jetstream.Msg) {
		if meta, err := m.Metadata(); err == nil {
			h := m.Headers()
			header, err := s.runHeader(context.Background(), h)
			l.put(idOf(lastWord(m.Subject())), &listedRun{meta.Sequence.Stream, header, err}, h.Get(removedHeader) != "")
		}
	}, jetstream.PullMaxMessages(2000), jetstream.PullExpiry(5*time.Second), jetstream.PullHeartbeat(time.Second))
	if err != nil {
		return nil, err
	}
	l.stop = following.Stop
	s.list = l
	return l, nil
}

func (l *headers) put(run string, r *listedRun, removed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, found := slices.BinarySearch(l.order, run)
	switch {
	case removed && found:
		l.order = slices.Delete(l.order, i, i+1)
		delete(l.runs, run)
	case !removed:
		if !found {
			l.order = slices.Insert(l.order, i, run)
		}
		l.runs[run] = r
	}
	l.seen = max(l.seen, r.seq)
	close(l.grown)
	l.grown = make(chan struct{})
}

// catchUp waits until the list is as new as the leader.
func (s *Store) catchUp(ctx context.Context, l *headers) error {
	newest, err := s.newest(ctx, runsStream, s.prefix+".r.*")
	for err == nil {
		l.mu.Lock()
		have, grown := l.seen, l.grown
		l.mu.Unlock()
		if newest == nil || have >= newest.seq {
			return nil
		}
		select {
		case <-grown:
		case <-ctx.Done():
			err = context.Cause(ctx)
		case <-time.After(s.wait):
			err = errors.New("the servers do not tell of all runs")
		}
	}
	return err
}

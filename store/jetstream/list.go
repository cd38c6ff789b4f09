package jetstream

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"slices"
	"sync"

	"understudy/engine"
)

// headers are the headers of all runs, kept up to date by each listing. Messages of the stream
// are read without a consumer, which a client of a hub may not make.
type headers struct {
	turn chan struct{} // a mutex that respects contexts; guards seen
	seen uint64        // the number of the last message

	mu    sync.Mutex
	runs  map[string]*listedRun // never changed, only replaced
	order []string              // ids, the oldest first
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
		l := s.list
		if err := s.catchUp(ctx, l); err != nil {
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

func (l *headers) put(run string, r *listedRun, removed bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	i, found := slices.BinarySearch(l.order, run)
	switch {
	case found && r.seq < l.runs[run].seq: // of a server that is behind
	case removed && found:
		l.order = slices.Delete(l.order, i, i+1)
		delete(l.runs, run)
	case !removed:
		if !found {
			l.order = slices.Insert(l.order, i, run)
		}
		l.runs[run] = r
	}
}

// mostReplayed is how many messages are read one by one; if the list is further behind, only
// the last one of each run is read.
const mostReplayed = 4096

// mostSubjects is how many of them are read in one request, below the limits of the servers.
const mostSubjects = 100

// catchUp waits until the list is as new as the leader.
func (s *Store) catchUp(ctx context.Context, l *headers) error {
	select {
	case l.turn <- struct{}{}:
		defer func() { <-l.turn }()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
	every := s.prefix + ".r.*"
	newest, err := s.newest(ctx, runsStream, every)
	if err == nil && newest != nil && newest.seq > l.seen+mostReplayed {
		err = s.readLast(ctx, l)
	}
	for err == nil && newest != nil && l.seen < newest.seq {
		var page []*message
		page, err = s.page(ctx, every, l.seen+1)
		for _, m := range page {
			l.put(s.listed(ctx, m))
			l.seen = m.seq
		}
	}
	return err
}

// readLast reads the last message of each run.
func (s *Store) readLast(ctx context.Context, l *headers) error {
	subjects, err := s.subjects(ctx, runsStream, s.prefix+".r.*")
	if err != nil || len(subjects) == 0 {
		return err
	}
	seen := uint64(math.MaxUint64)
	for some := range slices.Chunk(subjects, mostSubjects) {
		ask, err := json.Marshal(map[string]any{"multi_last": some})
		if err != nil {
			return err
		}
		var page []*message
		var upTo uint64
		err = s.persist(ctx, func(ctx context.Context) (err error) {
			page, upTo, err = s.direct(ctx, runsStream, string(ask))
			if err == nil && len(page) == 0 {
				err = errBehind
			}
			return err
		})
		if err != nil {
			return err
		}
		for _, m := range page {
			l.put(s.listed(ctx, m))
		}
		seen = min(seen, upTo)
	}
	l.seen = seen
	return nil
}

func (s *Store) listed(ctx context.Context, m *message) (run string, r *listedRun, removed bool) {
	header, err := s.runHeader(context.WithoutCancel(ctx), m.header)
	return idOf(lastWord(m.subject)), &listedRun{m.seq, header, err}, m.header.Get(removedHeader) != ""
}

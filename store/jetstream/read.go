package jetstream

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
	"understudy/store/format"
)

// Run returns the header of a run, and its snapshot if it has one.
func (s *Store) Run(ctx context.Context, run string) (engine.Header, *engine.Snapshot, error) {
	m, err := s.last(ctx, run)
	if err != nil {
		return engine.Header{}, nil, err
	}
	h, _, err := m.open()
	if err != nil {
		return engine.Header{}, nil, fmt.Errorf("run %s: %w", run, err)
	}
	header, err := s.runHeader(ctx, m.header)
	if err != nil || h.snapshot == "" {
		return header, nil, err
	}
	at, hash, _ := strings.Cut(h.snapshot, " ")
	seq, err := strconv.ParseUint(at, 10, 64)
	if err != nil {
		return header, nil, fmt.Errorf("run %s: its snapshot: %w", run, err)
	}
	state, err := s.Get(ctx, engine.Artifacts, hash)
	return header, &engine.Snapshot{Seq: seq, State: state}, err
}

// Events yields the events of a run from a number on. It reads them from any
// replica, up to the last event that the leader has.
func (s *Store) Events(ctx context.Context, run string, from uint64) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		last, err := s.last(ctx, run)
		p := passage{s: s, run: run, at: s.positions.markBefore(run, max(from, 1))}
		for err == nil && p.at.stream < last.seq {
			var events []engine.Event
			events, err = p.read(ctx, last.seq)
			for _, ev := range events {
				if ev.Seq >= from && !yield(ev, nil) {
					return
				}
			}
			if ctx.Err() != nil {
				err = context.Cause(ctx)
			}
		}
		if err != nil {
			yield(engine.Event{}, err)
		}
	}
}

// A passage iterates over the events of a run, page by page.
type passage struct {
	s   *Store
	run string
	at  mark
}

const pageMessages = 256

// read reads the next page, and nothing after the last message. It returns the
// events before a damaged message too.
func (p *passage) read(ctx context.Context, last uint64) (events []engine.Event, err error) {
	page, err := p.s.page(ctx, p.s.subject(p.run), p.at.stream+1)
	if err != nil {
		return nil, fmt.Errorf("run %s: reading events: %w", p.run, err)
	}
	if page[0].seq > last { // the run was removed meanwhile
		return nil, fmt.Errorf("run %s: %w", p.run, engine.ErrNoRun)
	}
	for _, m := range page {
		if m.seq > last {
			break
		}
		h, body, err := m.open()
		if h.removed { // and the id was used again
			p.s.positions.forget(p.run)
			p.at = mark{next: 1, stream: m.seq, sum: format.Seed(p.run)}
			events = nil
			continue
		}
		if err == nil && m.header.Get(prevHeader) != strconv.FormatUint(uint64(p.at.sum), 10) {
			err = fmt.Errorf("message %d does not follow the one before it: %w", m.seq, errDamaged)
		}
		var got []engine.Event
		if err == nil {
			got, err = p.s.events(ctx, m, p.at.next, body)
		}
		if err == nil && p.at.next+uint64(len(got)) != h.seq+1 {
			err = fmt.Errorf("event %d is missing: %w", p.at.next, errDamaged)
		}
		if err != nil {
			return events, fmt.Errorf("run %s: %w", p.run, err)
		}
		events = append(events, got...)
		p.at = h.mark()
		p.s.positions.mark(p.run, p.at)
	}
	return events, nil
}

// page reads messages of subjects from a number on. The leader has said that there
// are some, so a replica that has none is behind and is asked again.
func (s *servers) page(ctx context.Context, subject string, from uint64) (page []*message, err error) {
	ask := fmt.Sprintf(`{"seq":%d,"next_by_subj":%q,"batch":%d}`, from, subject, pageMessages)
	err = s.persist(ctx, func(ctx context.Context) error {
		page, _, err = s.direct(ctx, runsStream, ask)
		if err == nil && len(page) == 0 {
			err = errBehind
		}
		return err
	})
	return page, err
}

// News calls tell with each run that got events, also from other processes.
func (s *servers) News(ctx context.Context, tell func(run string)) error {
	sub, err := s.nc.Subscribe(s.prefix+".n.*", func(m *nats.Msg) { tell(idOf(lastWord(m.Subject))) })
	if err == nil {
		err = s.nc.FlushTimeout(s.wait)
	}
	if err != nil {
		return fmt.Errorf("following runs: %w", err)
	}
	changes := s.nc.StatusChanged(nats.CONNECTED)
	go func() {
		defer func() { _ = sub.Unsubscribe() }() // fails only if the connection has ended
		for {
			select {
			case _, open := <-changes:
				if !open {
					return
				}
				tell("")
			case <-ctx.Done():
				s.nc.RemoveStatusListener(changes)
				return
			}
		}
	}()
	return nil
}

// Remove removes a run, unless check returns an error for its header. A message that says
// so remains as the fence, so that a worker that still believes to have the run is refused.
// check is called again if the run has changed meanwhile.
func (s *Store) Remove(ctx context.Context, run string, check func(engine.Header) error) error {
	for {
		m, err := s.last(ctx, run)
		if err != nil {
			return err
		}
		if h, err := s.runHeader(ctx, m.header); err == nil { // or it is damaged
			if err := check(h); err != nil {
				return err
			}
		}
		// A caller without the right to purge gets the error before the run is gone. An
		// entry of the queue that comes later belongs to an append that refuses the fence.
		queued := jetstream.WithPurgeSequence(m.seq + 2)
		if err := s.purge(ctx, runsStream, s.prefix+".q.*.*."+token(run), queued); err != nil {
			return fmt.Errorf("run %s: removing it, which needs the right to purge: %w", run, err)
		}
		gone := nats.NewMsg(s.subject(run))
		gone.Header.Set(removedHeader, "1")
		gone.Header.Set(fenceHeader, strconv.FormatUint(m.seq, 10))
		seq, err := s.publish(ctx, gone)
		if outdated(err) {
			continue
		}
		if err == nil {
			err = s.purge(ctx, runsStream, s.subject(run), jetstream.WithPurgeSequence(seq))
		}
		s.positions.forget(run)
		if err != nil {
			return fmt.Errorf("run %s: removing it: %w", run, err)
		}
		return nil
	}
}

package jetstream

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
	"understudy/store/sealed"
)

// Run is the header of a run, with its snapshot if it has one.
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

// A mark is where to read on: the number of the event that follows a message.
type mark struct {
	next   uint64
	stream uint64
	sum    uint32
}

// markEvery is how many events lie between two marks.
const markEvery = 256

// mark notes one, unless there is another shortly before it. The last one is
// always kept: who follows a run reads on there.
func (s *Store) mark(run string, m mark) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.marks) >= mostKnown {
		clear(s.marks)
	}
	marks := s.marks[run]
	n := len(marks)
	if n > 0 && marks[n-1].next >= m.next {
		return
	}
	if n > 1 && marks[n-1].next < marks[n-2].next+markEvery {
		marks = marks[:n-1]
	}
	s.marks[run] = append(marks, m)
}

// markBefore is the last mark that lies not behind an event.
func (s *Store) markBefore(run string, event uint64) mark {
	s.mu.Lock()
	defer s.mu.Unlock()
	at := mark{next: 1, sum: sealed.Seed(run)}
	for _, m := range s.marks[run] {
		if m.next > event {
			break
		}
		at = m
	}
	return at
}

// Events yields the events of a run from a number on. It reads from whichever
// replica answers, up to where the leader says that the run is.
func (s *Store) Events(ctx context.Context, run string, from uint64) iter.Seq2[engine.Event, error] {
	return func(yield func(engine.Event, error) bool) {
		last, err := s.last(ctx, run)
		p := passage{s: s, run: run, at: s.markBefore(run, max(from, 1))}
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

// A passage is a way through the events of a run, page by page.
type passage struct {
	s   *Store
	run string
	at  mark
}

const pageMessages = 256

// read reads the messages that follow, as many as a page has, and none after
// the last. Events before a damaged message are given too.
func (p *passage) read(ctx context.Context, last uint64) (events []engine.Event, err error) {
	page, err := p.s.page(ctx, p.s.subject(p.run), p.at.stream+1)
	if err != nil {
		return nil, fmt.Errorf("run %s: reading events: %w", p.run, err)
	}
	for _, m := range page {
		if m.seq > last {
			break
		}
		h, body, err := m.open()
		if h.removed { // and the id came back
			p.s.forget(p.run)
			p.at = mark{next: 1, stream: m.seq, sum: sealed.Seed(p.run)}
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
		p.at = mark{next: h.seq + 1, stream: m.seq, sum: h.sum}
		p.s.mark(p.run, p.at)
	}
	return events, nil
}

// page reads messages of a subject from a number on. A replica that is behind
// is asked again: the leader has said that there are some.
func (s *Store) page(ctx context.Context, subject string, from uint64) (page []*message, err error) {
	ask := fmt.Sprintf(`{"seq":%d,"next_by_subj":%q,"batch":%d}`, from, subject, pageMessages)
	err = s.persist(ctx, func(ctx context.Context) error {
		page, err = s.direct(ctx, s.runs(), ask)
		if err == nil && len(page) == 0 {
			err = errNone
		}
		return err
	})
	return page, err
}

// direct asks any replica of a stream for messages.
func (s *Store) direct(ctx context.Context, stream, ask string) ([]*message, error) {
	inbox := s.nc.NewRespInbox()
	sub, err := s.nc.SubscribeSync(inbox)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be gone, and it with it
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return nil, err
	}
	if err := s.nc.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, []byte(ask)); err != nil {
		return nil, err
	}
	var page []*message
	for {
		m, err := sub.NextMsgWithContext(ctx)
		if err != nil {
			return nil, err
		}
		switch status := m.Header.Get("Status"); status {
		case "": // a message
		case "204", "404": // the end; none
			return page, nil
		default:
			return nil, fmt.Errorf("reading from %s: %s %s", stream, status, m.Header.Get("Description"))
		}
		seq, err := strconv.ParseUint(m.Header.Get(jetstream.SequenceHeader), 10, 64)
		if err != nil {
			return nil, err
		}
		page = append(page, &message{seq: seq, subject: m.Header.Get(jetstream.SubjectHeader), header: m.Header, data: m.Data})
	}
}

// News tells of each run that got events, by whichever process.
func (s *Store) News(ctx context.Context, tell func(run string)) error {
	sub, err := s.nc.Subscribe(s.o.Prefix+".n.*", func(m *nats.Msg) { tell(idOf(lastWord(m.Subject))) })
	if err != nil {
		return fmt.Errorf("following runs: %w", err)
	}
	if err := s.nc.FlushTimeout(s.o.Wait); err != nil {
		return fmt.Errorf("following runs: %w", err)
	}
	changes := s.nc.StatusChanged(nats.CONNECTED)
	go func() {
		defer func() { _ = sub.Unsubscribe() }() // as above
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

// Remove removes a run. What is left of it is a message that says so, which
// keeps the fence up: who still holds the run to be his is refused.
func (s *Store) Remove(ctx context.Context, run string) error {
	for {
		m, err := s.last(ctx, run)
		if err != nil {
			return err
		}
		// Who may not take anything away is told so before the run is gone.
		if err := s.purge(ctx, s.runs(), s.o.Prefix+".q.*.*."+token(run)); err != nil {
			return fmt.Errorf("run %s: removing it, which needs the right to purge: %w", run, err)
		}
		gone := nats.NewMsg(s.subject(run))
		gone.Header.Set(removedHeader, "1")
		gone.Header.Set(fenceHeader, strconv.FormatUint(m.seq, 10))
		seq, err := s.publish(ctx, []*nats.Msg{gone})
		if api, ok := errors.AsType[*jetstream.APIError](err); ok && api.ErrorCode == jetstream.JSErrCodeStreamWrongLastSequence {
			continue
		}
		if err == nil {
			err = s.purge(ctx, s.runs(), s.subject(run), jetstream.WithPurgeSequence(seq))
		}
		s.forget(run)
		if err != nil {
			return fmt.Errorf("run %s: removing it: %w", run, err)
		}
		return nil
	}
}

func (s *Store) purge(ctx context.Context, from, subject string, more ...jetstream.StreamPurgeOpt) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	stream, err := s.js.Stream(ctx, from)
	if err != nil {
		return err
	}
	return stream.Purge(ctx, append(more, jetstream.WithPurgeSubject(subject))...)
}

package jetstream

import (
	"context"
	"errors"
	"fmt"

	"github.com/nats-io/nats.go"

	"understudy/engine"
	"understudy/store/format"
)

// Append adds a batch to a run. It waits for servers that are out of reach. Each
// call has a nonce in its message, so that it finds out whether the message was
// stored if the answer is lost.
func (s *Store) Append(ctx context.Context, run string, b engine.Batch) error {
	if ctx.Err() != nil {
		return fmt.Errorf("run %s: storing events: %w", run, context.Cause(ctx))
	}
	if err := format.CheckID(run); err != nil {
		return err
	}
	if b.Wanted != nil {
		if err := s.makeConsumer(ctx, *b.Wanted); err != nil {
			return fmt.Errorf("run %s: making its queue: %w", run, err)
		}
	}
	at, known := s.positions.head(run)
	if !known || b.Check(run, at.attempt, at.seq) != nil { // what this process knows may be outdated
		var err error
		if at, err = s.locate(ctx, run); err != nil {
			return err
		}
	}
	nonce, again := s.newNonce(), s.retry(ctx)
	for {
		if err := b.Check(run, at.attempt, at.seq); err != nil {
			return err
		}
		err := s.try(ctx, run, b, at, nonce)
		if err == nil {
			return nil
		}
		// Either another process was first, or it is unknown whether this was stored.
		now, lost := s.locate(ctx, run)
		stored := false
		switch {
		case lost == nil && now.nonce == nonce:
			stored = true
		case lost == nil && b.Check(run, now.attempt, now.seq) != nil: // others may have appended after this
			stored, lost = s.follows(ctx, run, at, nonce)
		}
		if stored {
			s.positions.advance(run, at, now)
			return nil
		}
		if lost == nil {
			at = now
		}
		if err = again(errors.Join(err, lost)); err != nil {
			s.positions.forget(run)
			return fmt.Errorf("run %s: storing events: %w", run, err)
		}
	}
}

// try publishes a batch that follows a head.
func (s *Store) try(ctx context.Context, run string, b engine.Batch, at head, nonce string) error {
	m, err := s.encode(ctx, run, b, at, nonce)
	if err != nil {
		return err
	}
	messages := []*nats.Msg{m}
	if b.Wanted != nil {
		messages = append(messages, nats.NewMsg(s.queueSubject(*b.Wanted)+token(run)))
	}
	seq, err := s.publish(ctx, messages...)
	if err != nil {
		return err
	}
	if b.Wanted != nil {
		seq-- // the append is the message before
		s.wake(messages[1].Subject)
	}
	s.positions.advance(run, at, head{
		stream: seq, attempt: b.Header.Attempt, seq: b.Header.Seq, sum: format.Sum(m.Data), snapshot: m.Header.Get(snapshotHeader), nonce: nonce,
	})
	return nil
}

// follows reports whether the message after a head of a run is the one with a nonce.
func (s *Store) follows(ctx context.Context, run string, at head, nonce string) (bool, error) {
	page, err := s.page(ctx, s.subject(run), at.stream+1)
	return err == nil && page[0].header.Get(nonceHeader) == nonce, err
}

// locate asks the leader for the head of a run. It is the zero head if there never
// was such a run, and has removed set if the run was removed.
func (s *Store) locate(ctx context.Context, run string) (head, error) {
	m, err := s.last(ctx, run)
	if err != nil && !errors.Is(err, engine.ErrNoRun) {
		return head{}, err
	}
	var h head
	if m != nil {
		if h, _, err = m.open(); err != nil {
			return head{}, fmt.Errorf("run %s: %w", run, err)
		}
	}
	s.positions.remember(run, h)
	return h, nil
}

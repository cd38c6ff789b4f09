package jetstream

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
	"understudy/store/sealed"
)

const maxID = 128

// errNotYet is a refusal without the number of the last message: one that came
// before is being stored, and may be ours.
const errNotYet = jetstream.JSErrCodeStreamWrongLastSequenceConstant

// errStorage and errStoreFailed say that a server has no room.
const (
	errStorage     jetstream.ErrorCode = 10047
	errStoreFailed jetstream.ErrorCode = 10077
)

// Append adds a batch to a run. It waits for servers that are out of reach for
// a moment. An answer that was lost on the way is found out: the message that
// was stored has a nonce that only this call knows.
func (s *Store) Append(ctx context.Context, run string, b engine.Batch) error {
	if ctx.Err() != nil {
		return fmt.Errorf("run %s: storing events: %w", run, context.Cause(ctx))
	}
	if run == "" || len(run) > maxID || strings.ContainsRune(run, 0) {
		return fmt.Errorf("run %q: wanted an id of 1 to %d bytes", run, maxID)
	}
	if b.Wanted != nil {
		if err := s.makeConsumer(ctx, *b.Wanted); err != nil {
			return fmt.Errorf("run %s: making its queue: %w", run, err)
		}
	}
	a := appending{s: s, run: run, batch: b, nonce: s.newNonce()}
	s.mu.Lock()
	at, known := s.heads[run]
	s.mu.Unlock()
	if !known || b.Check(run, at.attempt, at.seq) != nil { // what this process knows may be old
		var err error
		if at, err = s.locate(ctx, run); err != nil {
			return err
		}
	}
	return a.persist(ctx, at)
}

// newNonce is one that no other message has.
func (s *Store) newNonce() string { return s.nonce + "-" + strconv.FormatUint(s.number.Add(1), 36) }

// An appending is one call of Append under way.
type appending struct {
	s     *Store
	run   string
	batch engine.Batch
	nonce string
}

func (a *appending) persist(ctx context.Context, at head) error {
	late := time.Now().Add(a.s.o.Wait)
	for {
		if err := a.batch.Check(a.run, at.attempt, at.seq); err != nil {
			return err
		}
		err := a.try(ctx, at)
		if err == nil {
			return nil
		}
		if api, ok := errors.AsType[*jetstream.APIError](err); ok && final(err) && api.ErrorCode != jetstream.JSErrCodeStreamWrongLastSequence {
			return fmt.Errorf("run %s: storing events: %w", a.run, explain(api))
		}
		// Either another was first, or nobody knows whether this was stored.
		now, lost := a.s.locate(ctx, a.run)
		switch {
		case lost == nil && now.nonce == a.nonce:
			a.stored(now, at)
			return nil
		case lost == nil:
			at = now
		}
		if time.Now().After(late) || ctx.Err() != nil {
			a.s.forget(a.run)
			return fmt.Errorf("run %s: storing events: %w", a.run, errors.Join(err, lost, context.Cause(ctx)))
		}
		select {
		case <-time.After(20 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

func explain(err *jetstream.APIError) error {
	if err.ErrorCode == errStorage || err.ErrorCode == errStoreFailed {
		return fmt.Errorf("%w: %w", engine.ErrFull, err)
	}
	return err
}

func (a *appending) try(ctx context.Context, at head) error {
	m, err := a.s.encode(ctx, a.run, a.batch, at, a.nonce)
	if err != nil {
		return err
	}
	messages := []*nats.Msg{m}
	if w := a.batch.Wanted; w != nil {
		messages = append(messages, nats.NewMsg(a.s.queueSubject(*w)+token(a.run)))
	}
	seq, err := a.s.publish(ctx, messages)
	if err != nil {
		return err
	}
	if w := a.batch.Wanted; w != nil {
		a.s.wake(messages[1].Subject)
	}
	a.stored(head{
		stream: seq - uint64(len(messages)-1), attempt: a.batch.Header.Attempt, seq: a.batch.Header.Seq,
		sum: sealed.Sum(m.Data), snapshot: m.Header.Get(snapshotHeader), nonce: a.nonce,
	}, at)
	return nil
}

// stored remembers where the run is now, and where it was.
func (a *appending) stored(now, before head) {
	a.s.remember(a.run, now)
	if before.stream > 0 && !before.removed {
		a.s.mark(a.run, mark{next: before.seq + 1, stream: before.stream, sum: before.sum})
	}
	a.s.mark(a.run, mark{next: now.seq + 1, stream: now.stream, sum: now.sum})
}

// publish stores messages, all or none, and gives the number of the last one.
func (s *Store) publish(ctx context.Context, messages []*nats.Msg) (uint64, error) {
	last := messages[len(messages)-1]
	if len(messages) > 1 {
		id := rand.Text()
		for i, m := range messages {
			m.Header.Set("Nats-Batch-Id", id)
			m.Header.Set("Nats-Batch-Sequence", strconv.Itoa(i+1))
			if m == last {
				m.Header.Set("Nats-Batch-Commit", "1")
			} else if err := s.nc.PublishMsg(m); err != nil {
				return 0, err
			}
		}
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	reply, err := s.nc.RequestMsgWithContext(ctx, last)
	if err != nil {
		return 0, err
	}
	var answer struct {
		Seq   uint64              `json:"seq"`
		Error *jetstream.APIError `json:"error"`
	}
	if err := json.Unmarshal(reply.Data, &answer); err != nil {
		return 0, err
	}
	if answer.Error != nil {
		return 0, answer.Error
	}
	return answer.Seq, nil
}

// locate asks the leader where a run is; nowhere is the zero head, or that of a
// run that was removed.
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
	s.remember(run, h)
	return h, nil
}

// mostKnown is of how many runs a process remembers where they are.
const mostKnown = 4096

func (s *Store) remember(run string, h head) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.heads) >= mostKnown {
		clear(s.heads)
	}
	s.heads[run] = h
}

func (s *Store) forget(run string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.heads, run)
	delete(s.marks, run)
}

package jetstream

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
)

// Runs that want a worker are messages beside the appends, of the same stream:
// so one is stored with the other. A consumer hands out those of one class,
// which is what they need and how urgent they are. It is kept by the servers and
// replicated, so there is one for a class and none for a worker.

// needsKey is where a consumer says what its class needs.
const needsKey = "us-needs"

// mostPriority is the least urgent one.
const mostPriority = 9

func normal(w engine.Wanted) (needs []string, priority int) {
	needs = slices.Sorted(slices.Values(w.Needs))
	return slices.Compact(needs), min(max(w.Priority, 0), mostPriority)
}

// lines is how many lines runs wait in that need the same: those of one client are in
// one of them, and a worker takes from the lines in turn.
const lines = 8

// class names what a run needs, and the line in which it waits.
func class(w engine.Wanted) string {
	needs, _ := normal(w)
	name := "any"
	if len(needs) > 0 {
		sum := sha256.Sum256([]byte(strings.Join(needs, "\n")))
		name = hex.EncodeToString(sum[:8])
	}
	if w.For == "" {
		return name
	}
	return fmt.Sprint(name, "-", lineOf(w.For))
}

func lineOf(client string) byte { return sha256.Sum256([]byte(client))[0] % lines }

// queueSubject is that of a class; the last word of an entry's is its run.
func (s *Store) queueSubject(w engine.Wanted) string {
	_, priority := normal(w)
	return fmt.Sprintf("%s.q.%d.%s.", s.o.Prefix, priority, class(w))
}

// makeConsumer makes the consumer of a class, unless it is there.
func (s *Store) makeConsumer(ctx context.Context, w engine.Wanted) error {
	needs, priority := normal(w)
	name := fmt.Sprintf("q%d-%s", priority, class(w))
	s.mu.Lock()
	known := s.known[name]
	s.mu.Unlock()
	if known {
		return nil
	}
	text, err := json.Marshal(needs)
	if err != nil {
		return err
	}
	err = s.persist(ctx, func(ctx context.Context) error {
		_, err := s.js.Consumer(ctx, s.runs(), name)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			_, err = s.js.CreateConsumer(ctx, s.runs(), jetstream.ConsumerConfig{
				Durable: name, FilterSubject: s.queueSubject(w) + "*", Metadata: map[string]string{needsKey: string(text)},
				AckPolicy: jetstream.AckExplicitPolicy, AckWait: s.o.Lease, MaxDeliver: -1, MaxAckPending: 10_000,
			})
		}
		return err
	})
	if err == nil {
		s.mu.Lock()
		s.known[name] = true
		s.mu.Unlock()
	}
	return err
}

type entry struct {
	s       *Store
	subject string
	reply   string // the subject of its acknowledgements
}

func (e *entry) Run() string { return idOf(lastWord(e.subject)) }

// Renew waits for the server to have got it: there is no answer to a renewal.
func (e *entry) Renew(ctx context.Context) error {
	if err := e.s.nc.Publish(e.reply, []byte("+WPI")); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return e.s.nc.FlushWithContext(ctx)
}

func (e *entry) Done(ctx context.Context) error {
	return e.s.persist(ctx, func(ctx context.Context) error {
		_, err := e.s.nc.RequestWithContext(ctx, e.reply, []byte("+ACK"))
		return err
	})
}

func (e *entry) Later(_ context.Context, after time.Duration) error {
	err := e.s.nc.Publish(e.reply, fmt.Appendf(nil, `-NAK {"delay": %d}`, after))
	if err == nil && after == 0 {
		err = e.s.Tell([]byte(e.subject), backName)
	}
	return err
}

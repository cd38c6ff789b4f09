package jetstream

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
)

// A queue hands out runs that want a worker. They are messages in the stream of the
// appends, so that a run is queued atomically with an append. A consumer hands out
// the runs of one class, which consists of what they need and how urgent they are.
// The servers keep and replicate consumers, so there is one for each class and none
// for a worker.
type queue struct {
	messaging
	lease time.Duration // how long a run stays with a worker that does not renew it

	mu        sync.Mutex
	consumers map[string]bool   // those that are known to exist
	takers    map[string]*taker // by their labels
	listening []*nats.Subscription
}

// Lease returns how long a run stays with a worker that does not renew it.
func (s *queue) Lease() time.Duration { return s.lease }

func (s *queue) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, sub := range s.listening {
		_ = sub.Unsubscribe() // fails only if the connection has ended
	}
	s.listening, s.takers = nil, map[string]*taker{}
}

// needsKey is the key of the needs of a class in the metadata of its consumer.
const needsKey = "us-needs"

// mostPriority is the number of the least urgent priority.
const mostPriority = 9

// lines is the number of lines in which runs with the same needs wait. The runs of one
// client are in one line, and workers take from the lines in turn.
const lines = 8

// class returns the class of a run: its priority, its sorted needs, and a name for the
// needs and the line in which the run waits.
func class(w engine.Wanted) (priority int, needs []string, name string) {
	needs, name = slices.Compact(slices.Sorted(slices.Values(w.Needs))), "any"
	if len(needs) > 0 {
		name = fmt.Sprintf("%x", sha256.Sum256([]byte(strings.Join(needs, "\n"))))[:16]
	}
	if w.For != "" {
		name += fmt.Sprint("-", sha256.Sum256([]byte(w.For))[0]%lines)
	}
	return min(max(w.Priority, 0), mostPriority), needs, name
}

// queueSubject returns the beginning of the subjects of a class; the rest is the
// token of a run.
func (s *servers) queueSubject(w engine.Wanted) string {
	priority, _, name := class(w)
	return fmt.Sprintf("%s.q.%d.%s.", s.prefix, priority, name)
}

func consumerName(priority int, class string) string { return fmt.Sprintf("q%d-%s", priority, class) }

// makeConsumer creates the consumer of a class, unless it exists.
func (s *queue) makeConsumer(ctx context.Context, w engine.Wanted) error {
	priority, _, name := class(w)
	name = consumerName(priority, name)
	s.mu.Lock()
	known := s.consumers[name]
	s.mu.Unlock()
	if known {
		return nil
	}
	err := s.persist(ctx, func(ctx context.Context) error {
		_, err := s.js.Consumer(ctx, s.stream(runsStream), name)
		if errors.Is(err, jetstream.ErrConsumerNotFound) {
			err = s.make(ctx, making{Class: &w, Lease: s.lease})
		}
		return err
	})
	if err == nil {
		s.mu.Lock()
		s.consumers[name] = true
		s.mu.Unlock()
	}
	return err
}

// queueEntry is a run that was handed out.
type queueEntry struct {
	s       messaging
	subject string
	reply   string // the subject of its acknowledgements
}

func (e *queueEntry) Run() string { return idOf(lastWord(e.subject)) }

// Renew renews the lease. The server does not answer that, so Renew waits until it has
// received the message.
func (e *queueEntry) Renew(ctx context.Context) error {
	if err := e.s.nc.Publish(e.reply, []byte("+WPI")); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return e.s.nc.FlushWithContext(ctx)
}

func (e *queueEntry) Done(ctx context.Context) error {
	return e.s.persist(ctx, func(ctx context.Context) error {
		_, err := e.s.nc.RequestWithContext(ctx, e.reply, []byte("+ACK"))
		return err
	})
}

func (e *queueEntry) Later(_ context.Context, after time.Duration) error {
	err := e.s.nc.Publish(e.reply, fmt.Appendf(nil, `-NAK {"delay": %d}`, after))
	if err == nil && after == 0 {
		err = e.s.Tell([]byte(e.subject), backName)
	}
	return err
}

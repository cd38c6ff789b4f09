package jetstream

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
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

// A class of which a worker can execute runs.
type offered struct {
	name  string
	needs int
	jetstream.Consumer
}

// lookEvery is how often a worker without a run looks for one without being
// told: a lease that passed is not told.
const lookEvery = 500 * time.Millisecond

// classesEvery is how often it looks which classes there are.
const classesEvery = 2 * time.Second

// Take waits for a run that a worker with these labels can execute: the most
// urgent one, and of those the one that needs most.
func (s *Store) Take(ctx context.Context, labels []string) (engine.Entry, error) {
	wake := make(chan *nats.Msg, 64)
	sub, err := s.nc.ChanSubscribe(s.o.Prefix+".q.>", wake)
	if err != nil {
		return nil, err
	}
	defer func() { _ = sub.Unsubscribe() }() // the connection may be gone, and it with it
	var classes []offered
	var looked time.Time
	for {
		if time.Since(looked) > classesEvery {
			if found, err := s.classes(ctx, labels); err == nil {
				classes, looked = found, time.Now()
			} else if final(err) {
				return nil, fmt.Errorf("looking for runs: %w", err)
			}
		}
		if e := s.fetch(classes); e != nil {
			return e, nil
		}
		select {
		case m := <-wake:
			if !slices.ContainsFunc(classes, func(c offered) bool {
				return strings.HasPrefix(m.Subject, strings.TrimSuffix(c.CachedInfo().Config.FilterSubject, "*"))
			}) {
				looked = time.Time{} // of a class that is new
			}
		case <-time.After(lookEvery):
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

// classes are those of which a worker with these labels can execute runs.
func (s *Store) classes(ctx context.Context, labels []string) ([]offered, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	stream, err := s.js.Stream(ctx, s.runs())
	if err != nil {
		return nil, err
	}
	var out []offered
	list := stream.ListConsumers(ctx)
	for info := range list.Info() {
		var needs []string
		if json.Unmarshal([]byte(info.Config.Metadata[needsKey]), &needs) != nil || slices.ContainsFunc(needs, func(n string) bool { return !slices.Contains(labels, n) }) {
			continue
		}
		c, err := stream.Consumer(ctx, info.Name)
		if err != nil {
			return nil, err
		}
		out = append(out, offered{info.Name, len(needs), c})
	}
	return out, list.Err()
}

// fetch takes the next run. Of classes that are alike, the one goes first from which
// this process took longest ago.
func (s *Store) fetch(classes []offered) engine.Entry {
	s.mu.Lock()
	slices.SortStableFunc(classes, func(a, b offered) int {
		return cmp.Or(cmp.Compare(a.name[:2], b.name[:2]), cmp.Compare(b.needs, a.needs), s.took[a.name].Compare(s.took[b.name]))
	})
	s.mu.Unlock()
	for _, c := range classes {
		batch, err := c.FetchNoWait(1)
		if err != nil {
			continue // there is no leader now, or the class is gone
		}
		for m := range batch.Messages() {
			s.mu.Lock()
			s.took[c.name] = time.Now()
			s.mu.Unlock()
			return &entry{s: s, m: m}
		}
	}
	return nil
}

type entry struct {
	s *Store
	m jetstream.Msg
}

func (e *entry) Run() string { return idOf(lastWord(e.m.Subject())) }

// Renew waits for the server to have got it: there is no answer to a renewal.
func (e *entry) Renew(ctx context.Context) error {
	if err := e.m.InProgress(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	return e.s.nc.FlushWithContext(ctx)
}

func (e *entry) Done(ctx context.Context) error {
	return e.s.persist(ctx, e.m.DoubleAck)
}

func (e *entry) Later(_ context.Context, after time.Duration) error {
	return e.m.NakWithDelay(after)
}

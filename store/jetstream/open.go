// Package jetstream keeps runs in NATS JetStream, for fleets: many processes on
// many machines write to one store, and runs wait in it for a worker.
//
// Its main idea is the fence. One append is one message on the subject of its
// run, and the server refuses it unless the last message there is the one that
// the writer saw. So of two workers that hold one run to be theirs, one is told
// at its next append that it is not. Events are sealed, each message on the one
// before it, because the server does not notice a bit that flipped.
//
// Its limit is the server: what it acknowledged is durable only if it syncs
// always, as the one of `understudy hub` does.
package jetstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"understudy/engine"
)

var (
	_ engine.Store  = (*Store)(nil)
	_ engine.Files  = (*Store)(nil)
	_ engine.Queue  = (*Store)(nil)
	_ engine.Teller = (*Store)(nil)
)

// Options say how a store is kept.
type Options struct {
	// Prefix of streams and subjects; empty: us. It is of letters and digits.
	Prefix string
	// Replicas of each stream, made when the streams are; 0: one.
	Replicas int
	// Lease is how long a run is a worker's that does not renew it; 0: 30 s.
	// The election of a leader takes up to 9 s, in which nobody can renew.
	Lease time.Duration
	// Wait is how long an append waits for servers that are out of reach; 0: 20 s.
	Wait time.Duration
}

// Store is a store of runs on a connection, which stays its owner's.
type Store struct {
	nc     *nats.Conn
	js     jetstream.JetStream
	o      Options
	nonce  string // of this process
	number atomic.Uint64

	fileAge time.Duration // of files that no event names, before they go

	mu    sync.Mutex
	heads map[string]head
	marks map[string][]mark
	list  *headers
	known map[string]bool // consumers that are there

	takers    map[string]*taker // by their labels
	listening []*nats.Subscription
}

// Connect connects as a store wants it: it notices a server that stands still
// within three seconds, and keeps nothing back for later while there is none.
func Connect(url string, more ...nats.Option) (*nats.Conn, error) {
	options := append([]nats.Option{
		nats.MaxReconnects(-1), nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectBufSize(-1),
		nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(2 * time.Second),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each call says what it failed with
	}, more...)
	return nats.Connect(url, options...)
}

// Open opens the store behind a connection, and makes it when there is none.
func Open(ctx context.Context, nc *nats.Conn, o Options) (*Store, error) {
	o.Prefix = cmp.Or(o.Prefix, "us")
	o.Lease = cmp.Or(o.Lease, 30*time.Second)
	o.Wait = cmp.Or(o.Wait, 20*time.Second)
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	s := &Store{nc: nc, js: js, o: o, fileAge: collectAfter, nonce: rand.Text()[:12], heads: map[string]head{}, marks: map[string][]mark{}, known: map[string]bool{}, takers: map[string]*taker{}}
	replicas := max(1, o.Replicas)
	for _, of := range []func(int) jetstream.StreamConfig{s.runsStream, s.filesStream, s.recordsStream} {
		c := of(replicas)
		var err error
		if replicas, err = s.ensure(ctx, c); err != nil { // as many as the first has, which may be older
			if !final(err) && ctx.Err() == nil {
				err = fmt.Errorf("%w: %w", errNoLeader, err)
			}
			return nil, fmt.Errorf("stream %s: %w", c.Name, err)
		}
	}
	return s, nil
}

// Close lets go of what the store asked of the servers.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.list != nil {
		s.list.stop()
		s.list = nil
	}
	for _, sub := range s.listening {
		_ = sub.Unsubscribe() // the connection may be gone, and it with it
	}
	s.listening, s.takers = nil, map[string]*taker{}
	return nil
}

// Lease is how long a run is a worker's that does not renew it.
func (s *Store) Lease() time.Duration { return s.o.Lease }

func (s *Store) runs() string  { return strings.ToUpper(s.o.Prefix) + "_RUNS" }
func (s *Store) files() string { return strings.ToUpper(s.o.Prefix) + "_FILES" }

func (s *Store) records() string { return strings.ToUpper(s.o.Prefix) + "_RECORDS" }

// runsStream holds the appends of runs (r), and runs that want a worker (q). An
// append that is stored is told on n: who listens on r hears refused ones too.
func (s *Store) runsStream(replicas int) jetstream.StreamConfig {
	p := s.o.Prefix
	return jetstream.StreamConfig{
		Name: s.runs(), Subjects: []string{p + ".r.*", p + ".q.>"}, Storage: jetstream.FileStorage, Replicas: replicas,
		Discard: jetstream.DiscardNew, AllowDirect: true, AllowAtomicPublish: true, DenyDelete: true,
		RePublish: &jetstream.RePublish{Source: p + ".r.*", Destination: p + ".n.{{wildcard(1)}}", HeadersOnly: true},
	}
}

// filesStream holds the content of files, one message each, or several parts.
func (s *Store) filesStream(replicas int) jetstream.StreamConfig {
	return jetstream.StreamConfig{
		Name: s.files(), Subjects: []string{s.o.Prefix + ".f.>"}, Storage: jetstream.FileStorage, Replicas: replicas,
		Discard: jetstream.DiscardNew, AllowDirect: true,
	}
}

// ensure makes a stream unless it is there, and says on how many servers it is kept. Of several who make one at once the
// server answers one only, and nobody while there is no leader: so each try is
// short, and looks first.
func (s *Store) ensure(ctx context.Context, c jetstream.StreamConfig) (replicas int, err error) {
	err = s.persist(ctx, func(ctx context.Context) error {
		stream, err := s.js.Stream(ctx, c.Name)
		if errors.Is(err, jetstream.ErrStreamNotFound) {
			stream, err = s.js.CreateStream(ctx, c)
		}
		if err == nil {
			replicas = stream.CachedInfo().Config.Replicas
		}
		return err
	})
	return replicas, err
}

// persist tries until it works, for as long as the store waits for servers.
func (s *Store) persist(ctx context.Context, try func(context.Context) error) error {
	late := time.Now().Add(s.o.Wait)
	for {
		short, cancel := context.WithTimeout(ctx, answerTime)
		err := try(short)
		cancel()
		if err == nil || ctx.Err() != nil || final(err) || time.Now().After(late) {
			return err
		}
		select {
		case <-time.After(50 * time.Millisecond):
		case <-ctx.Done():
		}
	}
}

var errNoLeader = errors.New("the servers can store nothing now: of hubs that join each other most have to be there, and what these log says who is missing")

// answerTime is how long to wait for one answer before asking again.
const answerTime = time.Second

// final says whether a server refused, and would again.
func final(err error) bool {
	var api *jetstream.APIError
	if !errors.As(err, &api) {
		return errors.Is(err, nats.ErrPermissionViolation)
	}
	return api.Code != 503 && api.ErrorCode != errNotYet
}

// Package jetstream keeps runs in NATS JetStream, for fleets: many processes on
// many machines write to one store, and runs wait in it for a worker.
//
// Its main idea is the fence. One append is one message on the subject of its
// run, and the server refuses it unless the last message there is the one that
// the writer saw. So if two workers believe that a run is theirs, the next append
// of one of them is refused. Each message is sealed on the one before it, because
// the server does not notice a flipped bit.
//
// Its limit is the server: what it acknowledged is durable only if it always
// syncs, as the one of `understudy hub` does.
package jetstream

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
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

// Options says how a store is kept.
type Options struct {
	// Prefix of streams and subjects, of letters and digits; empty means us.
	Prefix string
	// Replicas of each stream, when the streams are created; 0 means one.
	Replicas int
	// Lease is how long a run stays with a worker that does not renew it; 0 means
	// 30 s. While a leader is elected, up to 9 s, nobody can renew.
	Lease time.Duration
	// Wait is how long requests wait for servers that are out of reach; 0 means 20 s.
	Wait time.Duration
}

const defaultPrefix = "us"

// Store is a store of runs on a connection, which the caller closes.
type Store struct {
	*servers
	files
	records
	messaging
	*queue

	positions positions
	list      *headers
}

// Open opens the store behind a connection, and creates it if there is none.
func Open(ctx context.Context, nc *nats.Conn, o Options) (*Store, error) {
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	to := &servers{nc: nc, js: js, prefix: cmp.Or(o.Prefix, defaultPrefix), wait: cmp.Or(o.Wait, 20*time.Second), nonce: rand.Text()[:12]}
	if err := to.ensureStreams(ctx, max(1, o.Replicas)); err != nil {
		return nil, err
	}
	said := messaging{to}
	return &Store{
		servers: to, files: files{to, collectAfter}, records: records{to}, messaging: said,
		queue: &queue{messaging: said, lease: cmp.Or(o.Lease, 30*time.Second), consumers: map[string]bool{}, takers: map[string]*taker{}},
		list:  &headers{turn: make(chan struct{}, 1), runs: map[string]*listedRun{}},
	}, nil
}

var errNoLeader = errors.New("the servers cannot store anything now: most hubs of a cluster must be running, and their logs say which are missing")

// ensureStreams has the streams of a store made, unless they exist. All have as many
// replicas as the first, which may be older.
func (s *servers) ensureStreams(ctx context.Context, replicas int) (err error) {
	for _, c := range s.streams() {
		if replicas, err = s.ensure(ctx, c.Name, replicas); err != nil {
			if !final(err) && ctx.Err() == nil {
				err = fmt.Errorf("%w: %w", errNoLeader, err)
			}
			return fmt.Errorf("stream %s: %w", c.Name, err)
		}
	}
	return nil
}

// streams returns the streams of a store: appends of runs (r) and runs that want a worker
// (q), files, and records. Each stored append is published on n: a subscriber of r would
// receive refused ones too.
func (s *servers) streams() []jetstream.StreamConfig {
	all := []jetstream.StreamConfig{
		{
			Name: s.stream(runsStream), Subjects: []string{s.prefix + ".r.*", s.prefix + ".q.>"},
			Discard: jetstream.DiscardNew, AllowAtomicPublish: true, DenyDelete: true,
			RePublish: &jetstream.RePublish{Source: s.prefix + ".r.*", Destination: s.prefix + ".n.{{wildcard(1)}}", HeadersOnly: true},
		},
		{Name: s.stream(filesStream), Subjects: []string{s.prefix + ".f.>"}, Discard: jetstream.DiscardNew},
		{Name: s.stream(recordsStream), Subjects: []string{s.prefix + ".s.*"}, MaxMsgsPerSubject: 1},
	}
	for i := range all {
		all[i].Storage, all[i].AllowDirect = jetstream.FileStorage, true
	}
	return all
}

// Close ends the subscriptions of the store.
func (s *Store) Close() error {
	s.queue.close()
	return nil
}

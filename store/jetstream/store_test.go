package jetstream

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
)

// testLease is short, because tests wait until it ends.
const testLease = time.Second

func startServer(t testing.TB, o *server.Options) *server.Server {
	t.Helper()
	o.Host, o.JetStream, o.SyncAlways, o.NoSigs, o.NoLog = "127.0.0.1", true, true, true, true
	s, err := server.NewServer(o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	return s
}

// under is a store under test, on a connection that can lose answers.
type under struct {
	*Store
	lose *atomic.Bool
	end  func()
}

// Remove removes a run, whatever its status is.
func (u *under) Remove(ctx context.Context, run string) error {
	return u.Store.Remove(ctx, run, func(engine.Header) error { return nil })
}

func (u *under) LoseNextAnswer() { u.lose.Store(true) }

func (u *under) Close() error {
	err := u.Store.Close()
	u.nc.Close()
	u.end()
	return err
}

// dialer makes connections that break instead of delivering the next answer to an append,
// once lose is set.
type dialer struct{ lose *atomic.Bool }

func (d dialer) Dial(network, address string) (net.Conn, error) {
	c, err := net.Dial(network, address)
	if err != nil {
		return nil, err
	}
	return &losing{Conn: c, lose: d.lose}, nil
}

type losing struct {
	net.Conn
	lose *atomic.Bool
}

func (c *losing) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.lose.Load() && bytes.Contains(p[:n], []byte(`"seq":`)) {
		c.lose.Store(false)
		_ = c.Conn.Close()
		return 0, io.ErrUnexpectedEOF
	}
	return n, err
}

func openStore(t testing.TB, address string, o Options, end func()) *under {
	t.Helper()
	lose := &atomic.Bool{}
	nc, err := Connect(address, nats.SetCustomDialer(dialer{lose}))
	if err != nil {
		t.Fatal(err)
	}
	o.Lease = testLease
	s, err := Open(t.Context(), nc, o)
	if err != nil {
		t.Fatal(err)
	}
	return &under{s, lose, sync.OnceFunc(end)}
}

// alone has servers of one node, by their folder. A server ends with the last store that
// was opened in its folder, so that reopening is a restart.
type alone struct {
	mu      sync.Mutex
	servers map[string]*server.Server
	opened  map[string]int
}

func (a *alone) open(t testing.TB, dir string) engine.Store {
	t.Helper()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.opened[dir]++; a.opened[dir] == 1 {
		a.servers[dir] = startServer(t, &server.Options{Port: -1, StoreDir: dir})
		if !a.servers[dir].ReadyForConnections(time.Until(scratch.Deadline(t))) {
			t.Fatal("the server did not start")
		}
	}
	return openStore(t, a.servers[dir].ClientURL(), Options{}, func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.opened[dir]--; a.opened[dir] == 0 {
			a.servers[dir].Shutdown()
			a.servers[dir].WaitForShutdown()
		}
	})
}

func TestContractOnOneNode(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	storetest.Run(t, a.open)
}

// TestAtLengthContractOnThreeNodes uses one cluster; each folder is a prefix there.
func TestAtLengthContractOnThreeNodes(t *testing.T) {
	address := startCluster(t)
	var mu sync.Mutex
	prefixes := map[string]string{}
	storetest.Run(t, func(t testing.TB, dir string) engine.Store {
		mu.Lock()
		if prefixes[dir] == "" {
			prefixes[dir] = fmt.Sprint("t", len(prefixes))
		}
		o := Options{Prefix: prefixes[dir], Replicas: 3}
		mu.Unlock()
		return openStore(t, address, o, func() {})
	})
}

// startCluster starts three servers that replicate each other, and returns their
// addresses.
func startCluster(t testing.TB) string {
	t.Helper()
	var routes []*url.URL
	var ports []int
	for range 3 {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		port := l.Addr().(*net.TCPAddr).Port
		l.Close()
		ports = append(ports, port)
		routes = append(routes, &url.URL{Scheme: "nats", Host: fmt.Sprint("127.0.0.1:", port)})
	}
	var addresses []string
	var all []*server.Server
	for i, port := range ports {
		s := startServer(t, &server.Options{
			ServerName: fmt.Sprint("node", i), Port: -1, StoreDir: t.TempDir(), Routes: routes,
			Cluster: server.ClusterOpts{Name: "test", Host: "127.0.0.1", Port: port},
		})
		all = append(all, s)
		t.Cleanup(func() { s.Shutdown(); s.WaitForShutdown() })
	}
	for _, s := range all {
		if !s.ReadyForConnections(time.Until(scratch.Deadline(t))) {
			t.Fatal("a server did not start")
		}
		addresses = append(addresses, s.ClientURL())
	}
	return strings.Join(addresses, ",")
}

// TestAnAppendThatAnotherFollowedAtOnce loses the answer to the append that puts a run into
// the queue, and lets a worker append to the run before that is noticed.
func TestAnAppendThatAnotherFollowedAtOnce(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	dir := t.TempDir()
	client, worker := a.open(t, dir).(*under), a.open(t, dir).(*under)
	defer client.Close()
	defer worker.Close()
	took := make(chan error, 1)
	go func() {
		e, err := worker.Take(t.Context(), nil)
		if err == nil {
			err = worker.Append(t.Context(), e.Run(), storetest.Batch(e.Run(), 1, 1, 1))
		}
		took <- err
	}()
	b := storetest.Batch("run", 1, 0, 1)
	b.Header.Status, b.Wanted = engine.Queued, &engine.Wanted{Priority: 5}
	if err := client.makeConsumer(t.Context(), *b.Wanted); err != nil {
		t.Fatal(err)
	}
	client.LoseNextAnswer()
	if err := client.Append(t.Context(), "run", b); err != nil {
		t.Errorf("what was stored is reported as %v", err)
	}
	if err := <-took; err != nil {
		t.Fatal(err)
	}
	var stale *engine.StaleError
	if err := client.Append(t.Context(), "run", storetest.Batch("run", 1, 1, 2)); !errors.As(err, &stale) {
		t.Errorf("an append that was not stored: %v", err)
	}
}

// TestAReaderOfARunThatIsRemoved reads the events of a run that is removed between two
// pages.
func TestAReaderOfARunThatIsRemoved(t *testing.T) {
	a := &alone{servers: map[string]*server.Server{}, opened: map[string]int{}}
	s := a.open(t, t.TempDir()).(*under)
	defer s.Close()
	for i := range uint64(pageMessages + 1) {
		if err := s.Append(t.Context(), "run", storetest.Batch("run", 1, i, 1)); err != nil {
			t.Fatal(err)
		}
	}
	s.positions.forget("run")
	ctx, cancel := context.WithDeadline(t.Context(), scratch.Deadline(t))
	defer cancel()
	var last error
	for ev, err := range s.Events(ctx, "run", 1) {
		if last = err; ev.Seq == 1 {
			if err := s.Remove(ctx, "run"); err != nil {
				t.Fatal(err)
			}
		}
	}
	if !errors.Is(last, engine.ErrNoRun) {
		t.Errorf("the reader was told %v", last)
	}
}

package hub

import (
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
	"understudy/internal/testing/scratch"
	"understudy/internal/testing/storetest"
	"understudy/store/jetstream"
)

func start(t *testing.T, o Options) *Hub {
	t.Helper()
	o.Listen = "127.0.0.1:-1"
	h, err := Start(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func open(t *testing.T, h *Hub, dir, credential string) (*jetstream.Store, error) {
	t.Helper()
	nc, err := jetstream.Dial(jetstream.Address{URL: h.URL(), Credential: filepath.Join(Credentials(dir), credential)})
	if err != nil {
		return nil, err
	}
	t.Cleanup(nc.Close)
	if err := jetstream.CheckSync(t.Context(), nc); err != nil {
		t.Errorf("%s: %v", credential, err)
	}
	return jetstream.Open(t.Context(), nc, jetstream.Options{})
}

// TestTenantsAreApart holds what credentials let one do.
func TestTenantsAreApart(t *testing.T) {
	dir := t.TempDir()
	h := start(t, Options{Dir: dir, Tenants: []string{"a", "b"}})
	stores := map[string]*jetstream.Store{}
	for _, name := range []string{"a-client", "a-worker", "a-admin", "b-admin"} {
		s, err := open(t, h, dir, name+".nk")
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		stores[name] = s
	}
	if err := stores["a-client"].Append(t.Context(), "run1", storetest.Batch("run1", 1, 0, 2)); err != nil {
		t.Fatal(err)
	}
	if _, _, err := stores["a-worker"].Run(t.Context(), "run1"); err != nil {
		t.Errorf("a worker of the tenant: %v", err)
	}
	if _, _, err := stores["b-admin"].Run(t.Context(), "run1"); !errors.Is(err, engine.ErrNoRun) {
		t.Errorf("another tenant sees the run: %v", err)
	}
	if err := stores["a-worker"].Remove(t.Context(), "run1", func(engine.Header) error { return nil }); err == nil {
		t.Error("a worker removed a run")
	}
}

// TestLimitsCannotBeChanged tries to have the server discard what is stored.
func TestLimitsCannotBeChanged(t *testing.T) {
	dir := t.TempDir()
	h := start(t, Options{Dir: dir})
	s, err := open(t, h, dir, "default-client.nk")
	if err != nil {
		t.Fatal(err)
	}
	for _, role := range []role{client, worker} {
		nc, err := jetstream.Dial(jetstream.Address{URL: h.URL(), Credential: filepath.Join(Credentials(dir), "default-"+string(role)+".nk")})
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		run := "run-of-" + string(role)
		if err := s.Append(t.Context(), run, storetest.Batch(run, 1, 0, 2)); err != nil {
			t.Fatal(err)
		}
		config := []byte(`{"name":"US_RUNS","subjects":["us.r.*","us.q.>"],"storage":"file","num_replicas":1,"discard":"new","max_age":100000000,"duplicate_window":100000000,"allow_direct":true,"allow_atomic":true,"deny_delete":true,"republish":{"src":"us.r.*","dest":"us.n.{{wildcard(1)}}","headers_only":true}}`)
		if m, err := nc.Request("$JS.API.STREAM.UPDATE.US_RUNS", config, 500*time.Millisecond); err == nil {
			t.Errorf("the server answers a %s: %s", role, m.Data)
		}
		time.Sleep(200 * time.Millisecond)
		if _, _, err := s.Run(t.Context(), run); err != nil {
			t.Errorf("a %s removed a run: %v", role, err)
		}
	}
}

func TestNobodyGetsInWithoutACredential(t *testing.T) {
	dir := t.TempDir()
	h := start(t, Options{Dir: dir})
	if _, err := jetstream.Dial(jetstream.Address{URL: h.URL()}); err == nil {
		t.Error("somebody without a credential got in")
	}
	info, err := os.Stat(filepath.Join(Credentials(dir), "default-worker.nk"))
	if err != nil || info.Mode().Perm()&0o077 != 0 && os.PathSeparator == '/' {
		t.Errorf("the credential is for others too: %v, %v", info.Mode(), err)
	}
}

func TestHubRefusesInvalidOptions(t *testing.T) {
	for _, c := range []struct {
		say  string
		o    Options
		want string
	}{
		{"an open address without a certificate", Options{Listen: "0.0.0.0:4222"}, "certificate"},
		{"every address without a certificate", Options{Listen: ":4222"}, "certificate"},
		{"a tenant that is two words", Options{Listen: "127.0.0.1:-1", Tenants: []string{"a.b"}}, "tenant"},
		{"others to join, and no address for them", Options{Listen: "127.0.0.1:-1", Join: []string{"127.0.0.1:1"}}, "cluster"},
		{"a second node that makes its own credentials", Options{Listen: "127.0.0.1:-1", Name: "n2", ClusterListen: "127.0.0.1:0", Join: []string{"127.0.0.1:1"}}, "copy its credentials"},
	} {
		c.o.Dir = t.TempDir()
		h, err := Start(c.o)
		if err == nil {
			_ = h.Close()
		}
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.say, err)
		}
	}
}

// TestANodeThatNeverComesIsNamed holds that a hub says whom it waits for.
func TestANodeThatNeverComesIsNamed(t *testing.T) {
	addresses := make([]string, 3)
	for i := range addresses {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		addresses[i] = l.Addr().String()
		l.Close()
	}
	logs, dir := make(chan string, 1000), t.TempDir()
	first, err := Start(Options{Dir: dir, Listen: "127.0.0.1:-1"}) // it makes the credentials
	if err != nil {
		t.Fatal(err)
	}
	_ = first.Close()
	join := func(i int, log *slog.Logger) *Hub {
		t.Helper()
		home := t.TempDir()
		if err := os.CopyFS(Credentials(home), os.DirFS(Credentials(dir))); err != nil {
			t.Fatal(err)
		}
		h, err := Start(Options{
			Dir: home, Name: addresses[i], Listen: "127.0.0.1:-1", ClusterListen: addresses[i], Log: log, patience: 200 * time.Millisecond,
			Join: slices.Delete(slices.Clone(addresses), i, i+1),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = h.Close() })
		return h
	}
	alone := join(0, slog.New(slog.NewTextHandler(lines(logs), nil)))
	hears := func(what string) {
		t.Helper()
		for late := time.After(time.Until(scratch.Deadline(t))); ; {
			select {
			case line := <-logs:
				if strings.Contains(line, what) {
					return
				}
			case <-late:
				t.Fatalf("the hub did not say %q", what)
			}
		}
	}
	hears(`answer"="` + addresses[1] + " " + addresses[2] + `"`)
	nc, err := jetstream.Dial(jetstream.Address{URL: alone.URL(), Credential: filepath.Join(Credentials(dir), "default-worker.nk")})
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	if _, err := jetstream.Open(t.Context(), nc, jetstream.Options{Wait: time.Second}); err == nil || !strings.Contains(err.Error(), "which are missing") {
		t.Errorf("a worker of it: %v", err)
	}
	join(1, nil)
	if _, err := jetstream.Open(t.Context(), nc, jetstream.Options{Wait: time.Minute}); err != nil {
		t.Errorf("with two of three: %v", err)
	}
}

// lines gives each line that is written, unless nobody reads them.
type lines chan string

func (l lines) Write(p []byte) (int, error) {
	select {
	case l <- string(p):
	default:
	}
	return len(p), nil
}

// TestATakenAddress starts a hub where another program listens.
// TestAConnectionOutlivesARefusal lets a hub with other credentials take the place of one for
// a moment, as after a mistake in its folder.
func TestAConnectionOutlivesARefusal(t *testing.T) {
	dir := t.TempDir()
	h := start(t, Options{Dir: dir})
	s, err := open(t, h, dir, "default-client.nk")
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Append(t.Context(), "run", storetest.Batch("run", 1, 0, 2)); err != nil {
		t.Fatal(err)
	}
	at := strings.TrimPrefix(h.URL(), "nats://")
	var said scratch.Buffer
	for _, dir := range []string{t.TempDir(), dir} {
		if err := h.Close(); err != nil {
			t.Fatal(err)
		}
		if h, err = Start(Options{Dir: dir, Listen: at, Log: slog.New(slog.NewTextHandler(&said, nil))}); err != nil {
			t.Fatal(err)
		}
		defer h.Close()
		scratch.Until(t, "the client is refused", func() bool { return strings.Contains(said.String(), "authentication error") })
	}
	scratch.Until(t, "the run is read", func() bool {
		_, _, err := s.Run(t.Context(), "run")
		return err == nil
	})
}

func TestATakenAddress(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Start(Options{Dir: t.TempDir(), Listen: l.Addr().String()})
	if err == nil || !strings.Contains(err.Error(), l.Addr().String()) {
		t.Errorf("wanted what is wrong, got %v", err)
	}
}

// TestTwoHubsInOneFolder starts a hub in the folder of another one, and again after that
// has ended.
func TestTwoHubsInOneFolder(t *testing.T) {
	dir := t.TempDir()
	first := start(t, Options{Dir: dir})
	if _, err := Start(Options{Dir: dir, Listen: "127.0.0.1:-1"}); err == nil || !strings.Contains(err.Error(), dir) {
		t.Fatalf("wanted the folder refused, got %v", err)
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	start(t, Options{Dir: dir})
}

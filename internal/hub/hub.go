// Package hub is the server of a fleet: NATS JetStream inside this program.
//
// Its main idea is that what a fleet relies on cannot be forgotten: the server syncs
// each append, requires a credential, and isolates tenants. Its limit is NATS: it
// stores and delivers what stores and workers send, and knows nothing of runs.
package hub

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"

	"understudy/internal/fileio"
	"understudy/store/jetstream"
)

// Options configure a hub. The tagged fields are flags of a command.
type Options struct {
	Dir     string   `flag:"dir" usage:"the folder of its data (default hub in the data folder)"`
	Listen  string   `flag:"listen" usage:"the address for workers and clients"`
	Tenants []string `flag:"tenant" usage:"tenants, whose runs are kept apart"`

	MaxTenantMB int64 `flag:"max-tenant-mb" usage:"the most that a tenant may store, all replicas counted"`

	// A hub may be a node of a cluster.
	Name          string   `flag:"name" usage:"the name of this hub in a cluster of three"`
	ClusterListen string   `flag:"cluster-listen" usage:"the address to which the other hubs connect"`
	Join          []string `flag:"join" usage:"the addresses of the other hubs"`

	Certificate string `flag:"tls-cert" usage:"a TLS certificate, a PEM file; required for an address that other machines can reach"`
	Key         string `flag:"tls-key" usage:"the key of --tls-cert, a PEM file"`
	CA          string `flag:"tls-ca" usage:"the certificate authority of the other hubs, a PEM file"`

	Log *slog.Logger // nil: what is logged is dropped

	patience time.Duration // delay before missing nodes are logged; 0: electionTime
}

// DefaultTenantMB is how many megabytes a tenant may store.
const DefaultTenantMB = 100_000

// Hub is a running server.
type Hub struct {
	server *server.Server
	conns  []*nats.Conn
	lock   *os.File // of the folder
	end    context.CancelFunc
	tasks  sync.WaitGroup
}

// Credentials returns the folder of the credentials that a hub made, one file for
// each tenant and role.
func Credentials(dir string) string { return filepath.Join(dir, "credentials") }

// Start starts a server, and creates missing credentials.
func Start(o Options) (_ *Hub, err error) {
	if len(o.Tenants) == 0 {
		o.Tenants = []string{"default"}
	}
	o.MaxTenantMB = cmp.Or(o.MaxTenantMB, DefaultTenantMB)
	if err := o.check(); err != nil {
		return nil, err
	}
	h := &Hub{}
	if h.lock, err = lockFolder(o.Dir); err != nil {
		return nil, err
	}
	life, end := context.WithCancel(context.Background())
	h.end = end
	defer func() {
		if err != nil {
			err = errors.Join(err, h.Close())
		}
	}()
	keys, err := loadKeys(Credentials(o.Dir), o.Tenants, len(o.Join) > 0)
	if err != nil {
		return nil, err
	}
	text, err := o.config(keys)
	if err != nil {
		return nil, err
	}
	config := server.Options{NoSigs: true}
	if err := config.ProcessConfigString(text); err != nil {
		return nil, fmt.Errorf("the server rejects its configuration: %w", err)
	}
	s, err := server.NewServer(&config)
	if err != nil {
		return nil, fmt.Errorf("the server does not start: %w", err)
	}
	o.Log = cmp.Or(o.Log, slog.New(slog.DiscardHandler))
	fatal := make(chan string, 1)
	s.SetLogger(logger{o.Log, fatal}, false, false)
	h.server = s
	s.Start()
	if err := awaitReady(s, fatal); err != nil {
		return nil, err
	}
	for _, t := range o.Tenants {
		if err := h.serveTenant(keys.of(t, admin)); err != nil {
			return nil, err
		}
	}
	if len(o.Join) > 0 {
		h.tasks.Go(func() { h.logMissing(life, o) })
	}
	return h, nil
}

// lockTime is how long a hub may take to leave its folder to the next one.
const lockTime = 2 * time.Second

// lockFolder makes a folder one hub's own: the server itself would write into the data
// of another one.
func lockFolder(dir string) (*os.File, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	lock, err := fileio.Lock(ctx, filepath.Join(dir, "hub.lock"))
	if err != nil && ctx.Err() != nil {
		err = fmt.Errorf("another hub has the folder %s: give this one its own with --dir", dir)
	}
	return lock, err
}

// awaitReady waits until a server listens. A server that cannot only logs why.
func awaitReady(s *server.Server, fatal <-chan string) error {
	for late := time.Now().Add(20 * time.Second); time.Now().Before(late); {
		if s.ReadyForConnections(100 * time.Millisecond) {
			return nil
		}
		select {
		case why := <-fatal:
			return fmt.Errorf("the server does not start: %s", why)
		default:
		}
	}
	return errors.New("the server is not ready after 20 s")
}

// electionTime is how long nodes may take to elect a leader.
const electionTime = 10 * time.Second

// logMissing logs which nodes are missing until there are enough to store anything.
func (h *Hub) logMissing(ctx context.Context, o Options) {
	for patience := cmp.Or(o.patience, electionTime); ; {
		select {
		case <-time.After(patience):
		case <-ctx.Done():
			return
		}
		limited, cancel := context.WithTimeout(ctx, patience)
		_, err := h.conns[0].RequestWithContext(limited, "$JS.API.INFO", nil)
		cancel()
		if err == nil || ctx.Err() != nil {
			return
		}
		var missing []string
		for _, address := range o.Join {
			if conn, err := (&net.Dialer{Timeout: time.Second}).DialContext(ctx, "tcp", address); err != nil {
				missing = append(missing, address)
			} else {
				_ = conn.Close()
			}
		}
		o.Log.Warn("nothing can be stored until most nodes of the cluster are connected",
			"do not answer", strings.Join(missing, " "), "what to do", "start them, or correct --join, or omit --join and --cluster-listen for a single hub")
	}
}

// check refuses options with which others could read the traffic.
func (o Options) check() error {
	for _, t := range o.Tenants {
		if !plainName(t) {
			return fmt.Errorf("tenant %q: wanted a name of lower-case letters, digits and -", t)
		}
	}
	for _, address := range []string{o.Listen, o.ClusterListen} {
		if address == "" {
			continue
		}
		host, _, err := net.SplitHostPort(address)
		if err != nil {
			return fmt.Errorf("address %q: %w", address, err)
		}
		ip := net.ParseIP(host)
		if o.Certificate == "" && host != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return fmt.Errorf("address %s can be reached from other machines: without TLS the traffic is readable; pass a certificate", address)
		}
	}
	if o.MaxTenantMB < 0 {
		return errors.New("--max-tenant-mb: wanted more than 0")
	}
	if (o.ClusterListen == "") != (len(o.Join) == 0) || o.ClusterListen != "" && o.Name == "" {
		return errors.New("a node of a cluster needs a name, an address for the others, and theirs")
	}
	return nil
}

func plainName(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// serveTenant tells those who use a tenant's runs that the server always syncs, and does what
// their roles may not.
func (h *Hub) serveTenant(seed string) error {
	option, err := nats.NkeyOptionFromSeed(seed)
	if err != nil {
		return err
	}
	nc, err := nats.Connect("", nats.InProcessServer(h.server), option)
	if err != nil {
		return fmt.Errorf("the server refuses its own connection: %w", err)
	}
	h.conns = append(h.conns, nc)
	_, err = nc.Subscribe(jetstream.HubSubject, func(m *nats.Msg) { _ = m.Respond([]byte(jetstream.SyncsAlways)) }) // the sender may have gone
	if err == nil {
		err = jetstream.ServeTenant(nc)
	}
	if err != nil {
		return err
	}
	return nc.FlushTimeout(10 * time.Second)
}

// URL returns the address for clients.
func (h *Hub) URL() string { return h.server.ClientURL() }

// Close shuts the server down, and waits for it.
func (h *Hub) Close() error {
	h.end()
	h.tasks.Wait()
	for _, nc := range h.conns {
		nc.Close()
	}
	if h.server != nil {
		h.server.Shutdown()
		h.server.WaitForShutdown()
	}
	_ = h.lock.Close() // nothing was written
	return nil
}

// logger writes the log messages of the server.
type logger struct {
	log   *slog.Logger
	fatal chan<- string // receives the first message of what ends the server
}

func (l logger) Fatalf(format string, v ...any) {
	l.Errorf(format, v...)
	select {
	case l.fatal <- fmt.Sprintf(format, v...):
	default:
	}
}

func (l logger) Noticef(format string, v ...any) { l.log.Info(fmt.Sprintf(format, v...)) }
func (l logger) Warnf(format string, v ...any)   { l.log.Warn(fmt.Sprintf(format, v...)) }
func (l logger) Errorf(format string, v ...any)  { l.log.Error(fmt.Sprintf(format, v...)) }
func (l logger) Debugf(format string, v ...any)  { l.log.Debug(fmt.Sprintf(format, v...)) }
func (l logger) Tracef(format string, v ...any)  { l.log.Debug(fmt.Sprintf(format, v...)) }

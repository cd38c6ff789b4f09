package jetstream

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
)

// Address says where the servers of a fleet are, and how to authenticate.
type Address struct {
	URL string // may be several, with commas
	// Credential is a file: a seed as the hub makes it, or a credential of NATS.
	Credential string
	CA         string // a file; empty means the certificates of the system
	Name       string // of this process, shown by the servers
}

// Connect connects with the options that a store needs: it notices a server that
// does not respond within three seconds, buffers nothing while there is none, and connects
// again however often servers refuse it.
func Connect(url string, more ...nats.Option) (*nats.Conn, error) {
	options := append([]nats.Option{
		nats.MaxReconnects(-1), nats.IgnoreAuthErrorAbort(), nats.ReconnectWait(100 * time.Millisecond), nats.ReconnectBufSize(-1),
		nats.PingInterval(time.Second), nats.MaxPingsOutstanding(2), nats.Timeout(2 * time.Second),
		nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}), // each call returns its error
	}, more...)
	return nats.Connect(url, options...)
}

// Dial connects to the servers of a fleet. It uses TLS with servers on other machines.
func Dial(a Address) (*nats.Conn, error) {
	more := []nats.Option{nats.Name(a.Name)}
	if a.Credential != "" {
		text, err := os.ReadFile(a.Credential)
		if err != nil {
			return nil, fmt.Errorf("the credential of the fleet: %w", err)
		}
		option := nats.UserCredentials(a.Credential)
		if !strings.Contains(string(text), "BEGIN NATS USER JWT") {
			if option, err = nats.NkeyOptionFromSeed(a.Credential); err != nil {
				return nil, fmt.Errorf("the credential %s: %w", a.Credential, err)
			}
		}
		more = append(more, option)
	}
	if beyondLoopback(a.URL) { // or a man in the middle could turn TLS off
		more = append(more, nats.Secure())
	}
	if a.CA != "" {
		more = append(more, nats.RootCAs(a.CA))
	}
	nc, err := Connect(a.URL, more...)
	if err != nil {
		return nil, fmt.Errorf("the fleet at %s: %w", a.URL, err)
	}
	return nc, nil
}

// beyondLoopback reports whether one of the servers is on another machine.
func beyondLoopback(urls string) bool {
	for text := range strings.SplitSeq(urls, ",") {
		text = strings.TrimSpace(text)
		if !strings.Contains(text, "://") {
			text = "nats://" + text
		}
		u, err := url.Parse(text)
		if err != nil {
			return true
		}
		ip := net.ParseIP(u.Hostname())
		if u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
			return true
		}
	}
	return false
}

// Our hubs answer SyncsAlways on HubSubject.
const (
	HubSubject  = "us.say.hub"
	SyncsAlways = "sync: always"
)

// The errors of CheckSync.
var (
	ErrUnsynced    = errors.New("the servers do not sync what they acknowledge: a power cut loses runs; set sync_interval: always in their configuration")
	ErrSyncUnknown = errors.New("the servers do not say whether they sync what they acknowledge: see that sync_interval is always in their configuration")
)

// CheckSync returns an error if what the servers acknowledge may not be on their
// disks yet.
func CheckSync(ctx context.Context, nc *nats.Conn) error {
	ctx, cancel := context.WithTimeout(ctx, 2*time.Second)
	defer cancel()
	if m, err := nc.RequestWithContext(ctx, HubSubject, nil); err == nil && string(m.Data) == SyncsAlways {
		return nil
	}
	m, err := nc.RequestWithContext(ctx, "$SYS.REQ.SERVER.PING.JSZ", []byte(`{"config":true}`))
	if err != nil {
		return ErrSyncUnknown
	}
	var info struct {
		Data struct {
			Config *struct {
				SyncAlways bool `json:"sync_always"`
			} `json:"config"`
		} `json:"data"`
	}
	if json.Unmarshal(m.Data, &info) != nil || info.Data.Config == nil {
		return ErrSyncUnknown
	}
	if !info.Data.Config.SyncAlways {
		return ErrUnsynced
	}
	return nil
}

package httpd

import (
	"net"
	"net/http"
	"sync"
	"time"
)

// Bounds of open connections, of all and of one address. Beyond them, the connection
// that has been idle for longest is closed, so that a client that opens many cannot
// keep others out.
const (
	maxConnections     = 512
	maxConnectionsEach = 384
)

// connections tracks the open connections. Its zero value is ready.
type connections struct {
	mu         sync.Mutex
	open       map[net.Conn]connection
	perAddress map[string]int // address → number of connections
	drops      uint64
}

type connection struct {
	address string
	state   http.ConnState
	since   time.Time
}

// track is the ConnState hook of an http.Server.
func (n *connections) track(c net.Conn, state http.ConnState) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.open == nil {
		n.open, n.perAddress = map[net.Conn]connection{}, map[string]int{}
	}
	if state == http.StateClosed || state == http.StateHijacked {
		n.forget(c)
		return
	}
	address, _, _ := net.SplitHostPort(c.RemoteAddr().String())
	if _, known := n.open[c]; !known {
		addCount(&n.perAddress, address, 1)
	}
	n.open[c] = connection{address, state, time.Now()}
	switch {
	case n.perAddress[address] > maxConnectionsEach:
		n.makeRoom(c, address)
	case len(n.open) > maxConnections:
		n.makeRoom(c, "")
	}
}

func (n *connections) forget(c net.Conn) {
	if x, known := n.open[c]; known {
		addCount(&n.perAddress, x.address, -1)
		delete(n.open, c)
	}
}

// makeRoom closes the connection that has been idle longest, of an address or of any;
// if all are busy, the new one. The caller holds mu.
func (n *connections) makeRoom(fresh net.Conn, address string) {
	victim := fresh
	oldest := time.Now().Add(time.Hour)
	for c, x := range n.open {
		if c != fresh && x.state != http.StateActive && (address == "" || x.address == address) && x.since.Before(oldest) {
			victim, oldest = c, x.since
		}
	}
	n.forget(victim)
	n.drops++
	_ = victim.Close()
}

// closeSilent closes the connections that have sent nothing yet. Shutdown of an
// http.Server would wait some seconds for them.
func (n *connections) closeSilent() {
	n.mu.Lock()
	defer n.mu.Unlock()
	for c, x := range n.open {
		if x.state == http.StateNew {
			_ = c.Close()
		}
	}
}

func (n *connections) counts() (open int, drops uint64) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.open), n.drops
}

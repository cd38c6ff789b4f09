//go:build linux

package atspi

import (
	"context"
	"time"

	"github.com/godbus/dbus/v5"
)

// Some toolkits also listen for connections of their own. Asking there leaves
// out the bus and halves the time. It also goes on working while the
// application, at the end of an action, sits in a dialog: what blocks then is
// the connection that the action came by, and only that.

// straight is a connection to the application itself, or the bus when it has
// none.
func (a *application) straight(ctx context.Context, l *conn, patience time.Duration) line {
	a.mu.Lock()
	peer, address := a.peer, a.address
	a.mu.Unlock()
	if peer.Conn != nil && peer.Connected() {
		return peer
	}
	limited, cancel := within(ctx, patience)
	defer cancel()
	peer, ok := dialPeer(limited, address) // not under the lock, which others wait for
	if !ok {
		if ctx.Err() == nil {
			a.unreachable()
		}
		return l.line
	}
	return a.keepPeer(peer)
}

// unreachable remembers that an application cannot be reached but by the bus.
func (a *application) unreachable() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.address = ""
}

// keepPeer keeps a connection, or takes the one that another visit made first.
func (a *application) keepPeer(peer line) line {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.peer.Conn != nil && a.peer.Connected() {
		peer.Close()
		return a.peer
	}
	if a.left {
		peer.Close() // asking there says that it is gone
	}
	a.peer = peer
	return peer
}

// acting is a connection for one action, and how to end it.
func (a *application) acting(ctx context.Context, l *conn) (line, func()) {
	a.mu.Lock()
	address := a.address
	a.mu.Unlock()
	if peer, ok := dialPeer(ctx, address); ok {
		return peer, func() { peer.Close() }
	}
	return l.line, func() {}
}

// dialPeer connects to an application. There is no bus to say hello to.
func dialPeer(ctx context.Context, address string) (line, bool) {
	if address == "" {
		return line{}, false
	}
	peer, err := begin(ctx, address, func(c *dbus.Conn) error { return c.Auth(nil) })
	return line{Conn: peer, peer: true}, err == nil
}

// leave closes the connection to an application.
func (a *application) leave() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.left = true
	if a.peer.Conn != nil {
		a.peer.Close()
		a.peer = line{}
	}
}

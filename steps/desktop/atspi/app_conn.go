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

// directConn is a connection to the application itself, or the bus when it has
// none.
func (a *application) directConn(ctx context.Context, l *busConn, patience time.Duration) dbusConn {
	a.mu.Lock()
	peer, address := a.appConn, a.address
	a.mu.Unlock()
	if peer.Conn != nil && peer.Connected() {
		return peer
	}
	limited, cancel := withTimeout(ctx, patience)
	defer cancel()
	peer, ok := dialApp(limited, address) // not under the lock, which others wait for
	if !ok {
		if ctx.Err() == nil {
			a.dropAddress()
		}
		return l.dbusConn
	}
	return a.keepAppConn(peer)
}

// dropAddress remembers that an application cannot be reached but by the bus.
func (a *application) dropAddress() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.address = ""
}

// keepAppConn keeps a connection, or takes the one that another visit made first.
func (a *application) keepAppConn(peer dbusConn) dbusConn {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.appConn.Conn != nil && a.appConn.Connected() {
		peer.Close()
		return a.appConn
	}
	if a.closed {
		peer.Close() // asking there says that it is gone
	}
	a.appConn = peer
	return peer
}

// actionConn is a connection for one action, and how to end it.
func (a *application) actionConn(ctx context.Context, l *busConn) (dbusConn, func()) {
	a.mu.Lock()
	address := a.address
	a.mu.Unlock()
	if peer, ok := dialApp(ctx, address); ok {
		return peer, func() { peer.Close() }
	}
	return l.dbusConn, func() {}
}

// dialApp connects to an application. There is no bus to say hello to.
func dialApp(ctx context.Context, address string) (dbusConn, bool) {
	if address == "" {
		return dbusConn{}, false
	}
	peer, err := dialAndGreet(ctx, address, func(c *dbus.Conn) error { return c.Auth(nil) })
	return dbusConn{Conn: peer, direct: true}, err == nil
}

// closeConn closes the connection to an application.
func (a *application) closeConn() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	if a.appConn.Conn != nil {
		a.appConn.Close()
		a.appConn = dbusConn{}
	}
}

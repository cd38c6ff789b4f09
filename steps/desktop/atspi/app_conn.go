//go:build linux

package atspi

import (
	"context"
	"time"

	"github.com/godbus/dbus/v5"
)

// Some toolkits also listen on a socket of their own. Calling them there skips
// the bus and halves the time. It also keeps working while the application sits
// in a dialog that an action opened: only the connection that carried the
// action is blocked.

// directConn returns a connection to the application itself, or to the bus if
// it has none.
func (a *application) directConn(ctx context.Context, l *busConn, timeout time.Duration) dbusConn {
	a.mu.Lock()
	direct, address := a.appConn, a.address
	a.mu.Unlock()
	if direct.Conn != nil && direct.Connected() {
		return direct
	}
	limited, cancel := withTimeout(ctx, timeout)
	defer cancel()
	direct, ok := dialApp(limited, address) // outside the mutex
	if !ok {
		if ctx.Err() == nil {
			a.dropAddress()
		}
		return l.dbusConn
	}
	return a.keepAppConn(direct)
}

// dropAddress records that an application can be reached only through the bus.
func (a *application) dropAddress() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.address = ""
}

// keepAppConn stores a connection, or closes it and returns the one that a
// concurrent visit stored first.
func (a *application) keepAppConn(direct dbusConn) dbusConn {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.appConn.Conn != nil && a.appConn.Connected() {
		direct.Close()
		return a.appConn
	}
	if a.closed {
		direct.Close() // calls on it now fail
	}
	a.appConn = direct
	return direct
}

// actionConn returns a connection for a single action, and a function that
// closes it.
func (a *application) actionConn(ctx context.Context, l *busConn) (dbusConn, func()) {
	a.mu.Lock()
	address := a.address
	a.mu.Unlock()
	if direct, ok := dialApp(ctx, address); ok {
		return direct, func() { direct.Close() }
	}
	return l.dbusConn, func() {}
}

// dialApp connects to an application directly. There is no bus, so no Hello.
func dialApp(ctx context.Context, address string) (dbusConn, bool) {
	if address == "" {
		return dbusConn{}, false
	}
	direct, err := dialAndGreet(ctx, address, func(c *dbus.Conn) error { return c.Auth(nil) })
	return dbusConn{Conn: direct, direct: true}, err == nil
}

func (a *application) closeConn() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.closed = true
	if a.appConn.Conn != nil {
		a.appConn.Close()
		a.appConn = dbusConn{}
	}
}

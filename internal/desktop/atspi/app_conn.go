//go:build linux

package atspi

import (
	"context"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"
)

// An appConn connects to one application directly. Some toolkits also listen on
// a socket of their own. Calling them there skips the bus and halves the time.
// It also keeps working while the application sits in a dialog that an action
// opened: only the connection that carried the action is blocked.
type appConn struct {
	mu      sync.Mutex // guards the fields below
	address string     // "" if the application can be reached only through the bus
	conn    dbusConn
	closed  bool // the application left the bus
}

// get returns the connection to the application, or to the bus if the
// application has none.
func (c *appConn) get(ctx context.Context, bus *busConn, timeout time.Duration) (dbusConn, error) {
	c.mu.Lock()
	conn := c.conn
	c.mu.Unlock()
	if conn.Conn != nil && conn.Connected() {
		return conn, nil
	}
	conn, err := c.dial(ctx, bus, timeout)
	if err == nil && conn.direct {
		conn = c.keep(conn)
	}
	return conn, err
}

// setAddress stores where the application listens.
func (c *appConn) setAddress(address string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.address = address
}

// keep stores a connection, or closes it and returns the one that a concurrent
// visit stored first.
func (c *appConn) keep(conn dbusConn) dbusConn {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.conn.Conn != nil && c.conn.Connected() {
		conn.Close()
		return c.conn
	}
	if c.closed {
		conn.Close() // calls on it now fail
	}
	c.conn = conn
	return conn
}

// once returns a connection for a single action, and a function that closes it.
func (c *appConn) once(ctx context.Context, bus *busConn, timeout time.Duration) (dbusConn, func(), error) {
	conn, err := c.dial(ctx, bus, timeout)
	return conn, func() {
		if conn.direct {
			conn.Close()
		}
	}, err
}

// dial connects to the application directly, without a Hello because there is no
// bus. If nobody listens there, the bus is used from then on.
func (c *appConn) dial(ctx context.Context, bus *busConn, timeout time.Duration) (dbusConn, error) {
	c.mu.Lock()
	address := c.address
	c.mu.Unlock()
	if address == "" {
		return bus.dbusConn, nil
	}
	ctx, cancel := withTimeout(ctx, timeout)
	defer cancel()
	conn, err := dialAndGreet(ctx, address, func(c *dbus.Conn) error { return c.Auth(nil) })
	if err == nil {
		return dbusConn{Conn: conn, direct: true}, nil
	}
	if cause := context.Cause(ctx); cause != nil {
		return dbusConn{}, cause
	}
	c.setAddress("")
	return bus.dbusConn, nil
}

// close closes the connection for good.
func (c *appConn) close() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	if c.conn.Conn != nil {
		c.conn.Close()
		c.conn = dbusConn{}
	}
}

//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"understudy/steps/desktop"
)

// Options say which bus to use, and lend what only the window system knows.
type Options struct {
	// Bus is the address of the session bus.
	Bus string
	// Windows lists the windows from the bottom of the stack to its top.
	// Without it elements have no window, and there is no element at a point.
	Windows func(context.Context) ([]desktop.Window, error)
	// Activate makes a window the active one and returns when it is.
	Activate func(context.Context, desktop.WindowID) error
	// ScreenReader says on the bus that a screen reader runs, which Qt 5 waits
	// for before it shows its elements. Where GNOME runs, this would start its
	// screen reader: it is meant for a desktop of our own. Elsewhere a Qt 5
	// application is reached by starting it with
	// QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1.
	ScreenReader bool
	// Timeout is how long an application may leave a call unanswered; zero is
	// 2 s.
	Timeout time.Duration
}

// A Client is the accessibility tree of one desktop. It may be used by many
// goroutines at once, and connects again by itself when the bus went away.
type Client struct {
	options Options
	signals    *signals
	trees   atomic.Int64 // numbers the trees
	listings   atomic.Int64 // numbers the questions who is on the bus

	mu     sync.Mutex // guards what follows
	bus   *busConn
	apps   map[object]*application
	listed int64 // the turn that apps is from
	closed bool
}

var (
	_ desktop.Elements = (*Client)(nil)
	_ desktop.Actor    = (*Client)(nil)
	_ desktop.Focus    = (*Client)(nil)
	_ desktop.Changes  = (*Client)(nil)
)

// Connect connects to the accessibility bus and switches accessibility on. A bus
// that is there and slow to answer, as when the session has just begun or the
// machine has too much to do, is connected to when it is needed.
func Connect(ctx context.Context, o Options) (*Client, error) {
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Second
	}
	c := &Client{options: o, signals: newSignals(), apps: map[object]*application{}}
	if _, err := c.connect(ctx); err != nil && (!errors.Is(err, desktop.ErrUnresponsive) || ctx.Err() != nil) {
		return nil, err
	}
	return c, nil
}

// connectFactor is how many times as long as an answer it may take to connect:
// so much is asked for it, and the first who connects has the bus started.
const connectFactor = 5

// Close ends the connection. What is still waiting fails.
func (c *Client) Close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.closed = true
	c.closeConns()
	return nil
}

// connect is the connection for reading, made again when it was lost.
func (c *Client) connect(ctx context.Context) (*busConn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, fmt.Errorf("%w: the accessibility client was closed", desktop.ErrUnavailable)
	}
	if c.bus != nil && c.bus.Connected() {
		return c.bus, nil
	}
	ctx, cancel := withTimeout(ctx, connectFactor*c.options.Timeout)
	defer cancel()
	link, err := open(ctx, c.options, c.signals)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil {
			return nil, fmt.Errorf("connecting to the accessibility bus: %w", cause)
		}
		return nil, &desktop.MissingError{
			What: fmt.Sprintf("no accessibility bus: %v", err),
			Mend: "apt-get install at-spi2-core",
		}
	}
	c.closeConns()
	c.bus = link
	c.signals.forget()
	return link, nil
}

// closeConns closes every connection. Those of a bus that died are dead as well.
func (c *Client) closeConns() {
	for _, a := range c.apps {
		a.closeConn()
	}
	clear(c.apps)
	if c.bus != nil {
		c.bus.Close() // it fails only when it was closed already
	}
}

// windows are the windows of the desktop, bottom first; none when nobody lends
// them.
func (c *Client) windows(ctx context.Context) (desktop.Windows, error) {
	if c.options.Windows == nil {
		return nil, nil
	}
	return c.options.Windows(ctx)
}

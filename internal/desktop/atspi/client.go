//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// Options say which bus to use, and provide what only the window system knows.
type Options struct {
	// Bus is the address of the session bus.
	Bus string
	// Windows lists the windows from the bottom of the stack to its top.
	// Without it elements have no window, and there is no element at a point.
	Windows func(context.Context) ([]desktop.Window, error)
	// Activate makes a window the active one and returns when it is.
	Activate func(context.Context, desktop.WindowID) error
	// ScreenReader announces a screen reader on the bus, which Qt 5 waits for
	// before it exposes its elements. Under GNOME this would start Orca, so set
	// it only on a desktop of our own. Elsewhere start Qt 5 applications with
	// QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1.
	ScreenReader bool
	// Placeless is true if applications do not know the positions of their windows,
	// so that the Content of each window tells.
	Placeless bool
	// Timeout bounds each call to an application; zero is 2 s.
	Timeout time.Duration
	// sent is called with each outgoing message, in tests.
	sent func(*dbus.Message)
}

// A Client is the accessibility tree of one desktop. It is safe for concurrent
// use, and reconnects when the bus went away.
type Client struct {
	options Options
	signals *signals
	apps    appList
	trees   atomic.Int64 // numbers the trees

	using  chan struct{} // guards the fields below; holds one token while they are used
	bus    *busConn
	closed bool
}

var (
	_ desktop.Elements = (*Client)(nil)
	_ desktop.Actor    = (*Client)(nil)
	_ desktop.Focus    = (*Client)(nil)
	_ desktop.Changes  = (*Client)(nil)
)

// Connect connects to the accessibility bus and enables accessibility. If the
// bus exists but is slow to reply, as at the start of a session or on a loaded
// machine, the client connects on first use.
func Connect(ctx context.Context, o Options) (*Client, error) {
	if o.Timeout <= 0 {
		o.Timeout = 2 * time.Second
	}
	c := &Client{options: o, signals: newSignals(), apps: appList{apps: map[object]*application{}}, using: make(chan struct{}, 1)}
	if _, err := c.connect(ctx); err != nil && (!errors.Is(err, desktop.ErrUnresponsive) || ctx.Err() != nil) {
		return nil, err
	}
	return c, nil
}

// connectFactor times Options.Timeout bounds connecting: it takes several
// calls, and the first client makes the session bus start the accessibility
// bus.
const connectFactor = 5

// Close ends the connection. Pending calls fail.
func (c *Client) Close() error {
	c.using <- struct{}{}
	defer func() { <-c.using }()
	c.closed = true
	c.closeConns()
	return nil
}

// connect returns the bus connection, made anew if it was lost.
func (c *Client) connect(ctx context.Context) (*busConn, error) {
	select {
	case c.using <- struct{}{}:
		defer func() { <-c.using }()
	case <-ctx.Done(): // while another call connects
		return nil, context.Cause(ctx)
	}
	if c.closed {
		return nil, fmt.Errorf("%w: the accessibility client was closed", desktop.ErrUnavailable)
	}
	if c.bus != nil && c.bus.Connected() {
		return c.bus, nil
	}
	ctx, cancel := withTimeout(ctx, connectFactor*c.options.Timeout)
	defer cancel()
	bus, err := open(ctx, c.options, c.signals)
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
	c.bus = bus
	c.signals.forget()
	return bus, nil
}

// closeConns closes every connection; after the bus died, those to applications
// are dead as well.
func (c *Client) closeConns() {
	c.apps.clear()
	if c.bus != nil {
		c.bus.Close() // fails only if closed already
	}
}

// Do performs an action on an element.
func (c *Client) Do(ctx context.Context, a desktop.Action) error {
	switch a := a.(type) {
	case desktop.Invoke:
		return c.invoke(ctx, a.Element, a.Action)
	case desktop.SetText: // refused where the toolkit offers no editing, such as Chromium
		return c.callBool(ctx, a.Element, offersEditable, "editing", ifaceEditable+".SetTextContents", a.Text)
	case desktop.InsertText:
		return c.insertText(ctx, a.Element, a.Text)
	case desktop.SetNumber:
		return c.setNumber(ctx, a.Element, a.Value)
	case desktop.Select:
		method := ".DeselectChild"
		if a.On {
			method = ".SelectChild"
		}
		return c.callBool(ctx, a.Container, offersSelection, "selection", ifaceSelection+method, int32(a.Child))
	case desktop.GrabFocus:
		return c.callBool(ctx, a.Element, offersComponent, "focus", ifaceComponent+".GrabFocus")
	case desktop.Reveal:
		return c.reveal(ctx, a.Element, a.Then)
	case desktop.RestoreFocus:
		return c.restoreFocus(ctx, a.State)
	}
	return desktop.Unsupported(a)
}

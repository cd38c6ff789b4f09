//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// A dbusConn is a D-Bus connection on which objects are called: to the bus, or
// to one application directly.
type dbusConn struct {
	*dbus.Conn
	direct bool // to an application, which is gone once this is closed
}

// translateError maps an error of this connection to the desktop's errors.
func (l dbusConn) translateError(err error) error {
	err = translateError(err)
	if l.direct && errors.Is(err, desktop.ErrUnavailable) {
		return desktop.ErrNotFound
	}
	return err
}

// A busConn is the connection to the accessibility bus.
type busConn struct {
	dbusConn
	address string
	epoch   string // distinguishes this bus from an earlier one, whose names it reuses
	bounds  boundsSignals
}

// Close ends the connection.
func (c *busConn) Close() error {
	c.bounds.close()
	return c.dbusConn.Close()
}

// dial connects to a bus and says Hello, bounded by the context.
func dial(ctx context.Context, address string, opts ...dbus.ConnOption) (*dbus.Conn, error) {
	return dialAndGreet(ctx, address, func(c *dbus.Conn) error {
		if err := c.Auth(nil); err != nil {
			return err
		}
		return c.Hello()
	}, opts...)
}

// dialAndGreet connects to an address and runs a handshake, bounded by the
// context.
func dialAndGreet(ctx context.Context, address string, greet func(*dbus.Conn) error, opts ...dbus.ConnOption) (*dbus.Conn, error) {
	c, err := dbus.Dial(address, opts...)
	if err != nil {
		return nil, err
	}
	done := make(chan error, 1)
	go func() { done <- greet(c) }()
	select {
	case err = <-done:
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// open finds the accessibility bus through the session bus, enables
// accessibility and connects.
func open(ctx context.Context, o Options, signals dbus.SignalHandler) (*busConn, error) {
	session, err := dial(ctx, o.Bus)
	if err != nil {
		return nil, fmt.Errorf("session bus: %w", err)
	}
	defer session.Close()
	address, err := enable(ctx, session, o.ScreenReader)
	if err != nil {
		return nil, fmt.Errorf("accessibility bus: %w", err)
	}
	options := []dbus.ConnOption{dbus.WithSignalHandler(signals)}
	if o.sent != nil {
		options = append(options, dbus.WithOutgoingInterceptor(o.sent))
	}
	bus, err := dial(ctx, address, options...)
	if err != nil {
		return nil, fmt.Errorf("accessibility bus: %w", err)
	}
	c := &busConn{dbusConn: dbusConn{Conn: bus}, address: address}
	c.bounds.bus = c.dbusConn
	if err := c.subscribe(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("accessibility bus: %w", err), bus.Close())
	}
	return c, nil
}

// enable enables accessibility and returns the address of its bus.
func enable(ctx context.Context, session *dbus.Conn, reader bool) (address string, err error) {
	o := session.Object("org.a11y.Bus", "/org/a11y/bus")
	if err := o.CallWithContext(ctx, "org.a11y.Bus.GetAddress", 0).Store(&address); err != nil {
		return "", err
	}
	for name, on := range map[string]bool{"IsEnabled": true, "ScreenReaderEnabled": reader} {
		if !on {
			continue // another client may need it
		}
		err := o.CallWithContext(ctx, ifaceProperties+".Set", 0, "org.a11y.Status", name, dbus.MakeVariant(true)).Err
		if err != nil {
			return "", err
		}
	}
	return address, nil
}

const (
	ifaceObjectEvent = "org.a11y.atspi.Event.Object"
	ifaceWindowEvent = "org.a11y.atspi.Event.Window"
)

// events are the changes that invalidate what we know: what an application is
// asked to send, and the signal it arrives as. GTK 3 publishes its cache only
// once somebody has registered for some of them. Other clients' events are not
// matched; those without an interface here are matched on demand, see
// boundsSignals.
var events = []struct{ name, iface, member string }{
	{"object:bounds-changed", "", ""},
	{"object:children-changed", ifaceObjectEvent, "ChildrenChanged"},
	{"object:property-change", ifaceObjectEvent, "PropertyChange"},
	{"object:state-changed", ifaceObjectEvent, "StateChanged"},
	{"object:visible-data-changed", ifaceObjectEvent, "VisibleDataChanged"},
	{"window:", ifaceWindowEvent, ""},
}

// subscribe reads the bus ID and registers for events.
func (c *busConn) subscribe(ctx context.Context) error {
	var id string
	if err := c.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetId", 0).Store(&id); err != nil {
		return err
	}
	c.epoch = id[:min(len(id), 8)]
	if err := c.AddMatchSignalContext(ctx, dbus.WithMatchInterface(ifaceCache)); err != nil {
		return err
	}
	for _, e := range events {
		if e.iface != "" {
			if err := c.AddMatchSignalContext(ctx, matching(e.iface, e.member)...); err != nil {
				return err
			}
		}
		if err := c.register(ctx, e.name, ""); err != nil {
			return err
		}
	}
	return nil
}

// matching returns a match rule for a signal; "" is every member of the
// interface.
func matching(iface, member string) []dbus.MatchOption {
	rule := []dbus.MatchOption{dbus.WithMatchInterface(iface)}
	if member != "" {
		rule = append(rule, dbus.WithMatchMember(member))
	}
	return rule
}

// register has an application send events of a type; bus "" is every
// application.
func (l dbusConn) register(ctx context.Context, event, bus string) error {
	_, err := l.call(ctx, registry, ifaceRegistry+".RegisterEvent", event, []string{}, bus)
	return err
}

func (l dbusConn) call(ctx context.Context, o object, method string, args ...any) ([]any, error) {
	done := l.Object(o.bus, o.path).CallWithContext(ctx, method, 0, args...)
	if done.Err != nil {
		return nil, l.translateError(done.Err)
	}
	return done.Body, nil
}

// ask asks for the name of an object, as a ping of its process.
func (l dbusConn) ask(o object) *dbus.Call {
	return l.Object(o.bus, o.path).Go(ifaceProperties+".Get", 0, make(chan *dbus.Call, 1), ifaceAccessible, "Name")
}

// ping returns when the process of an object has answered.
func (l dbusConn) ping(ctx context.Context, o object) error {
	_, err := l.call(ctx, o, ifaceProperties+".Get", ifaceAccessible, "Name")
	return err
}

// withTimeout bounds ctx, with ErrUnresponsive as its cause.
func withTimeout(ctx context.Context, d time.Duration) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d, desktop.ErrUnresponsive)
}

// goneErrors are the bus's replies for an owner or object that no longer
// exists.
var goneErrors = []string{
	"org.freedesktop.DBus.Error.ServiceUnknown",
	"org.freedesktop.DBus.Error.NameHasNoOwner",
	"org.freedesktop.DBus.Error.NoReply", // it went away while we waited
	"org.freedesktop.DBus.Error.Disconnected",
	"org.freedesktop.DBus.Error.UnknownObject",
}

// translateError maps an error of the bus to the desktop's errors.
func translateError(err error) error {
	var answer dbus.Error
	var network net.Error
	switch {
	case err == nil:
		return nil
	case errors.Is(err, context.DeadlineExceeded):
		return desktop.ErrUnresponsive
	case errors.Is(err, context.Canceled):
		return err
	case errors.Is(err, dbus.ErrClosed), errors.Is(err, io.EOF), errors.As(err, &network):
		return fmt.Errorf("%w: the accessibility bus went away", desktop.ErrUnavailable)
	case errors.As(err, &answer) && slices.Contains(goneErrors, answer.Name):
		return desktop.ErrNotFound
	case errors.As(err, &answer):
		return fmt.Errorf("%w: %s", desktop.ErrRefused, answer.Error())
	}
	return err
}

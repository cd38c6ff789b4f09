//go:build linux

package atspi

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

const (
	// notifyEvery is the minimum time between two notifications for an element.
	notifyEvery = 20 * time.Millisecond
	// maxWeight is how many events of an element within weighFor are too many,
	// as from a log that scrolls: then the subscription pauses for pauseFor.
	maxWeight = 200
	weighFor  = time.Second
	pauseFor  = 2 * time.Second
	// textWeight is how many bytes of text weigh as much as one more event.
	textWeight = 1 << 10
)

// WatchFocus calls f when an application signals that the focus moved to
// another of its elements or windows. f must return at once: it blocks the
// delivery of all signals.
func (c *Client) WatchFocus(ctx context.Context, f func()) error {
	if _, err := c.connect(ctx); err != nil {
		return err
	}
	end := c.signals.onFocus(f)
	defer end()
	f()
	<-ctx.Done()
	return context.Cause(ctx)
}

// WatchElement calls f when an element signals that it changed.
//
// It listens on a connection of its own, for this element only, and its
// application is asked for these events only as long: an application that
// floods the bus delays no other call. The payload of an event is dropped.
func (c *Client) WatchElement(ctx context.Context, h desktop.Handle, f func()) error {
	q, err := c.query(ctx)
	if err != nil {
		return err
	}
	p, err := q.parse(h)
	if err != nil {
		return err
	}
	e := &elementWatch{changed: make(chan struct{}, 1), of: p.object}
	if err := e.open(ctx, q.bus.address, c.options.Timeout); err != nil {
		return err
	}
	defer e.Close()
	return e.listen(ctx, f)
}

// An elementWatch listens for the signals of one element.
type elementWatch struct {
	dbusConn
	of      object
	changed chan struct{} // has capacity 1
	weight  atomic.Int64  // of the events that came
}

// watchedEvents signal an element's changes, beside those that busConn
// subscribes to.
var watchedEvents = []string{"object:text-changed", "object:selection-changed"}

// open connects to the bus and subscribes to the events of the element.
func (e *elementWatch) open(ctx context.Context, address string, timeout time.Duration) error {
	ctx, cancel := withTimeout(ctx, timeout)
	defer cancel()
	bus, err := dial(ctx, address, dbus.WithSignalHandler(e))
	if err != nil {
		return e.translateError(err)
	}
	e.dbusConn = dbusConn{Conn: bus}
	for _, event := range watchedEvents {
		if err == nil {
			err = e.register(ctx, event, e.of.bus)
		}
	}
	if err == nil {
		err = e.AddMatchSignalContext(ctx, e.match()...)
	}
	if err != nil {
		e.Close()
		return e.translateError(err)
	}
	return nil
}

func (e *elementWatch) match() []dbus.MatchOption {
	return []dbus.MatchOption{dbus.WithMatchSender(e.of.bus), dbus.WithMatchObjectPath(e.of.path), dbus.WithMatchInterface(ifaceObjectEvent)}
}

// DeliverSignal counts one event and drops its payload.
func (e *elementWatch) DeliverSignal(_, member string, s *dbus.Signal) {
	e.weight.Add(1 + int64(len(as[string](at[dbus.Variant](s.Body, 3).Value())))/textWeight)
	if changesContent(member, at[string](s.Body, 0)) {
		e.wake()
	}
}

func (e *elementWatch) wake() {
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

// changesContent reports whether an event says that an element shows something
// else.
func changesContent(member, detail string) bool {
	switch member {
	case "TextChanged", "SelectionChanged":
		return true
	case "PropertyChange":
		return detail == "accessible-value" || detail == "accessible-name"
	case "StateChanged":
		return detail == "checked" || detail == "pressed" || detail == "selected" || detail == "indeterminate"
	}
	return false
}

// listen calls f until the context or the connection ends.
func (e *elementWatch) listen(ctx context.Context, f func()) error {
	since := time.Now()
	for {
		f()
		if err := desktop.Sleep(ctx, notifyEvery); err != nil {
			return err
		}
		if time.Since(since) > weighFor {
			since = time.Now()
			e.weight.Store(0)
		}
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-e.Context().Done():
			return fmt.Errorf("%w: the accessibility bus is gone", desktop.ErrUnavailable)
		case <-e.changed:
		}
		if e.weight.Load() < maxWeight {
			continue
		}
		if err := e.pause(ctx); err != nil {
			return err
		}
	}
}

// pause unsubscribes for a while.
func (e *elementWatch) pause(ctx context.Context) error {
	if err := e.RemoveMatchSignalContext(ctx, e.match()...); err != nil {
		return e.translateError(err)
	}
	if err := desktop.Sleep(ctx, pauseFor); err != nil {
		return err
	}
	e.weight.Store(0)
	e.wake() // it may have changed meanwhile
	return e.translateError(e.AddMatchSignalContext(ctx, e.match()...))
}

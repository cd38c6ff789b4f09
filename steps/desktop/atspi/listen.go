//go:build linux

package atspi

import (
	"context"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

const (
	// notifyEvery is how often a change of an element is told at most.
	notifyEvery = 20 * time.Millisecond
	// maxWeight is how many events of an element in countFor are too many, as of
	// a log that scrolls: then nobody listens for deafFor.
	maxWeight = 200
	weighFor = time.Second
	pauseFor  = 2 * time.Second
	// textWeight is how many bytes of text weigh as much as an event more.
	textWeight = 1 << 10
)

// WatchFocus calls f when an application says that the keyboard went to
// another of its elements, or to a window of its. f must return at once: the
// events of all applications wait for it.
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

// WatchElement calls f when an element says that it changed.
//
// It listens on a connection of its own, to this element only, and its
// application is asked for these events only as long: so an application that
// floods delays nobody who asks for something. What an event holds is dropped.
func (c *Client) WatchElement(ctx context.Context, h desktop.Handle, f func()) error {
	l, err := c.connect(ctx)
	if err != nil {
		return err
	}
	p, err := parseHandle(h)
	if err != nil {
		return err
	}
	if p.epoch != l.epoch {
		return fmt.Errorf("%w: it was on an accessibility bus that is gone", desktop.ErrNotFound)
	}
	e := &elementWatch{changed: make(chan struct{}, 1), of: p.object}
	if err := e.open(ctx, l.address, c.options.Timeout); err != nil {
		return err
	}
	defer e.Close()
	return e.listen(ctx, f)
}

// An ear listens to one element.
type elementWatch struct {
	dbusConn
	of      object
	changed chan struct{} // holds one when it did
	weight  atomic.Int64  // of the events that came
}

// watchedEvents are the events that an element's changes are told by, beside those that
// are asked for anyhow.
var watchedEvents = []string{"object:text-changed", "object:selection-changed"}

// open connects to the bus, and asks for the events of the element.
func (e *elementWatch) open(ctx context.Context, address string, patience time.Duration) error {
	ctx, cancel := withTimeout(ctx, patience)
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

// DeliverSignal takes one event from the connection, and drops what it holds.
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

// changesContent says whether an event tells that an element shows something else.
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

// listen calls f until the context ends, or the bus does.
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

// unsubscribe listens no more for a while.
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

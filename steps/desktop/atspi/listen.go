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
	// tellEvery is how often a change of an element is told at most.
	tellEvery = 20 * time.Millisecond
	// loudFrom is how many events of an element in countFor are too many, as of
	// a log that scrolls: then nobody listens for deafFor.
	loudFrom = 200
	countFor = time.Second
	deafFor  = 2 * time.Second
	// heavy is how many bytes of text weigh as much as an event more.
	heavy = 1 << 10
)

// WatchFocus calls f when an application says that the keyboard went to
// another of its elements, or to a window of its. f must return at once: the
// events of all applications wait for it.
func (c *Client) WatchFocus(ctx context.Context, f func()) error {
	if _, err := c.connect(ctx); err != nil {
		return err
	}
	end := c.news.tell(f)
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
	e := &ear{changed: make(chan struct{}, 1), of: p.object}
	if err := e.open(ctx, l.address, c.options.Timeout); err != nil {
		return err
	}
	defer e.Close()
	return e.listen(ctx, f)
}

// An ear listens to one element.
type ear struct {
	line
	of      object
	changed chan struct{} // holds one when it did
	weight  atomic.Int64  // of the events that came
}

// asked are the events that an element's changes are told by, beside those that
// are asked for anyhow.
var asked = []string{"object:text-changed", "object:selection-changed"}

// open connects to the bus, and asks for the events of the element.
func (e *ear) open(ctx context.Context, address string, patience time.Duration) error {
	ctx, cancel := within(ctx, patience)
	defer cancel()
	bus, err := dial(ctx, address, dbus.WithSignalHandler(e))
	if err != nil {
		return e.fault(err)
	}
	e.line = line{Conn: bus}
	for _, event := range asked {
		if err == nil {
			err = e.register(ctx, event, e.of.bus)
		}
	}
	if err == nil {
		err = e.AddMatchSignalContext(ctx, e.match()...)
	}
	if err != nil {
		e.Close()
		return e.fault(err)
	}
	return nil
}

func (e *ear) match() []dbus.MatchOption {
	return []dbus.MatchOption{dbus.WithMatchSender(e.of.bus), dbus.WithMatchObjectPath(e.of.path), dbus.WithMatchInterface(ifaceObjectEvent)}
}

// DeliverSignal takes one event from the connection, and drops what it holds.
func (e *ear) DeliverSignal(_, member string, s *dbus.Signal) {
	e.weight.Add(1 + int64(len(as[string](at[dbus.Variant](s.Body, 3).Value())))/heavy)
	if showsOther(member, at[string](s.Body, 0)) {
		e.wake()
	}
}

func (e *ear) wake() {
	select {
	case e.changed <- struct{}{}:
	default:
	}
}

// showsOther says whether an event tells that an element shows something else.
func showsOther(member, detail string) bool {
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
func (e *ear) listen(ctx context.Context, f func()) error {
	since := time.Now()
	for {
		f()
		if err := desktop.Sleep(ctx, tellEvery); err != nil {
			return err
		}
		if time.Since(since) > countFor {
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
		if e.weight.Load() < loudFrom {
			continue
		}
		if err := e.rest(ctx); err != nil {
			return err
		}
	}
}

// rest listens no more for a while.
func (e *ear) rest(ctx context.Context) error {
	if err := e.RemoveMatchSignalContext(ctx, e.match()...); err != nil {
		return e.fault(err)
	}
	if err := desktop.Sleep(ctx, deafFor); err != nil {
		return err
	}
	e.weight.Store(0)
	e.wake() // it may have changed meanwhile
	return e.fault(e.AddMatchSignalContext(ctx, e.match()...))
}

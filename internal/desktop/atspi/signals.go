//go:build linux

package atspi

import (
	"maps"
	"sync"

	"github.com/godbus/dbus/v5"
)

// signals is what the bus signalled, per application: what changed since when,
// and what was focused last. A signal never carries a value into our data; it
// only says what to read again.
//
// It is called by the connection, in the order of the messages: once an
// application has replied to a call, every signal that it sent before has been
// handled.
type signals struct {
	mu             sync.Mutex
	changes        map[string]*changes
	focus          map[string]focused
	focusListeners map[*func()]bool
}

// changes are what changed in one application. Times are counts of its signals.
type changes struct {
	now     uint64
	unclear uint64 // when a change last concerned every object
	objects map[dbus.ObjectPath]change
}

// A change concerns a single object.
type change struct {
	reach invalidation
	at    uint64
}

// focused is the focused element of an application, and its frame once that is
// known.
type focused struct{ path, frame dbus.ObjectPath }

func newSignals() *signals {
	n := &signals{focusListeners: map[*func()]bool{}}
	n.forget()
	return n
}

// forget drops everything, since a new bus reuses the old names.
func (n *signals) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.changes, n.focus = map[string]*changes{}, map[string]focused{}
}

// DeliverSignal records one signal.
func (n *signals) DeliverSignal(_, member string, s *dbus.Signal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.changes[s.Sender]
	if c == nil {
		c = &changes{objects: map[dbus.ObjectPath]change{}}
		n.changes[s.Sender] = c
	}
	c.add(s.Path, invalidationOf(member, at[string](s.Body, 0)))
	focuses := member == "StateChanged" && at[string](s.Body, 0) == "focused" && at[int32](s.Body, 1) == 1
	if focuses {
		n.focus[s.Sender] = focused{path: s.Path}
	}
	if focuses || member == "Activate" {
		for f := range n.focusListeners {
			(*f)()
		}
	}
}

// onFocus calls f whenever the focus may have moved, until end. f must return
// at once.
func (n *signals) onFocus(f func()) (end func()) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.focusListeners[&f] = true
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.focusListeners, &f)
	}
}

// since returns the current time and what changed in an application after a
// time, or false if that may be anything.
func (n *signals) since(bus string, at uint64) (now uint64, objects map[dbus.ObjectPath]invalidation, clear bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	c := n.changes[bus]
	if c == nil {
		return 0, nil, true
	}
	objects = map[dbus.ObjectPath]invalidation{}
	for o, change := range c.objects {
		if change.at > at {
			objects[o] = change.reach
		}
	}
	return c.now, objects, c.unclear <= at
}

// focusOf returns what an application last signalled as focused.
func (n *signals) focusOf(bus string) focused {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.focus[bus]
}

// setFocus replaces before, unless a signal came meanwhile.
func (n *signals) setFocus(bus string, before, now focused) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.focus[bus] == before {
		n.focus[bus] = now
	}
}

// retain drops applications that have left.
func (n *signals) retain(running map[string]bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	maps.DeleteFunc(n.changes, func(bus string, _ *changes) bool { return !running[bus] })
	maps.DeleteFunc(n.focus, func(bus string, _ focused) bool { return !running[bus] })
}

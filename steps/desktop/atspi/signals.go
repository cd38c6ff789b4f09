//go:build linux

package atspi

import (
	"maps"
	"sync"

	"github.com/godbus/dbus/v5"
)

// signals is what events say, per application: what changed since when, and what
// was focused last. An event never carries a value into what we know; it says
// only that we must look again, and where.
//
// It is called by the connection itself, in the order of the messages. So when
// an application has answered a call, every event that it sent before is here.
type signals struct {
	mu      sync.Mutex
	changes map[string]*changes
	focus   map[string]focused
	focusListeners    map[*func()]bool // who wants to know that the focus may have moved
}

// changes are what changed in one application. Times are counts of its events.
type changes struct {
	now     uint64
	unclear uint64 // when something changed that may concern every object
	objects map[dbus.ObjectPath]change
}

// A change is one of a single object, and its last time.
type change struct {
	reach invalidation
	at    uint64
}

// focused is what has the focus in an application, and the frame that it is
// in, once that is known.
type focused struct{ path, frame dbus.ObjectPath }

func newSignals() *signals {
	n := &signals{focusListeners: map[*func()]bool{}}
	n.forget()
	return n
}

// forget drops everything, when a new bus gives the old names to others.
func (n *signals) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.changes, n.focus = map[string]*changes{}, map[string]focused{}
}

// DeliverSignal takes one event from the connection.
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

// callBool calls f whenever the focus may have moved, until end. It must return at
// once.
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

// since is what changed in an application after a time, and what time it is
// now. It says false when that may be anything.
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

// focusOf is what is thought to have the focus in an application.
func (n *signals) focusOf(bus string) (focused, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f, ok := n.focus[bus]
	return f, ok
}

// setFocus takes what was found to have the focus, unless an event came since
// then that says something else.
func (n *signals) setFocus(bus string, before, now focused) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.focus[bus] == before {
		n.focus[bus] = now
	}
}

// cacheItems drops what is known of applications that have left.
func (n *signals) retain(running map[string]bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	maps.DeleteFunc(n.changes, func(bus string, _ *changes) bool { return !running[bus] })
	maps.DeleteFunc(n.focus, func(bus string, _ focused) bool { return !running[bus] })
}

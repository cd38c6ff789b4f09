//go:build linux

package atspi

import (
	"maps"
	"sync"

	"github.com/godbus/dbus/v5"
)

// news is what events say, per application: how often something changed, and
// what was focused last. An event never carries a value into what we know; it
// says only that we must look again.
//
// It is called by the connection itself, in the order of the messages. So when
// an application has answered a call, every event that it sent before is here.
type news struct {
	mu      sync.Mutex
	changes map[string]uint64
	focus   map[string]focused
}

// focused is what has the focus in an application, and the frame that it is
// in, once that is known.
type focused struct{ path, frame dbus.ObjectPath }

func newNews() *news {
	n := &news{}
	n.forget()
	return n
}

// forget drops everything, when a new bus gives the old names to others.
func (n *news) forget() {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.changes, n.focus = map[string]uint64{}, map[string]focused{}
}

// DeliverSignal takes one event from the connection.
func (n *news) DeliverSignal(_, member string, s *dbus.Signal) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.changes[s.Sender]++
	if member == "StateChanged" && at[string](s.Body, 0) == "focused" && at[int32](s.Body, 1) == 1 {
		n.focus[s.Sender] = focused{path: s.Path}
	}
}

// changesOf counts the events of an application.
func (n *news) changesOf(bus string) uint64 {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.changes[bus]
}

// focusOf is what is thought to have the focus in an application.
func (n *news) focusOf(bus string) (focused, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	f, ok := n.focus[bus]
	return f, ok
}

// learn takes what was found to have the focus, unless an event came since
// then that says something else.
func (n *news) learn(bus string, before, now focused) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.focus[bus] == before {
		n.focus[bus] = now
	}
}

// keep drops what is known of applications that have left.
func (n *news) keep(running map[string]bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	maps.DeleteFunc(n.changes, func(bus string, _ uint64) bool { return !running[bus] })
	maps.DeleteFunc(n.focus, func(bus string, _ focused) bool { return !running[bus] })
}

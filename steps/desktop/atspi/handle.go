//go:build linux

package atspi

import (
	"fmt"
	"strings"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// An object is one accessible object: its owner on the bus, and its path there.
type object struct {
	bus  string
	path dbus.ObjectPath
}

var (
	registry = object{ifaceRegistry, "/org/a11y/atspi/registry"}
	everyone = object{ifaceRegistry, "/org/a11y/atspi/accessible/root"}
)

const nowhere dbus.ObjectPath = "/org/a11y/atspi/null"

// none reports whether o refers to nothing.
func (o object) none() bool { return o.path == "" || o.path == nowhere }

// handleParts are the fields of a handle: an object with its bus and its frame,
// so that its window is found without walking up the tree.
type handleParts struct {
	epoch string // of the bus; handles of another bus are invalid
	object
	frame dbus.ObjectPath
}

func (p handleParts) handle() desktop.Handle {
	return desktop.Handle(p.epoch + "|" + p.bus + "|" + string(p.path) + "|" + string(p.frame))
}

func parseHandle(h desktop.Handle) (handleParts, error) {
	f := strings.Split(string(h), "|")
	if len(f) != 4 || f[1] == "" || !dbus.ObjectPath(f[2]).IsValid() {
		return handleParts{}, fmt.Errorf("%w: %q is not a handle of the accessibility bus", desktop.ErrNotFound, h)
	}
	return handleParts{f[0], object{f[1], dbus.ObjectPath(f[2])}, dbus.ObjectPath(f[3])}, nil
}

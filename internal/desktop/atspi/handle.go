//go:build linux

package atspi

import (
	"fmt"
	"strings"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
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
	frame object
}

func (p handleParts) handle() desktop.Handle {
	frame := string(p.frame.path)
	if p.frame.bus != p.bus {
		frame = p.frame.bus + frame
	}
	return desktop.Handle(p.epoch + "|" + p.bus + "|" + string(p.path) + "|" + frame)
}

func parseHandle(h desktop.Handle) (handleParts, error) {
	f := strings.Split(string(h), "|")
	if len(f) != 4 || f[1] == "" || !dbus.ObjectPath(f[2]).IsValid() {
		return handleParts{}, fmt.Errorf("%w: %q is not a handle of the accessibility bus", desktop.ErrNotFound, h)
	}
	p := handleParts{f[0], object{f[1], dbus.ObjectPath(f[2])}, object{f[1], dbus.ObjectPath(f[3])}}
	if i := strings.IndexByte(f[3], '/'); i > 0 && f[3][:i] != p.bus {
		p.frame = object{f[3][:i], dbus.ObjectPath(f[3][i:])}
	}
	return p, nil
}

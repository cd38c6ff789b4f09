//go:build linux

package wayland

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
	"understudy/steps/desktop/wayland/wire"
)

// A placement knows what no protocol of Wayland tells: which windows there are,
// and where.
type placement interface {
	// name is that of the compositor.
	name() string
	outputs(ctx context.Context) ([]desktop.Monitor, error)
	// windows are listed from the bottom of the stack to its top.
	windows(ctx context.Context) ([]desktop.Window, error)
	// manage asks for a change of a window, and does not wait for it.
	manage(ctx context.Context, w desktop.Window, m desktop.Manage) error
	// close gives up what it keeps with the compositor.
	close()
}

// A picker is a placement that tells which window a press at a point reaches, whatever
// lies there that is no window of the list; 0 is none.
type picker interface {
	pressedAt(ctx context.Context, at desktop.Point) (desktop.WindowID, error)
}

// A host is a placement that tells whether a window is that of a program of X.
type host interface {
	foreign(ctx context.Context, id desktop.WindowID) (bool, error)
}

// An equipper is a placement whose compositor does by other ways what it announces no
// protocol for: it gives the parts of a driver what they lack.
type equipper interface {
	equip(d *Driver, seat wire.Seat)
	// extensions says what is there of that by which the compositor is operated.
	extensions() map[string]bool
}

// An ender is a placement that a person can end: then nothing is begun any more.
type ender interface {
	ready() error
}

// placements find, each in its way, that of a compositor which is a process and has
// its socket in a folder. One fails with desktop.ErrNotFound where it is not one of its sort,
// and with a desktop.MissingError where it is and does not tell.
var placements = []func(ctx context.Context, pid int, folder string) (placement, error){findSway, findKWin, findGNOME}

// findPlacement returns the placement of a compositor.
func findPlacement(ctx context.Context, pid int, folder string) (placement, error) {
	for _, find := range placements {
		if p, err := find(ctx, pid, folder); !errors.Is(err, desktop.ErrNotFound) {
			return p, err
		}
	}
	return nil, desktop.ErrNotFound
}

// busOf connects to the bus of the session, if a name there is that of a process, or
// of one that it started, and returns who that is on the bus. The pid 0 is any.
func busOf(ctx context.Context, folder, name string, pid int) (bus *dbus.Conn, owner string, err error) {
	bus, err = dbus.Connect(cmp.Or(os.Getenv("DBUS_SESSION_BUS_ADDRESS"), "unix:path="+filepath.Join(folder, "bus")))
	if err != nil {
		return nil, "", desktop.ErrNotFound //nolint:nilerror // no bus, and so nobody on it
	}
	var process uint32
	err = bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, name).Store(&owner)
	if err == nil {
		err = bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0, owner).Store(&process)
	}
	if err != nil || pid != 0 && int(process) != pid && parentOf(int(process)) != pid { // of another session
		bus.Close()
		return nil, "", desktop.ErrNotFound
	}
	return bus, owner, nil
}

// parentOf is the process that started another; 0 where that is not known.
func parentOf(pid int) (parent int) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	_, rest, _ := strings.Cut(string(status), "\nPPid:")
	_, _ = fmt.Sscan(rest, &parent)
	return parent
}

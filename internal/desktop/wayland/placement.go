//go:build linux

package wayland

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// A placement reports what no protocol of Wayland does: which windows there are, and where.
type placement interface {
	// name returns the name of the compositor.
	name() string
	outputs(ctx context.Context) ([]desktop.Monitor, error)
	// windows returns the windows from the bottom of the stack to its top.
	windows(ctx context.Context) ([]desktop.Window, error)
	// manage requests a change of a window and does not wait for it.
	manage(ctx context.Context, w desktop.Window, m desktop.Manage) error
	// equip sets what the compositor can do besides, and the parts of a driver that use
	// other interfaces in place of protocols that it does not announce.
	equip(d *Driver, seat wire.Seat)
	// close releases what it has in the compositor.
	close()
}

// optional is what some compositors can do besides. A function is nil where it is absent.
type optional struct {
	// pressedAt is a hit test: it returns which window a press at a point reaches, or 0 if
	// that is none, even if something lies there that is in no list of windows.
	pressedAt func(ctx context.Context, at desktop.Point) (desktop.WindowID, error)
	// foreign reports whether a window is one of XWayland.
	foreign func(ctx context.Context, id desktop.WindowID) (bool, error)
	// pointers returns how many devices move the pointer, including ours.
	pointers func(ctx context.Context) (int, error)
	// extensions reports for each interface that is used in place of protocols whether it
	// is there.
	extensions func() map[string]bool
	// consent says when a person is asked for permission.
	consent func() string
}

// newWindow returns a window of a process. It can be called by the names of its program, and by
// others.
func newWindow(pid int, names ...string) desktop.Window {
	return desktop.Window{PID: pid, Process: desktop.ProcessName(pid), Aliases: append(desktop.ProcessAliases(pid), names...)}
}

// windowInfo is a window as our script in KWin and our extension of GNOME describe it.
type windowInfo struct {
	ID                                          desktop.WindowID
	PID                                         int
	Title, Class, File                          string
	Frame, Content                              rectInfo
	Active, Minimized, Maximized, Hidden, Modal bool
	Popup, Tooltip, Splash, Dialog              bool
}

func (t windowInfo) window() desktop.Window {
	w := newWindow(t.PID, t.Class, t.File)
	w.ID, w.Title, w.Class, w.Bounds = t.ID, t.Title, t.Class, t.Frame.rect()
	w.Active, w.Minimized, w.Maximized, w.Hidden, w.Modal = t.Active, t.Minimized, t.Maximized, t.Hidden, t.Modal
	w.Popup, w.Tooltip, w.Splash, w.Dialog = t.Popup || t.Tooltip, t.Tooltip, t.Splash, t.Dialog
	// The drawing of the application has a frame around it, or a shadow in it.
	w.Content = w.Bounds
	if drawn := w.Bounds.Intersect(t.Content.rect()); !drawn.Empty() {
		w.Content = drawn
	}
	return w
}

// rectInfo is x, y, width and height.
type rectInfo [4]float64

func (r rectInfo) rect() desktop.Rect {
	round := func(v float64) int { return int(math.Round(v)) }
	x, y := round(r[0]), round(r[1])
	return desktop.Rect{X: x, Y: y, W: round(r[0]+r[2]) - x, H: round(r[1]+r[3]) - y}
}

// placements find, each in its way, that of a compositor with a process ID and its socket in a
// folder. They fail with desktop.ErrNotFound if the compositor is another one, and with a
// desktop.MissingError if it does not tell its windows.
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

// busOf connects to the session bus, if a name there belongs to a process, or to one started by
// that, and returns the unique name of the owner. The pid 0 is any process.
func busOf(ctx context.Context, folder, name string, pid int) (bus *dbus.Conn, owner string, err error) {
	bus, err = dbus.Connect(cmp.Or(os.Getenv("DBUS_SESSION_BUS_ADDRESS"), "unix:path="+filepath.Join(folder, "bus")))
	if err != nil {
		return nil, "", desktop.ErrNotFound //nolint:nilerror // without a bus nobody is on it
	}
	var process uint32
	err = bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetNameOwner", 0, name).Store(&owner)
	if err == nil {
		err = bus.BusObject().CallWithContext(ctx, "org.freedesktop.DBus.GetConnectionUnixProcessID", 0, owner).Store(&process)
	}
	if err != nil || pid != 0 && int(process) != pid && parentOf(int(process)) != pid { // or it is of another session
		bus.Close()
		return nil, "", desktop.ErrNotFound
	}
	return bus, owner, nil
}

// bounded returns the context of a call on the bus that no context of a caller bounds.
func bounded() (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(context.Background(), settle, fmt.Errorf("the session bus: %w", desktop.ErrUnresponsive))
}

// parentOf returns the parent of a process, or 0 if that is not known.
func parentOf(pid int) (parent int) {
	if stat := desktop.ProcessStat(pid); stat != nil {
		parent, _ = strconv.Atoi(stat[1])
	}
	return parent
}

// listen calls hear for the signals of a connection to the bus, one at a time, until that is
// closed.
func listen(bus *dbus.Conn, listening *sync.WaitGroup, hear func(*dbus.Signal)) {
	signals := make(chan *dbus.Signal, 64)
	bus.Signal(signals)
	listening.Go(func() {
		for s := range signals {
			hear(s)
		}
	})
}

// newSignal returns a channel and a function that closes it, once.
func newSignal() (done <-chan struct{}, fire func()) {
	c := make(chan struct{})
	return c, sync.OnceFunc(func() { close(c) })
}

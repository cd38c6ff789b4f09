//go:build linux

package wayland

import (
	"context"
	"errors"

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
	// foreign says whether a window is that of a program of X.
	foreign(ctx context.Context, id desktop.WindowID) (bool, error)
	// close gives up what it keeps with the compositor.
	close()
}

// A picker is a placement that tells which window a press at a point reaches, whatever
// lies there that is no window of the list; 0 is none.
type picker interface {
	pressedAt(ctx context.Context, at desktop.Point) (desktop.WindowID, error)
}

// An equipper is a placement whose compositor does by other ways what it announces no
// protocol for: it gives the parts of a driver what they lack.
type equipper interface {
	equip(d *Driver, seat wire.Seat)
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

//go:build linux

package wayland

import (
	"context"

	"understudy/steps/desktop"
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
	// pointers is how many devices move the pointer, ours included.
	pointers(ctx context.Context) (int, error)
	// foreign says whether a window is that of a program of X.
	foreign(ctx context.Context, id desktop.WindowID) (bool, error)
	// close gives up what it keeps with the compositor.
	close()
}

// placements find, each in its way, that of a compositor which is a process and has
// its socket in a folder.
var placements = []func(ctx context.Context, pid int, folder string) (placement, error){findSway}

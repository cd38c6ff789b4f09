//go:build !linux && !darwin

package robot

import (
	"context"
	"runtime"

	"understudy/internal/desktop"
)

// Driver is a connection to a display; here there is none.
type Driver struct{}

// Open fails: this system is not supported.
func Open(context.Context, Options) (*Driver, error) {
	return nil, &desktop.MissingError{What: "desktops on " + runtime.GOOS + " are not supported"}
}

func (r *Driver) Desktop() *desktop.Desktop {
	return desktop.Missing(&desktop.MissingError{What: "desktops on " + runtime.GOOS + " are not supported"})
}

func (r *Driver) Extensions(context.Context) (map[string]bool, error) { return nil, nil }

func (r *Driver) Close() error { return nil }

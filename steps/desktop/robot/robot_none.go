//go:build !linux && !windows && !darwin

package robot

import (
	"context"
	"runtime"

	"understudy/steps/desktop"
)

// Robot is a connection to a display; here there is none.
type Robot struct{}

// Open fails: this system is not supported.
func Open(context.Context, Options) (*Robot, error) {
	return nil, &desktop.MissingError{What: "desktops on " + runtime.GOOS + " are not supported"}
}

// Desktop has no parts.
func (r *Robot) Desktop() *desktop.Desktop {
	return desktop.Missing(&desktop.MissingError{What: "desktops on " + runtime.GOOS + " are not supported"})
}

// Extensions is empty: only X has them.
func (r *Robot) Extensions(context.Context) (map[string]bool, error) { return nil, nil }

// Close has nothing to close.
func (r *Robot) Close() error { return nil }

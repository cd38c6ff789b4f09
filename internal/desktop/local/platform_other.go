//go:build !linux && !windows

package local

import (
	"context"
	"os"
	"runtime"

	"understudy/internal/desktop"
	"understudy/internal/desktop/robot"
)

func openDriver(ctx context.Context, a address) (driver, error) {
	return robot.Open(ctx, robot.Options{Env: a.env})
}

func openWayland(context.Context, desktop.Options, string) (*session, error) {
	return nil, &desktop.MissingError{What: "there is no Wayland on " + runtime.GOOS}
}

func (*session) connectAccessibility(context.Context, *desktop.Desktop) (accessibility, error) {
	return nil, &desktop.MissingError{What: "elements cannot be read on " + runtime.GOOS + " yet, only on Linux"}
}

// newStderr returns nil: the standard error of programs is not kept on this system.
func newStderr() *os.File { return nil }

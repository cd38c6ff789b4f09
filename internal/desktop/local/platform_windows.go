package local

import (
	"context"
	"os"

	"understudy/internal/desktop"
	"understudy/internal/desktop/win32"
)

func openDriver(_ context.Context, a address) (driver, error) {
	return win32.Open(win32.Options{Env: a.env})
}

func openWayland(context.Context, desktop.Options, string) (*session, error) {
	return nil, &desktop.MissingError{What: "there is no Wayland on Windows"}
}

func (*session) connectAccessibility(context.Context, *desktop.Desktop) (accessibility, error) {
	return nil, &desktop.MissingError{What: "elements cannot be read on Windows yet, only on Linux"}
}

// newStderr returns nil: the standard error of programs is not kept on this system.
func newStderr() *os.File { return nil }

package local

import (
	"context"
	"os"

	"understudy/internal/desktop"
	"understudy/internal/desktop/uia"
	"understudy/internal/desktop/win32"
)

func openDriver(_ context.Context, a address) (driver, error) {
	return win32.Open(win32.Options{Env: a.env})
}

func openWayland(context.Context, desktop.Options, string) (*session, error) {
	return nil, &desktop.MissingError{What: "there is no Wayland on Windows"}
}

func (*session) connectAccessibility(_ context.Context, d *desktop.Desktop) (accessibility, error) {
	return uia.Connect(uia.Options{
		Windows: d.WindowLister.Windows,
		Activate: func(ctx context.Context, id desktop.WindowID) error {
			return d.Do(ctx, desktop.Manage{Window: id, Do: desktop.Activate})
		},
	}), nil
}

// newStderr returns nil: the standard error of programs is not kept on this system.
func newStderr() *os.File { return nil }

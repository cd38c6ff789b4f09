package local

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"understudy/internal/desktop"
	"understudy/internal/desktop/atspi"
	"understudy/internal/desktop/wayland"
	"understudy/internal/desktop/x11"
)

func openDriver(ctx context.Context, a address) (driver, error) {
	if a.wayland {
		return wayland.Open(ctx, wayland.Options{Display: a.display, Env: a.env})
	}
	return x11.Open(ctx, x11.Options{Display: a.display, Authority: a.authority, Dir: a.dir, Env: a.env})
}

// openWayland opens a session of Wayland.
func openWayland(ctx context.Context, o desktop.Options, name string) (*session, error) {
	env := []string{"QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1", "XDG_SESSION_TYPE=wayland"}
	frames := func(ctx context.Context) (wayland.FrameLister, error) {
		return atspi.Connect(ctx, atspi.Options{Bus: os.Getenv("DBUS_SESSION_BUS_ADDRESS"), Placeless: true})
	}
	d, err := wayland.Open(ctx, wayland.Options{Display: name, Env: env, Portal: wayland.Portal{
		Frames: frames, Only: o.Display == desktop.Portal, Token: filepath.Join(o.Dir, "portal-token"), Asks: o.Asks, Look: o.Look,
	}})
	if err != nil {
		return nil, err
	}
	i, err := d.Info(ctx)
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	s := onSeat(d, i.Env, o.Dir)
	s.wayland = true
	if o.Look {
		s.consent = d.Consent()
	}
	return s, nil
}

func (s *session) connectAccessibility(ctx context.Context, d *desktop.Desktop) (accessibility, error) {
	if s.bus == "" {
		return nil, &desktop.MissingError{What: "there is no session bus, so elements cannot be read", Mend: "apt-get install dbus-daemon at-spi2-core"}
	}
	c, err := atspi.Connect(ctx, atspi.Options{
		Bus: s.bus, Windows: d.WindowLister.Windows, ScreenReader: s.virtual, Placeless: s.wayland,
		Activate: func(ctx context.Context, id desktop.WindowID) error {
			return d.Do(ctx, desktop.Manage{Window: id, Do: desktop.Activate})
		},
	})
	if err != nil {
		return nil, errors.Join(&desktop.MissingError{What: "the accessibility bus does not answer", Mend: "apt-get install at-spi2-core"}, err)
	}
	return c, nil
}

// stderrSize bounds what a program may write to its standard error; then writing
// fails. Only written pages take memory.
const stderrSize = 16 << 20

// newStderr returns memory of a fixed size for the standard error of a program that
// may outlive us: a pipe would break, and a file would grow. It returns nil if there
// is none.
func newStderr() *os.File {
	fd, err := unix.MemfdCreate("stderr", unix.MFD_CLOEXEC|unix.MFD_ALLOW_SEALING)
	if err != nil {
		return nil
	}
	f := os.NewFile(uintptr(fd), "stderr")
	if err = f.Truncate(stderrSize); err == nil {
		_, err = unix.FcntlInt(f.Fd(), unix.F_ADD_SEALS, unix.F_SEAL_GROW|unix.F_SEAL_SHRINK)
	}
	if err != nil {
		_ = f.Close()
		return nil
	}
	return f
}

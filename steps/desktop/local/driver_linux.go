package local

import (
	"context"

	"understudy/steps/desktop"
	"understudy/steps/desktop/wayland"
	"understudy/steps/desktop/x11"
)

func openDriver(ctx context.Context, a address) (driver, error) {
	if a.wayland {
		return wayland.Open(ctx, wayland.Options{Display: a.display, Env: a.env})
	}
	return x11.Open(ctx, x11.Options{Display: a.display, Authority: a.authority, Dir: a.dir, Env: a.env})
}

// openWayland opens a session of Wayland.
func openWayland(ctx context.Context, _ desktop.Options, name string) (*session, error) {
	env := []string{"QT_LINUX_ACCESSIBILITY_ALWAYS_ON=1", "XDG_SESSION_TYPE=wayland"}
	d, err := wayland.Open(ctx, wayland.Options{Display: name, Env: env})
	if err != nil {
		return nil, err
	}
	i, err := d.Info(ctx)
	if err != nil {
		d.Close()
		return nil, err
	}
	s := onSeat(d, i.Env)
	s.wayland = true
	return s, nil
}

package engine

import (
	"context"

	"understudy/steps"
	"understudy/steps/desktop"
)

// desktopEnv returns the environment that programs started by a step need to reach
// the desktop of the run. If the run uses a desktop, it is opened first, because
// otherwise the programs would appear on another. Empty if no run has used a desktop,
// or if it is lost.
func (x *runDesktop) desktopEnv(ctx context.Context) []string {
	d := x.lastOpened(ctx)
	if d == nil && touches(x.program, steps.Act, steps.Look) {
		var err error
		if d, err = x.openDesktop(ctx); err != nil {
			x.e.log().WarnContext(ctx, "the program is started without the desktop, which cannot be opened", "run", x.id, "error", err)
			return nil
		}
		x.opened(d)
	}
	if d == nil {
		return nil
	}
	info, err := d.Info(ctx)
	if err != nil {
		return nil
	}
	return info.Env
}

// opened remembers the desktop used last by runs that chose none, for each client if
// each has its own.
func (x *runDesktop) opened(d *desktop.Desktop) {
	if x.s.Created.Desktop == (DesktopChoice{}) {
		x.e.opened.Store(x.openedKey(), d)
	}
}

// openedKey returns under which key the desktop used last is remembered.
func (x *runDesktop) openedKey() string {
	if x.e.apart() {
		return x.s.Created.Client
	}
	return ""
}

// lastOpened returns the desktop used last by runs that chose none, if this run chose
// none either; nil: there is none.
func (x *runDesktop) lastOpened(ctx context.Context) *desktop.Desktop {
	if x.s.Created.Desktop != (DesktopChoice{}) || x.on.Load() != nil {
		return nil
	}
	v, _ := x.e.opened.Load(x.openedKey())
	if d, ok := v.(*desktop.Desktop); ok && d.Ping(ctx) == nil { // its display number may belong to another desktop by now
		return d
	}
	return nil
}

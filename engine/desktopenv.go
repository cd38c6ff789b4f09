package engine

import (
	"context"

	"understudy/steps"
	"understudy/steps/desktop"
)

// desktopEnv is what the programs that a step starts need to reach the desktop
// that the steps of the run use: it is opened for them when the run uses one,
// or else they would come up on another. Nothing when no run has used one, or
// when it is lost.
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

// opened notes which desktop was used last by runs that chose none, of the same
// client where each has its own.
func (x *runDesktop) opened(d *desktop.Desktop) {
	if x.s.Created.Desktop == (DesktopChoice{}) {
		x.e.opened.Store(x.openedKey(), d)
	}
}

// openedKey tells apart whose use of a desktop counts.
func (x *runDesktop) openedKey() string {
	if x.e.apart() {
		return x.s.Created.Client
	}
	return ""
}

// lastOpened returns the desktop that runs which chose none used last, for such a
// run; nil: there is none.
func (x *runDesktop) lastOpened(ctx context.Context) *desktop.Desktop {
	if x.s.Created.Desktop != (DesktopChoice{}) || x.on.Load() != nil {
		return nil
	}
	v, _ := x.e.opened.Load(x.openedKey())
	if d, ok := v.(*desktop.Desktop); ok && d.Ping(ctx) == nil { // its display may be another's by now
		return d
	}
	return nil
}

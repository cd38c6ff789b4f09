//go:build linux

package x11

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

func (s screen) Monitors(ctx context.Context) ([]desktop.Monitor, error) {
	return query(ctx, s.Driver, (*xConn).monitors)
}

// monitors returns the monitors, the primary one first.
func (l *properties) monitors() (ms []desktop.Monitor, err error) {
	scale, r := l.scale(), &randr.GetMonitorsReply{}
	if l.has["RANDR"] {
		if r, err = randr.GetMonitors(l.x, l.root, true).Reply(); err != nil {
			return nil, err
		}
	}
	for _, m := range r.Monitors {
		name, err := xproto.GetAtomName(l.x, m.Name).Reply()
		if err != nil {
			return nil, err
		}
		one := desktop.Monitor{
			Name:    name.Name,
			Bounds:  desktop.Rect{X: int(m.X), Y: int(m.Y), W: int(m.Width), H: int(m.Height)},
			Primary: m.Primary,
			Scale:   scale,
		}
		i := len(ms)
		if m.Primary {
			i = 0
		}
		ms = slices.Insert(ms, i, one)
	}
	if len(ms) > 0 {
		return ms, nil
	}
	screen, err := l.size()
	return []desktop.Monitor{{Name: "screen", Bounds: screen, Primary: true, Scale: scale}}, err
}

// scale returns how much larger than usual applications draw, by the resource that desktops
// set for that.
func (l *properties) scale() float64 {
	resources, _ := l.text(l.root, xproto.AtomResourceManager)
	for line := range strings.Lines(resources) {
		var dpi float64
		if n, _ := fmt.Sscanf(line, "Xft.dpi:%f", &dpi); n == 1 && dpi > 0 {
			return dpi / 96
		}
	}
	return 1
}

func (d *Driver) Info(ctx context.Context) (desktop.Info, error) {
	ms, err := screen{d}.Monitors(ctx)
	if err != nil {
		return desktop.Info{}, err
	}
	manager, err := query(ctx, d, (*xConn).managerName)
	return desktop.Info{System: "linux", Display: d.options.Display, Manager: manager, Monitors: ms, Env: d.options.Env}, err
}

// Extensions reports for each extension that is used whether the X server has it.
func (d *Driver) Extensions(ctx context.Context) (map[string]bool, error) {
	l, err := d.live(ctx)
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	for _, name := range extensionNames {
		found[name] = l.has[name]
	}
	return found, nil
}

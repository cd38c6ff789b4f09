//go:build linux

package x11

import (
	"context"
	"fmt"
	"strings"

	"github.com/jezek/xgb/randr"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

func (s screen) Monitors(ctx context.Context) ([]desktop.Monitor, error) {
	return look(ctx, s.Driver, func(l *xConn) ([]desktop.Monitor, error) { return ask(ctx, l, l.monitors) })
}

func (l *xConn) monitors() ([]desktop.Monitor, error) {
	scale := l.scale()
	if !l.has["RANDR"] {
		return l.wholeScreen(scale)
	}
	r, err := randr.GetMonitors(l.x, l.root, true).Reply()
	if err != nil {
		return nil, err
	}
	var ms []desktop.Monitor
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
		if m.Primary {
			ms = append([]desktop.Monitor{one}, ms...)
		} else {
			ms = append(ms, one)
		}
	}
	if len(ms) == 0 {
		return l.wholeScreen(scale)
	}
	return ms, nil
}

func (l *xConn) wholeScreen(scale float64) ([]desktop.Monitor, error) {
	screen, err := l.size()
	return []desktop.Monitor{{Name: "screen", Bounds: screen, Primary: true, Scale: scale}}, err
}

// scale is how much larger than usual applications draw, by the resource that
// desktops set for it.
func (l *xConn) scale() float64 {
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
	manager, err := look(ctx, d, func(l *xConn) (string, error) {
		return ask(ctx, l, func() (string, error) { _, name := l.manager(); return name, nil })
	})
	return desktop.Info{System: "linux", Display: d.options.Display, Manager: manager, Monitors: ms, Env: d.options.Env}, err
}

// Extensions says which extensions of the X server are there, among those
// that we use.
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

package fake

import (
	"context"
	"fmt"
	"strings"

	"understudy/internal/desktop"
)

// Install adds an application for Launch, which calls window for each start.
func (d *Desktop) Install(app string, window func() *Node) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.apps[app] = window
}

// launch opens the window of an installed application; arguments in the command
// line are ignored.
func (d *Desktop) launch(a desktop.Launch) error {
	name, _, _ := strings.Cut(a.App, " ")
	if a.Vet != nil {
		if err := a.Vet(desktop.LaunchTarget{Args: strings.Fields(a.App)}); err != nil {
			return err
		}
	}
	window := d.apps[name]
	if window == nil {
		return fmt.Errorf("%w: no application %q", desktop.ErrNotFound, name)
	}
	w := window()
	d.open(w)
	if a.Started != nil {
		*a.Started = desktop.App{PID: d.pids[w.el.Process], Command: strings.TrimSpace(a.App + " " + a.File)}
	}
	return nil
}

func (d *Desktop) ReadClipboard(ctx context.Context) (string, error) {
	return get(ctx, d, "ReadClipboard", func() (string, error) { return d.clipboard, nil })
}

func (d *Desktop) SaveFocus(ctx context.Context) (desktop.FocusState, error) {
	return get(ctx, d, "SaveFocus", func() (desktop.FocusState, error) {
		f := desktop.FocusState{Caret: -1, Pointer: d.input.pointer}
		if d.active != nil {
			f.Window = d.active.el.Window
		}
		if n := d.focused; n != nil {
			f.Element = n.el.Handle
			if n.has(desktop.Editable) {
				f.Caret, f.Selection, f.Length, f.Begin = n.caret, n.chosen, len(n.text), string(n.text)
			}
		}
		return f, nil
	})
}

// restoreFocus restores pointer, window, focus and caret, as far as they are still
// there.
func (d *Desktop) restoreFocus(f desktop.FocusState) error {
	d.input.point(f.Pointer)
	w := d.windowOf(f.Window)
	if w == nil {
		return desktop.ErrNotFound
	}
	d.activate(w)
	n := d.node(f.Element)
	if n == nil {
		return nil
	}
	d.focus(n)
	if f.Caret >= 0 && f.Begin == string(n.text) {
		n.moveTo(f.Caret)
		n.chosen = f.Selection
	}
	return nil
}

func (d *Desktop) Info(ctx context.Context) (desktop.Info, error) {
	return get(ctx, d, "Info", func() (desktop.Info, error) {
		return desktop.Info{System: "fake", Display: "fake", Virtual: true, Manager: "fake", Monitors: d.monitors()}, nil
	})
}

// Ping does nothing; plan a failure to lose the display.
func (d *Desktop) Ping(ctx context.Context) error {
	return d.do(ctx, "Ping", func() error { return nil })
}

func (d *Desktop) ReleaseAll(ctx context.Context) error {
	return d.do(ctx, "ReleaseAll", func() error {
		for _, k := range d.input.keys {
			d.note("key up %s", k)
			d.hear("key %q up", k)
		}
		for _, b := range d.input.buttons {
			d.note("button up %s", b)
			d.input.letGo(b)
		}
		d.input.keys, d.input.buttons = nil, nil
		return nil
	})
}

// Close stops the timers. The desktop can still be looked at.
func (d *Desktop) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.count("Close")
	for _, t := range d.timers {
		t.Stop()
	}
	return nil
}

// Machine is a computer whose desktop is a fake. The zero Machine opens an
// empty one.
type Machine struct {
	Fake     *Desktop          // what Open opens
	Err      error             // what Open fails with instead
	Findings []desktop.Finding // what Diagnose finds; without any, that all is well
}

func (m *Machine) Open(ctx context.Context, o desktop.Options) (*desktop.Desktop, error) {
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if m.Err != nil {
		return nil, m.Err
	}
	d := m.Fake
	if d == nil {
		d = New()
	}
	if o.Screen != (desktop.Size{}) {
		d.Resize(o.Screen)
	}
	return d.Desktop(), nil
}

func (m *Machine) Diagnose(context.Context, desktop.Options) []desktop.Finding {
	if m.Findings == nil {
		return []desktop.Finding{{Name: "display", OK: true, Detail: "a desktop in memory", Needed: true}}
	}
	return m.Findings
}

var _ desktop.Machine = (*Machine)(nil)

package operations

import (
	"context"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/steps/observe"
)

// MachineDesktops keeps the desktops of a folder, in processes of this machine.
type MachineDesktops struct {
	Machine desktop.Machine
	Dir     string
	Seat    bool // include the display of the person at the machine
}

var _ Desktops = MachineDesktops{}

func (m MachineDesktops) Start(ctx context.Context, o virtual.Options) (virtual.Kept, error) {
	o.Dir = m.Dir
	return virtual.Keep(ctx, o)
}

// List returns the desktops. The seat is the first, if there is one.
func (m MachineDesktops) List() []virtual.Kept {
	all := virtual.List(m.Dir)
	if k, ok := m.seat(); ok {
		all = slices.Insert(all, 0, k)
	}
	return all
}

// seatTimeout is how long the display of the person may take to respond.
const seatTimeout = 2 * time.Second

// seat describes the display of the person at the machine, if there is one.
func (m MachineDesktops) seat() (k virtual.Kept, ok bool) {
	if !m.Seat {
		return k, false
	}
	ctx, cancel := context.WithTimeout(context.Background(), seatTimeout)
	defer cancel()
	d, err := m.Machine.Open(ctx, desktop.Options{Display: desktop.Seat, Look: true})
	if err != nil {
		return k, false
	}
	defer d.Close()
	i, err := d.Info(ctx)
	if err != nil {
		return k, false
	}
	k = virtual.Kept{Name: desktop.Seat, Display: i.Display, Env: i.Env, Programs: []string{}}
	for _, monitor := range i.Monitors {
		k.Screen.W, k.Screen.H = max(k.Screen.W, monitor.Bounds.X+monitor.Bounds.W), max(k.Screen.H, monitor.Bounds.Y+monitor.Bounds.H)
	}
	windows, _ := d.Windows(ctx) // it is listed without programs if that fails
	for _, w := range windows {
		if w.Process != "" && !slices.Contains(k.Programs, w.Process) {
			k.Programs = append(k.Programs, w.Process)
		}
	}
	return k, true
}

// optionsOf returns the options that open a desktop.
func optionsOf(k virtual.Kept) desktop.Options {
	if k.IsSeat() {
		return desktop.Options{Display: desktop.Seat}
	}
	return desktop.Options{Display: "virtual", Name: k.Name, Birth: k.Birth, Dir: filepath.Dir(k.Dir)}
}

// Picture takes a picture of the whole screen, with password fields blacked out.
func (m MachineDesktops) Picture(ctx context.Context, k virtual.Kept) (image.Image, error) {
	d, err := m.Machine.Open(ctx, optionsOf(k))
	if err != nil {
		return nil, err
	}
	defer d.Close()
	p, err := d.Capture(ctx, desktop.Rect{})
	if err != nil {
		return nil, err
	}
	var fields observe.Passwords
	return observe.Blank(p, desktop.Point{}, fields.Find(ctx, d)), nil
}

func (m MachineDesktops) Run(ctx context.Context, k virtual.Kept, p virtual.Program) (pid int, err error) {
	if k.IsSeat() {
		d, err := m.Machine.Open(ctx, optionsOf(k))
		if err != nil {
			return 0, err
		}
		defer d.Close()
		var app desktop.App
		err = d.Do(ctx, desktop.Launch{App: commandLine(p.Args), Started: &app})
		return app.PID, err
	}
	at, err := virtual.Attach(k)
	if err != nil {
		return 0, err
	}
	defer at.Close()
	pid, _, err = at.Start(p, nil)
	return pid, err
}

// commandLine quotes arguments so that they can be split into the same ones again.
func commandLine(args []string) string {
	var quoted []string
	for _, a := range args {
		quoted = append(quoted, "'"+strings.ReplaceAll(a, "'", `'\''`)+"'")
	}
	return strings.Join(quoted, " ")
}

func (MachineDesktops) End(k virtual.Kept, why string) error { return virtual.End(k, why) }

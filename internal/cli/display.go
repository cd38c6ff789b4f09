package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/internal/rundesktops"
)

// screenFlags choose the desktop of a command.
type screenFlags struct {
	Display string `flag:"display" usage:"the desktop: auto, seat (yours), portal (yours, after you agree in a dialog), virtual, virtual:NAME (one that lasts), or a display such as :0"`
	Screen  string `flag:"screen" usage:"the size of a virtual screen (default 1920x1080)"`
	Layout  string `flag:"layout" usage:"the layout of a virtual keyboard, such as de"`
}

// displayFlags choose the desktop of a run, and what happens to it afterwards.
type displayFlags struct {
	screenFlags
	Keep   time.Duration `flag:"keep-desktop" usage:"how long to keep the virtual desktop of a run that did not succeed; 0: not at all"`
	Kept   int           `flag:"keep-desktops" usage:"how many such desktops to keep; the oldest is closed first"`
	KeptMB int           `flag:"keep-megabytes" usage:"how much memory such desktops may use together; the oldest is closed first"`
}

// anyDisplay is for commands that need no desktop.
var anyDisplay = defaultDisplay()

func defaultDisplay() displayFlags {
	return displayFlags{screenFlags: screenFlags{Display: "auto"}, Keep: 24 * time.Hour, Kept: 8, KeptMB: 4096}
}

// keeps returns how long, and how many, desktops of runs are kept.
func (f *displayFlags) keeps() rundesktops.Config {
	return rundesktops.Config{Keep: f.Keep, Bounds: rundesktops.Bounds{Count: f.Kept, Memory: int64(f.KeptMB) << 20}}
}

func (f *screenFlags) options(cmd *cobra.Command) (desktop.Options, error) {
	o := desktop.Options{Display: f.Display, Layout: f.Layout}
	if name, ok := strings.CutPrefix(f.Display, "virtual:"); ok {
		if err := virtual.CheckName(name); err != nil {
			return o, usage(cmd, "--display: %w", err)
		}
	}
	if f.Screen == "" {
		return o, nil
	}
	var err error
	if o.Screen, err = desktop.ParseSize(f.Screen); err != nil {
		return o, usage(cmd, "--screen: %w", err)
	}
	return o, nil
}

// openDisplay opens the desktop that the flags name, outside of any run.
func (a *app) openDisplay(ctx context.Context, cmd *cobra.Command, f *screenFlags) (*desktop.Desktop, error) {
	o, err := f.options(cmd)
	if err != nil {
		return nil, err
	}
	home, err := a.folder()
	if err != nil {
		return nil, err
	}
	o.Dir = desktopsFolder(home)
	o.Asks = func(text string) { fmt.Fprintln(a.errOut, text) }
	d, err := a.machine.Open(ctx, o)
	if err != nil {
		return nil, notReady(err)
	}
	return d, nil
}

// choice returns the desktop that a run asks for. A run gets a virtual desktop, or
// the user's, beside that of the owner of the data folder, which is then asked
// for no particular one.
func (f *displayFlags) choice(cmd *cobra.Command) (engine.DesktopChoice, error) {
	o, err := f.options(cmd)
	if err != nil || !isVirtual(f.Display) && f.Display != desktop.Seat {
		return engine.DesktopChoice{}, err
	}
	return engine.DesktopChoice{Display: o.Display, Screen: o.Screen, Layout: o.Layout, Keep: f.Keep}, nil
}

func isVirtual(display string) bool {
	return display == "virtual" || strings.HasPrefix(display, "virtual:")
}

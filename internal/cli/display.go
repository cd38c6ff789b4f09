package cli

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual"
)

type displayFlags struct {
	display, screen, layout string
	keep                    time.Duration
	bounds                  bounds
	memory                  int // of bounds, in megabytes
}

func (f *displayFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringVar(&f.display, "display", "auto", "auto, seat for yours, portal for yours as you allow it in a dialog, virtual, virtual:NAME for a desktop that lasts, or a display such as :0")
	cmd.Flags().StringVar(&f.screen, "screen", "", "the size of a virtual screen (default 1920x1080)")
	cmd.Flags().StringVar(&f.layout, "layout", "", "the layout of a virtual keyboard, such as de")
	cmd.Flags().DurationVar(&f.keep, "keep-desktop", 24*time.Hour, "how long the virtual desktop of a run is kept that did not succeed; 0 closes it")
	cmd.Flags().IntVar(&f.bounds.count, "keep-desktops", 8, "how many such desktops are kept, the oldest closed first")
	cmd.Flags().IntVar(&f.memory, "keep-megabytes", 4096, "how much memory they may have together, the oldest closed first")
}

func (f *displayFlags) options(cmd *cobra.Command) (desktop.Options, error) {
	o := desktop.Options{Display: f.display, Layout: f.layout}
	f.bounds.memory = int64(f.memory) << 20
	if name, ok := strings.CutPrefix(f.display, "virtual:"); ok {
		if err := virtual.CheckName(name); err != nil {
			return o, usage(cmd, "--display: %w", err)
		}
	}
	if f.screen == "" {
		return o, nil
	}
	size, err := desktop.ParseSize(f.screen)
	if err != nil {
		return o, usage(cmd, "--screen: %w", err)
	}
	o.Screen = size
	return o, nil
}

// openDisplay opens the desktop that the flags name, for what is no run.
func (a *app) openDisplay(ctx context.Context, cmd *cobra.Command, f *displayFlags) (*desktop.Desktop, error) {
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

// choice is what a run is told of its desktop: a virtual one, or yours, it has
// beside that of whoever owns the data folder, which is then asked for none in
// particular.
func (f *displayFlags) choice(cmd *cobra.Command) (engine.DesktopChoice, error) {
	o, err := f.options(cmd)
	if err != nil || !isVirtual(f.display) && f.display != desktop.Seat {
		return engine.DesktopChoice{}, err
	}
	return engine.DesktopChoice{Display: o.Display, Screen: o.Screen, Layout: o.Layout, Keep: f.keep}, nil
}

func isVirtual(display string) bool {
	return display == "virtual" || strings.HasPrefix(display, "virtual:")
}

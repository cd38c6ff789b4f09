package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/store"
	"understudy/workflows/expression"
)

// homeVariable names the data folder for every command.
const homeVariable = "UNDERSTUDY_HOME"

// folder is the data folder: the flag, the variable, or the user's own.
func (a *app) folder() (string, error) {
	if a.home != "" {
		return filepath.Abs(a.home)
	}
	if dir := os.Getenv(homeVariable); dir != "" {
		return filepath.Abs(dir)
	}
	if dir := os.Getenv("XDG_DATA_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "understudy"), nil
	}
	dir, err := os.UserHomeDir()
	if err != nil {
		return "", &steps.Error{Code: steps.Unavailable, Err: err, Next: "name the data folder with --home or " + homeVariable}
	}
	return filepath.Join(dir, ".local", "share", "understudy"), nil
}

// runs gives the runs of the data folder, and a function that lets go of them.
func (a *app) runs(cmd *cobra.Command, d *displayFlags) (engine.Runs, func(), error) {
	o, err := d.options(cmd)
	if err != nil {
		return nil, nil, err
	}
	dir, err := a.folder()
	if err != nil {
		return nil, nil, err
	}
	l, err := a.local(dir, o)
	if err != nil {
		return nil, nil, err
	}
	return l, func() { l.close(a) }, nil
}

// local is the engine of this process over its data folder.
type local struct {
	*engine.Engine
	store *store.Store
	desk  *desk
}

func (a *app) local(dir string, o desktop.Options) (*local, error) {
	log := a.log()
	st, err := store.Open(dir, store.Options{Log: log})
	if err != nil {
		return nil, notReady(err)
	}
	if o.Dir == "" {
		o.Dir = filepath.Join(dir, "display")
	}
	d := &desk{machine: a.machine, options: o}
	e := &engine.Engine{
		Store: st, Files: st, Keeper: st, Kinds: a.kinds, Desk: d, Lease: engine.NewLease(1), Log: log,
		Pictures: &engine.Camera{Files: st},
		Probe: func(d engine.Desk, dir string, roots []string) expression.Probe {
			return steps.Probe{Open: d.Open, Dir: dir, Roots: roots}
		},
	}
	return &local{e, st, d}, nil
}

// notReady gives the errors of the store that have no code the one that says
// that the machine is not ready.
func notReady(err error) error {
	if _, ok := errors.AsType[*steps.Error](err); ok {
		return err
	}
	return &steps.Error{Code: steps.Unavailable, Err: err}
}

// shutdownTime is how long the runs have to end when the program leaves.
const shutdownTime = 10 * time.Second

func (l *local) close(a *app) {
	ctx, cancel := context.WithTimeout(context.Background(), shutdownTime)
	defer cancel()
	for _, err := range []error{l.Shutdown(ctx), l.desk.close(), l.store.Close()} {
		if err != nil {
			fmt.Fprintf(a.errOut, "understudy: leaving: %v\n", err)
		}
	}
}

// desk opens the desktop when it is first needed.
type desk struct {
	machine desktop.Machine
	options desktop.Options

	mu   sync.Mutex
	open *desktop.Desktop
}

// Open gives the desktop, and connects again to one that was lost.
func (d *desk) Open(ctx context.Context) (*desktop.Desktop, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != nil {
		if d.open.Ping(ctx) == nil {
			return d.open, nil
		}
		_ = d.open.Close()
		d.open = nil
	}
	opened, err := d.machine.Open(ctx, d.options)
	if err != nil {
		return nil, err
	}
	d.open = opened
	return opened, nil
}

// Drop closes a desktop whose state is not known any more.
func (d *desk) Drop(x *desktop.Desktop) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open != nil && d.open.Session == x.Session {
		_ = d.open.Close()
		d.open = nil
	}
}

func (d *desk) close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.open == nil {
		return nil
	}
	err := errors.Join(d.open.ReleaseAll(context.Background()), d.open.Close())
	d.open = nil
	return err
}

// log is the program's log: warnings and worse, on the error output.
func (a *app) log() *slog.Logger {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(a.errOut, &slog.HandlerOptions{Level: level}))
}

package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/owner"
	"understudy/internal/telemetry"
	"understudy/mcpserver/access"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/desktop"
	"understudy/steps/observe"
	"understudy/store"
	"understudy/workflows/expression"
)

const homeVariable = "UNDERSTUDY_HOME"

// folder is the data folder: the flag, the variable, or the user's own.
func (a *app) folder() (string, error) {
	if a.home != "" {
		return filepath.Abs(a.home)
	}
	if dir := os.Getenv(homeVariable); dir != "" {
		return filepath.Abs(dir)
	}
	dir, err := desktop.DataHome()
	if err != nil {
		return "", &steps.Error{Code: steps.Unavailable, Err: err, Next: "name the data folder with --home or " + homeVariable}
	}
	return filepath.Join(dir, "understudy"), nil
}

// runs gives the runs of the data folder, and a function that lets go of them.
// When another process has the folder, they are reached through it; else they
// are in the engine of this one. A server says what is different about its own.
func (a *app) runs(cmd *cobra.Command, d *displayFlags, adjust ...func(*membership)) (engine.Runs, func(), error) {
	if a.fleet.url != "" {
		return a.fleetRuns(cmd, nil)
	}
	o, err := d.options(cmd)
	if err != nil {
		return nil, nil, err
	}
	dir, err := a.folder()
	if err != nil {
		return nil, nil, err
	}
	here, err := os.Getwd()
	if err != nil {
		return nil, nil, err
	}
	var own *engine.Engine
	var as membership
	for _, f := range adjust {
		f(&as)
	}
	hello := o.Display
	if as.anyDisplay {
		hello = ""
	}
	m, err := owner.Join(cmd.Context(), owner.Options{
		Dir: dir, Log: a.log(), Drives: drives(o), Patience: leaveTime / 2,
		Open: func(context.Context) (l owner.Local, err error) {
			l, err = a.open(dir, o, lasting{
				bounds: d.bounds, keep: d.keep, shared: as.shared, desktops: as.desktops, ready: as.ready, usersHome: as.usersHome,
			})
			if own = l.Engine; err == nil && as.tune != nil {
				as.tune(own)
			}
			return l, err
		},
		Allow: as.allow,
		Gone: func(c owner.Client, runs []string) {
			for _, id := range runs {
				own.Disconnected(id, c.KeepRunning)
			}
		},
		Hello: owner.Hello{
			Display: hello, Authority: os.Getenv("XAUTHORITY"), Bus: os.Getenv("DBUS_SESSION_BUS_ADDRESS"),
			Dir: here, Environ: os.Environ(), Client: "command line",
			Rights: as.rights, KeepRunning: as.keepRunning,
		},
	})
	if err != nil {
		return nil, nil, notReady(err)
	}
	return m, func() { a.leave(cmd.Context(), m) }, nil
}

type membership struct {
	tune        func(*engine.Engine) // of this process, if it is to own the folder
	rights      *access.Rights       // of its clients, if another process owns the folder
	allow       owner.Allow          // says the same of each step
	keepRunning bool                 // their runs go on when it goes away
	anyDisplay  bool                 // its runs say which desktop they want
	shared      bool                 // its runs have one virtual desktop, not one each
	desktops    int                  // its clients have so many, each of its own; 0: see shared
	ready       int                  // of those, started before they are needed
	usersHome   bool                 // with the home folder of the user
}

// drives is the display that the options come to.
func drives(o desktop.Options) string {
	if o.Display != "" && o.Display != "auto" {
		return o.Display
	}
	return cmp.Or(os.Getenv("DISPLAY"), "virtual")
}

// leaveTime is how long the runs of other processes are given to come to the end of a
// step and to go on there, and hurriedTime when this one was told to end.
const leaveTime, hurriedTime = time.Minute, 10 * time.Second

func (a *app) leave(of context.Context, m *owner.Member) {
	limit := leaveTime
	if of.Err() != nil {
		limit = hurriedTime
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	stop := context.AfterFunc(of, func() { time.AfterFunc(hurriedTime, cancel) })
	defer stop()
	if err := m.Leave(ctx); err != nil {
		fmt.Fprintf(a.errOut, "understudy: leaving: %v\n", err)
	}
}

// recordedPictures is the folder of the pictures of recordings that the server
// made, which no run may change.
func recordedPictures(home string) string {
	return filepath.Join(savedWorkflows(home), store.PicturesName)
}

func savedWorkflows(home string) string { return filepath.Join(home, "workflows") }

func (a *app) open(dir string, o desktop.Options, lasting lasting) (owner.Local, error) {
	log := a.log()
	st, err := store.Open(dir, store.Options{Log: log, Wait: 100 * time.Millisecond, Workflows: savedWorkflows(dir)})
	if err != nil {
		return owner.Local{}, err
	}
	e, leave := a.engineOver(st, st, dir, o, lasting)
	return owner.Local{Engine: e, Close: func(ctx context.Context) error { return errors.Join(leave(ctx), st.Close()) }}, nil
}

// fullStore keeps what is large too.
type fullStore interface {
	engine.Store
	engine.Files
}

// engineOver is the engine that executes runs of a store on desktops whose data
// is in a folder, and what lets go of them.
func (a *app) engineOver(st fullStore, keeper engine.Keeper, dir string, o desktop.Options, lasting lasting) (*engine.Engine, func(context.Context) error) {
	log := a.log()
	o.Dir = cmp.Or(o.Dir, desktopsFolder(dir))
	d, passwords := newDesk(a.machine, o, lasting, log), &observe.Passwords{}
	e := &engine.Engine{
		Store: st, Files: st, Keeper: keeper, Kinds: a.kinds, Desk: d.Of(engine.DesktopRequest{}), Desktops: d, Lease: engine.NewLease(1), Log: log,
		Pictures: &engine.Camera{Files: st, Passwords: passwords}, Passwords: passwords, Private: []string{dir}, PictureRoots: []string{savedWorkflows(dir)},
		Probe: func(open func(context.Context) (*desktop.Desktop, error), dir string, roots []string) expression.Probe {
			return aim.Probe{Open: open, Dir: dir, Roots: roots}
		},
	}
	e.Watch = watchPerson(a.opens(o.Dir))
	t := a.observer()
	e.Observe = t.Observe
	d.endNeedless(context.Background(), e)
	return e, func(ctx context.Context) error {
		defer a.sendRest(ctx, t)
		return errors.Join(d.leaveShared(ctx, e), d.close())
	}
}

// notReady gives the errors of the store that have no code the one that says
// that the machine is not ready.
func notReady(err error) error {
	if _, ok := errors.AsType[*steps.Error](err); ok {
		return err
	}
	return &steps.Error{Code: steps.Unavailable, Err: err}
}

func (a *app) log() *slog.Logger {
	level := slog.LevelWarn
	if a.verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(a.errOut, &slog.HandlerOptions{Level: level}))
}

// observer is what observes the engine of this process.
func (a *app) observer() *telemetry.Telemetry {
	if a.telemetry == nil {
		a.telemetry = telemetry.New(context.Background(), thisVersion().Version, a.log())
	}
	return a.telemetry
}

// sendTime is how long the end of a process waits for a receiver of telemetry.
const sendTime = 3 * time.Second

// sendRest sends what was not sent yet. That it cannot be is no failure of a command.
func (a *app) sendRest(ctx context.Context, t *telemetry.Telemetry) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	if err := t.Close(ctx); err != nil {
		a.log().Warn("telemetry was not sent", "error", err)
	}
}

package cli

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/notify"
	"understudy/internal/rundesktops"
	"understudy/internal/service"
	"understudy/internal/telemetry"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
	"understudy/store"
	"understudy/workflows/expression"
)

// withRuns calls do with the runs of the data folder or of the fleet.
func (a *app) withRuns(cmd *cobra.Command, d *displayFlags, do func(engine.Runs) error, adjust ...func(*service.Hello)) error {
	runs, leave, err := a.runs(cmd, d, adjust...)
	if err != nil {
		return err
	}
	defer leave()
	return do(runs)
}

// withRun calls do with the run that a person names, on its desktop.
func (a *app) withRun(cmd *cobra.Command, d *displayFlags, name string, do func(ctx context.Context, runs engine.Runs, id string) error) error {
	return a.withRuns(cmd, d, func(runs engine.Runs) error {
		id, err := findRun(cmd.Context(), runs, name)
		if err != nil {
			return err
		}
		return do(cmd.Context(), runs, id)
	})
}

// findRun returns the id of the run whose id begins with a text; "last" is the newest.
func findRun(ctx context.Context, runs engine.Runs, text string) (string, error) {
	if len(text) == 26 {
		return text, nil
	}
	all, err := runs.List(ctx, engine.Query{Calls: true, Limit: 10_000})
	if err != nil {
		return "", err
	}
	if text == "last" && len(all) > 0 {
		return all[0].ID, nil
	}
	var found []string
	for _, h := range all {
		if len(text) >= 4 && strings.HasPrefix(h.ID, text) {
			found = append(found, h.ID)
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return "", &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("there is no run %q", text), Next: "`understudy runs ls` lists them; last is the newest"}
	}
	return "", &steps.Error{Code: steps.Invalid, Err: fmt.Errorf("%q begins the ids of %d runs", text, len(found)), Next: "write more of the id"}
}

// findRuns returns the ids of all runs that a person names.
func findRuns(ctx context.Context, runs engine.Runs, names []string) ([]string, error) {
	ids := make([]string, len(names))
	for i, name := range names {
		var err error
		if ids[i], err = findRun(ctx, runs, name); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// runs returns the runs of the data folder, and a function that releases them. They are
// reached through the service of the folder, which is started if there is none; without a
// service, they are in the engine of this process.
func (a *app) runs(cmd *cobra.Command, d *displayFlags, adjust ...func(*service.Hello)) (engine.Runs, func(), error) {
	if a.Fleet != "" {
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
	if service.Off() {
		return a.ownRuns(cmd.Context(), dir, o, d.keeps())
	}
	h, s := service.Hello{Client: engine.CommandLine, Display: o.Display}, setupFor(*d)
	for _, f := range adjust {
		f(&h)
	}
	if h.Display != "" && d != &anyDisplay {
		h.Setup = s.String()
	}
	c, err := a.connect(cmd.Context(), dir, h, s)
	if err != nil {
		return nil, nil, err
	}
	return c, func() { a.leave(cmd.Context(), c.Leave) }, nil
}

// ownRuns opens the data folder in this process.
func (a *app) ownRuns(ctx context.Context, dir string, o desktop.Options, c rundesktops.Config) (*engine.Engine, func(), error) {
	e, end, err := a.open(dir, o, c)
	if errors.Is(err, engine.ErrLocked) {
		err = steps.Errorf(steps.Unavailable, "another process has the data folder %s", dir).
			WithNext("wait for it, work through it without " + service.Variable + "=off, or end it with `understudy service stop`")
	}
	if err != nil {
		return nil, nil, notReady(err)
	}
	return e, func() {
		a.leave(ctx, func(ctx context.Context) error { return errors.Join(e.Shutdown(ctx), end(ctx)) })
	}, nil
}

// drives returns the display that the options select.
func drives(o desktop.Options) string {
	if o.Display != "" && o.Display != "auto" {
		return o.Display
	}
	return cmp.Or(os.Getenv("DISPLAY"), "virtual")
}

// leaveTime bounds the wait for what is under way when a process leaves a data folder;
// hurriedTime does once this process was told to end.
const leaveTime, hurriedTime = time.Minute, 10 * time.Second

func (a *app) leave(of context.Context, end func(context.Context) error) {
	limit := leaveTime
	if of.Err() != nil {
		limit = hurriedTime
	}
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	stop := context.AfterFunc(of, func() { time.AfterFunc(hurriedTime, cancel) })
	defer stop()
	if err := end(ctx); err != nil {
		fmt.Fprintf(a.errOut, "understudy: leaving: %v\n", err)
	}
}

// recordedPictures returns the folder of the pictures that recordings of the server
// took, which no run may change.
func recordedPictures(home string) string {
	return filepath.Join(savedWorkflows(home), store.PicturesName)
}

// writtenRecordings returns the folder of the events of recordings of the server.
func writtenRecordings(home string) string { return filepath.Join(home, "recordings") }

func savedWorkflows(home string) string { return filepath.Join(home, "workflows") }

// open opens the data folder in this process. The function that it returns closes the desktop
// and the store, after the runs have ended.
func (a *app) open(dir string, o desktop.Options, c rundesktops.Config) (*engine.Engine, func(context.Context) error, error) {
	st, err := store.Open(dir, store.Options{Log: a.log(), Wait: 100 * time.Millisecond, Workflows: savedWorkflows(dir)})
	if err != nil {
		return nil, nil, err
	}
	e, leave := a.engineOver(st, st, dir, o, c)
	return e, func(ctx context.Context) error { return errors.Join(leave(ctx), st.Close()) }, nil
}

// fullStore keeps events and files.
type fullStore interface {
	engine.Store
	engine.Files
}

// engineOver returns an engine that executes runs of a store on desktops whose data
// is in a folder, and a function that releases the desktops.
func (a *app) engineOver(st fullStore, maintainer engine.Maintainer, dir string, o desktop.Options, c rundesktops.Config) (*engine.Engine, func(context.Context) error) {
	log, t := a.log(), a.observer()
	o.Dir = cmp.Or(o.Dir, desktopsFolder(dir))
	d, passwords, trail := rundesktops.New(a.machine, o, c, log), &observe.Passwords{}, auditTrail(dir)
	var told *notify.Notifier
	e := &engine.Engine{
		Store: st, Files: st, Maintainer: maintainer, Limits: a.limits(dir), Kinds: a.kinds, Desk: d.Of(engine.DesktopRequest{}), Desktops: d, Log: log,
		Pictures: &engine.Camera{Files: st, Passwords: passwords}, Passwords: passwords, Private: []string{dir}, PictureRoots: []string{savedWorkflows(dir)},
		Probe: func(open func(context.Context) (*desktop.Desktop, error), dir string, roots []string) expression.Probe {
			return aim.Probe{Open: open, Dir: dir, Roots: roots}
		},
		Watch: watchPerson(a.opens(o.Dir)), Observe: func(h engine.Header, ev engine.Event, fact any) {
			t.Observe(h, ev, fact)
			keepAct(trail, log, h, ev, fact)
			told.Observe(h, ev)
		},
	}
	told = a.notifier(dir, e)
	d.EndNeedless(context.Background(), e)
	return e, func(ctx context.Context) error {
		defer a.sendRest(ctx, t)
		defer trail.Close()
		defer told.Close()
		return errors.Join(d.LeaveShared(ctx, e), d.Close())
	}
}

// notReady gives an error without a code the code of a machine that is not ready.
func notReady(err error) error {
	if _, ok := errors.AsType[*steps.Error](err); ok {
		return err
	}
	return &steps.Error{Code: steps.Unavailable, Err: err}
}

func (a *app) log() *slog.Logger {
	level := slog.LevelWarn
	if a.Verbose {
		level = slog.LevelInfo
	}
	return slog.New(slog.NewTextHandler(a.errOut, &slog.HandlerOptions{Level: level}))
}

// observer returns the telemetry of the engine of this process.
func (a *app) observer() *telemetry.Telemetry {
	if a.telemetry == nil {
		a.telemetry = telemetry.New(context.Background(), thisVersion().Version, a.log())
	}
	return a.telemetry
}

// sendTime bounds the wait for a telemetry receiver when the process ends.
const sendTime = 3 * time.Second

// sendRest flushes the telemetry. A failure to send it does not fail the command.
func (a *app) sendRest(ctx context.Context, t *telemetry.Telemetry) {
	ctx, cancel := context.WithTimeout(ctx, sendTime)
	defer cancel()
	if err := t.Close(ctx); err != nil {
		a.log().Warn("telemetry was not sent", "error", err)
	}
}

// limitsName is the name of the file in a data folder that limits how many runs with a
// label are executed.
const limitsName = "limits.json"

// limits reads the limits of labels. A mistake in them stops no run.
func (a *app) limits(dir string) engine.Limits {
	var found map[string]labelLimit
	raw, err := os.ReadFile(filepath.Join(dir, limitsName))
	if err == nil {
		err = json.Unmarshal(raw, &found)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		a.log().Error(`labels are not limited; write limits.json as {"sap": 2, "mail": {"at_once": 1, "per_hour": 20}}`, "error", err)
		return nil
	}
	limits := engine.Limits{}
	for label, l := range found {
		limits[label] = &engine.Lease{Places: cmp.Or(l.AtOnce, math.MaxInt), PerHour: l.PerHour}
	}
	return limits
}

// labelLimit is how limits.json limits a label: a number at a time, or an object.
type labelLimit struct {
	AtOnce  int `json:"at_once"`
	PerHour int `json:"per_hour"`
}

func (l *labelLimit) UnmarshalJSON(raw []byte) error {
	type plain labelLimit
	err := json.Unmarshal(raw, &l.AtOnce)
	if err != nil {
		d := json.NewDecoder(bytes.NewReader(raw))
		d.DisallowUnknownFields()
		err = d.Decode((*plain)(l))
	}
	if err == nil && (l.AtOnce < 0 || l.PerHour < 0 || l.AtOnce+l.PerHour == 0) {
		err = fmt.Errorf("wanted numbers from 1, not %s", raw)
	}
	return err
}

package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"understudy/engine"
	"understudy/internal/pool"
	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual"
)

// desk opens the desktops of the runs when they are first needed.
type desk struct {
	machine desktop.Machine
	options desktop.Options // of runs that chose none
	lasting lasting
	log     *slog.Logger

	pool *pool.Pool     // each client has desktops of its own; nil: no pool
	stir chan struct{}  // the pool has changed
	warm sync.WaitGroup // keeps desktops of the pool ready
	over chan struct{}  // closed when it is to end

	mu      sync.Mutex
	open    map[string]*desktop.Desktop // by what they are
	opening map[string]*sync.Mutex      // by what is opened
	acting  map[string]string           // the run that has a desktop to itself, by its name
}

// newDesk gives the runs of a data folder their desktops.
func newDesk(machine desktop.Machine, o desktop.Options, l lasting, log *slog.Logger) *desk {
	d := &desk{
		machine: machine, options: o, lasting: l, log: log, over: make(chan struct{}), stir: make(chan struct{}, 1),
		open: map[string]*desktop.Desktop{}, opening: map[string]*sync.Mutex{}, acting: map[string]string{},
	}
	if l.Desktops > 0 {
		d.startPool()
	}
	return d
}

// lasting says how virtual desktops are made, and how long they are kept.
type lasting struct {
	shared    bool          // runs that chose none have one together
	keep      time.Duration // for those that did not succeed
	worker    string        // of a fleet, whose runs they are
	bounds    bounds
	poolFlags // Desktops 0: there is no pool
}

// bounds are for the desktops that are kept for runs: beyond them, the oldest
// is closed first.
type bounds struct {
	count  int
	memory int64 // in bytes
}

// sharedDesktop is what the virtual desktop of a server is called.
const sharedDesktop = "server"

// madeFor is what the desktop is called that is made for a run.
func madeFor(run string) string { return "run-" + run[max(0, len(run)-8):] }

func (d *desk) Of(r engine.DesktopRequest) engine.Desk {
	if d.pooled(r) {
		return pooledDesk{d, r}
	}
	return deskOf{d, d.optionsFor(r)}
}

// Claim takes the desktop on which a run will act, unless another has it.
func (d *desk) Claim(r engine.DesktopRequest) (release func(), ok bool) {
	if d.pooled(r) {
		return d.pool.Claim(whoOf(r))
	}
	o := d.optionsFor(r)
	name := strings.TrimPrefix(o.Display, "virtual:")
	if name == o.Display && name != desktop.Seat {
		name = o.Name
	}
	if name == "" || name == sharedDesktop { // the places bound these
		return engine.AnyDesktop()
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if by := d.acting[name]; by != "" && by != r.Run {
		return nil, false
	}
	d.acting[name] = r.Run
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.acting, name)
	}, true
}

func (d *desk) Apart() bool { return d.pool != nil }

// deskOf is the desktop of one run.
type deskOf struct {
	*desk
	options desktop.Options
}

// optionsFor say how the desktop of a run is opened.
func (d *desk) optionsFor(r engine.DesktopRequest) desktop.Options {
	o, keep := d.options, d.lasting.keep
	if c := r.Choice; c.Display != "" {
		o.Display, o.Screen, o.Layout, keep = c.Display, c.Screen, c.Layout, c.Keep
	}
	switch {
	case r.On != nil:
		o.Display, o.Name, o.Birth = "virtual", r.On.Name, r.On.Birth
	case strings.HasPrefix(o.Display, "virtual:"): // it has its own name and time
	case d.lasting.shared && r.Choice.Display == "":
		o.Name, o.Linger = sharedDesktop, max(keep, time.Nanosecond)
	case r.Run != "" && !r.Single:
		o.Name, o.Run, o.Owner, o.Worker, o.Linger = madeFor(r.Run), r.Run, r.Owner, d.lasting.worker, max(keep, time.Nanosecond)
	}
	return o
}

// Open gives the desktop, and connects again to one that was lost.
func (d deskOf) Open(ctx context.Context) (*desktop.Desktop, error) {
	keys := keysOf(d.options)
	defer d.alone(keys[0])()
	for _, key := range keys {
		if x := d.cached(ctx, key, d.options.Birth); x != nil {
			return x, nil
		}
	}
	o := d.options
	o.Asks = func(text string) { d.log.WarnContext(ctx, "you are asked on your screen", "what", text) }
	opened, err := d.machine.Open(ctx, o)
	if err != nil {
		return nil, err
	}
	key := keys[0]
	if info, err := opened.Info(ctx); err == nil {
		if info.Name != "" {
			key = keys[len(keys)-1] // nobody else's
		}
		if info.Instead != "" {
			d.log.WarnContext(ctx, "a virtual display is used instead of yours", "because", info.Instead)
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.open[key] = opened
	return opened, nil
}

// alone waits until nobody else opens what has a key.
func (d *desk) alone(key string) (done func()) {
	d.mu.Lock()
	m := d.opening[key]
	if m == nil {
		m = &sync.Mutex{}
		d.opening[key] = m
	}
	d.mu.Unlock()
	m.Lock()
	return m.Unlock
}

// cached is the open desktop with a key, if it answers and, where a certain one
// is meant, was born so.
func (d *desk) cached(ctx context.Context, key, birth string) *desktop.Desktop {
	d.mu.Lock()
	x := d.open[key]
	d.mu.Unlock()
	if x == nil {
		return nil
	}
	if x.Ping(ctx) != nil {
		d.disconnect(key)
		return nil
	}
	if info, err := x.Info(ctx); birth != "" && (err != nil || info.Birth != birth) {
		return nil
	}
	return x
}

// disconnect closes the open desktop with a key, which stays if it lasts.
func (d *desk) disconnect(key string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if x := d.open[key]; x != nil {
		_ = errors.Join(x.ReleaseAll(context.Background()), x.Close())
		delete(d.open, key)
	}
}

// keysOf are those by which a desktop is known that is opened with options: one
// that was asked for by its display is everybody's, a virtual one has a name.
func keysOf(o desktop.Options) []string {
	named := "virtual:" + o.Name
	switch {
	case o.Display == "virtual" && o.Name != "":
		return []string{named}
	case o.Display == "" || o.Display == "auto":
		return []string{"auto", named}
	}
	return []string{o.Display}
}

func (d *desk) Drop(x *desktop.Desktop) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, open := range d.open {
		if open.Session == x.Session {
			_ = open.Close()
			delete(d.open, key)
		}
	}
}

// Release gives up what is open for a run. The desktop that was made for it is
// closed when the run succeeded, and else kept for a time, within the bounds.
func (d *desk) Release(r engine.DesktopRequest, succeeded bool) {
	if d.pooled(r) {
		d.releasePooled(r, succeeded)
		return
	}
	if r.On == nil || r.On.Name != madeFor(r.Run) {
		return
	}
	d.disconnect("virtual:" + r.On.Name)
	var err error
	if succeeded {
		err = d.endKept(*r.On, "its run succeeded")
	} else {
		err = d.keepWithin(d.lasting.bounds)
	}
	if err != nil {
		d.log.Warn("a desktop could not be closed", "run", r.Run, "desktop", r.On.Name, "error", err)
	}
}

func (d *desk) endKept(on desktop.Info, why string) error {
	k, err := virtual.Find(d.options.Dir, on.Name)
	if err != nil || k.Birth != on.Birth {
		return nil //nolint:nilerr // it has ended already
	}
	return virtual.End(k, why)
}

// endNeedless closes the desktops that were made for runs which do not need them
// any more: whoever executed such a run was killed before it could. No run is
// under way yet. Those of a worker of a fleet are its own: here nobody knows their runs.
func (d *desk) endNeedless(ctx context.Context, e *engine.Engine) {
	if found, _ := filepath.Glob(filepath.Join(d.options.Dir, "*")); len(found) == 0 {
		return // most commands never see a desktop
	}
	for _, k := range virtual.List(d.options.Dir) {
		h, err := e.Get(ctx, k.Run)
		if k.Run == "" || k.Worker != d.lasting.worker || k.Users > 0 || !errors.Is(err, engine.ErrNoRun) && h.Status != engine.Succeeded {
			continue
		}
		if err := virtual.End(k, "its run had ended"); err != nil {
			d.log.Warn("a desktop could not be closed", "run", k.Run, "desktop", k.Name, "error", err)
		}
	}
}

// keepWithin closes the oldest of the desktops that are kept for runs.
func (d *desk) keepWithin(b bounds) error {
	var made []virtual.Kept
	var memory int64
	for _, k := range virtual.List(d.options.Dir) {
		if k.Run != "" {
			made = append(made, k)
			memory += k.Memory
		}
	}
	for left := len(made); len(made) > 0 && (b.count > 0 && left > b.count || b.memory > 0 && memory > b.memory); made = made[1:] {
		oldest := made[0]
		if oldest.Users > 0 {
			continue
		}
		why := fmt.Sprintf("more than %d desktops, or more than %d MB, were kept for runs", b.count, b.memory>>20)
		if err := virtual.End(oldest, why); err != nil {
			return err
		}
		if d.pool != nil {
			d.pool.Ended(oldest.Name)
		}
		left, memory = left-1, memory-oldest.Memory
	}
	return nil
}

// sharedLinger is how long the desktop of a server stays when that ends and no
// run needs it: long enough for the next server to take its place.
const sharedLinger = time.Minute

// unfinished are the states of runs that may go on.
var unfinished = []engine.Status{engine.Running, engine.Queued, engine.Waiting, engine.Paused, engine.Failed, engine.Cancelled, engine.Interrupted}

// leaveShared says how long the desktop stays that the runs had together: as
// those that may still go on need it.
func (d *desk) leaveShared(ctx context.Context, e *engine.Engine) error {
	k, err := virtual.Find(d.options.Dir, sharedDesktop)
	if err != nil || !d.lasting.shared {
		return nil //nolint:nilerr // there is none
	}
	runs, err := e.List(ctx, engine.Query{Status: unfinished})
	if err != nil {
		return err
	}
	linger := sharedLinger
	for _, h := range runs {
		if h.Desktop != nil && h.Desktop.Birth == k.Birth && h.Call == "" {
			linger = max(d.lasting.keep, time.Millisecond)
		}
	}
	return virtual.SetLinger(k, linger)
}

func (d *desk) close() error {
	close(d.over)
	d.warm.Wait()
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, x := range d.open {
		errs = append(errs, x.ReleaseAll(context.Background()), x.Close())
	}
	clear(d.open)
	return errors.Join(errs...)
}

// Package rundesktops opens the desktops on which the runs of a data folder or of a worker
// act: the user's, virtual ones that are made for a run or shared, and those of a pool
// in which each belongs to one client. It decides when a virtual desktop is ended and
// how long it is kept.
//
// How a desktop is opened and kept alive is left to the drivers.
package rundesktops

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
	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
)

// Desktops opens the desktops of runs when they are first needed. It is the
// engine.Desktops of an engine.
type Desktops struct {
	machine desktop.Machine
	options desktop.Options // of runs that chose none
	config  Config
	log     *slog.Logger

	pool *pool          // desktops that each belong to one client; nil: no pool
	stir chan struct{}  // signals that the pool has changed
	warm sync.WaitGroup // the goroutine that keeps desktops of the pool ready
	stop context.CancelFunc

	mu      sync.Mutex
	open    map[string]*desktop.Desktop // by key, see keysOf
	opening map[string]*sync.Mutex      // by key; held while the desktop is opened
	acting  map[string]string           // the run that acts on a desktop, by the desktop's name
}

// New returns the desktops of an engine. Options are those of runs that chose no
// desktop; their Dir is the folder of the virtual desktops.
func New(machine desktop.Machine, o desktop.Options, c Config, log *slog.Logger) *Desktops {
	d := &Desktops{
		machine: machine, options: o, config: c, log: log, stop: func() {}, stir: make(chan struct{}, 1),
		open: map[string]*desktop.Desktop{}, opening: map[string]*sync.Mutex{}, acting: map[string]string{},
	}
	if c.Desktops > 0 {
		d.startPool()
	}
	return d
}

// Config declares how virtual desktops are made, and how long they are kept.
type Config struct {
	Shared bool          // runs that chose no desktop share one
	Keep   time.Duration // of the desktops of runs that did not succeed
	Worker string        // the worker of a fleet that executes the runs
	Bounds Bounds

	Desktops  int      // the size of the pool; 0: there is none
	Ready     int      // desktops of the pool that are started before they are needed
	UsersHome bool     // programs on the pool's desktops have the user's home folder and /tmp
	Roots     []string // the folders of the clients, which these programs see in any case
}

// Bounds limit the desktops that are kept for runs: the oldest is closed first.
type Bounds struct {
	Count  int
	Memory int64 // in bytes
}

// sharedDesktop is the name of the virtual desktop of a server.
const sharedDesktop = "server"

// madeFor returns the name of the desktop that is made for a run.
func madeFor(run string) string { return "run-" + run[max(0, len(run)-8):] }

func (d *Desktops) Of(r engine.DesktopRequest) engine.Desk {
	if d.pooled(r) {
		return pooledDesk{d, r}
	}
	return deskOf{d, d.optionsFor(r)}
}

// Claim reserves the desktop on which a run will act, unless another run has it.
func (d *Desktops) Claim(r engine.DesktopRequest) (release func(), ok bool) {
	if d.pooled(r) {
		return d.pool.claim(r)
	}
	o := d.optionsFor(r)
	name := strings.TrimPrefix(o.Display, "virtual:")
	if name == o.Display && name != desktop.Seat {
		name = o.Name
	}
	switch {
	case name == "" || name == sharedDesktop: // only the lease limits these
		return engine.AnyDesktop()
	case d.pool != nil && d.pool.has(name): // its client named it
		r.On = &desktop.Info{Name: name}
		return d.pool.claim(r)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	before := d.acting[name]
	if before != "" && before != r.Run {
		return nil, false
	}
	d.acting[name] = r.Run
	return func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		if d.acting[name] = before; before == "" {
			delete(d.acting, name)
		}
	}, true
}

func (d *Desktops) Pooled() bool { return d.pool != nil }

// deskOf opens the desktop of one run.
type deskOf struct {
	*Desktops
	options desktop.Options
}

// optionsFor returns the options to open the desktop of a run with.
func (d *Desktops) optionsFor(r engine.DesktopRequest) desktop.Options {
	o, keep := d.options, d.config.Keep
	if c := r.Choice; c.Display != "" {
		o.Display, o.Screen, o.Layout, o.Owner, keep = c.Display, c.Screen, c.Layout, r.Owner, c.Keep
	}
	switch {
	case r.On != nil:
		o.Display, o.Name, o.Birth = "virtual", r.On.Name, r.On.Birth
	case strings.HasPrefix(o.Display, "virtual:"): // named by the user, with a lifetime of its own
	case d.config.Shared && r.Choice.Display == "":
		o.Name, o.Linger = sharedDesktop, max(keep, time.Nanosecond)
	case r.Run != "" && !r.Single:
		o.Name, o.Run, o.Owner, o.Worker, o.Linger = madeFor(r.Run), r.Run, r.Owner, d.config.Worker, max(keep, time.Nanosecond)
	}
	return o
}

// Open returns the desktop, and reconnects if the connection was lost.
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
			key = keys[len(keys)-1] // of this desktop only
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

// alone waits until no other goroutine opens the desktop with a key.
func (d *Desktops) alone(key string) (done func()) {
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

// cached returns the open desktop with a key, if it answers and has the given birth;
// an empty birth stands for any.
func (d *Desktops) cached(ctx context.Context, key, birth string) *desktop.Desktop {
	d.mu.Lock()
	x := d.open[key]
	d.mu.Unlock()
	if x == nil {
		return nil
	}
	if x.Ping(ctx) != nil {
		if ctx.Err() == nil { // else it may answer others
			d.disconnect(key)
		}
		return nil
	}
	if info, err := x.Info(ctx); birth != "" && (err != nil || info.Birth != birth) {
		return nil
	}
	return x
}

// disconnect closes the connection to a desktop; a lasting desktop goes on. One that does
// not answer must not hold up the others meanwhile.
func (d *Desktops) disconnect(key string) {
	d.mu.Lock()
	x := d.open[key]
	delete(d.open, key)
	d.mu.Unlock()
	if x != nil {
		_ = errors.Join(x.ReleaseAll(context.Background()), x.Close())
	}
}

// keysOf returns the keys of a desktop that is opened with options: a display is
// shared by all who ask for it, a virtual desktop has a name.
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

func (d *Desktops) Drop(x *desktop.Desktop) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for key, open := range d.open {
		if open.Session == x.Session {
			_ = open.Close()
			delete(d.open, key)
		}
	}
}

// Release closes what is open for a run. The desktop that was made for it is ended if
// the run succeeded, and kept for a time, within the bounds, otherwise.
func (d *Desktops) Release(r engine.DesktopRequest, succeeded bool) {
	if d.pooled(r) {
		d.releasePooled(r, succeeded)
		return
	}
	if r.On == nil || r.On.Name != madeFor(r.Run) {
		return
	}
	var err error
	if succeeded {
		err = d.end(r.On.Name, r.On.Birth, "its run succeeded")
	} else {
		d.disconnect("virtual:" + r.On.Name)
		err = d.keepWithin(d.config.Bounds)
	}
	if err != nil {
		d.log.Warn("a desktop could not be closed", "run", r.Run, "desktop", r.On.Name, "error", err)
	}
}

// end ends a virtual desktop with everything on it, unless another one has its name
// by now; an empty birth stands for any.
func (d *Desktops) end(name, birth, why string) error {
	d.disconnect("virtual:" + name)
	k, err := virtual.Find(d.options.Dir, name)
	if err != nil || birth != "" && k.Birth != birth {
		return nil //nolint:nilerr // it has ended already
	}
	return virtual.End(k, why)
}

// EndNeedless ends the desktops of runs that no longer need them, because the process
// that executed such a run was killed. It is called before any run starts. Desktops
// of a worker of a fleet are left to that worker, which knows their runs.
func (d *Desktops) EndNeedless(ctx context.Context, e *engine.Engine) {
	if found, _ := filepath.Glob(filepath.Join(d.options.Dir, "*")); len(found) == 0 {
		return // the usual case: most commands need no desktop
	}
	for _, k := range virtual.List(d.options.Dir) {
		h, err := e.Get(ctx, k.Run)
		if k.Run == "" || k.Worker != d.config.Worker || k.Users > 0 || !errors.Is(err, engine.ErrNoRun) && h.Status != engine.Succeeded {
			continue
		}
		if err := virtual.End(k, "its run had ended"); err != nil {
			d.log.Warn("a desktop could not be closed", "run", k.Run, "desktop", k.Name, "error", err)
		}
	}
}

// keepWithin ends the oldest of the desktops that are kept for runs.
func (d *Desktops) keepWithin(b Bounds) error {
	var made []virtual.Kept
	var memory int64
	for _, k := range virtual.List(d.options.Dir) {
		if k.Run != "" {
			made = append(made, k)
			memory += k.Memory
		}
	}
	for left := len(made); len(made) > 0 && (b.Count > 0 && left > b.Count || b.Memory > 0 && memory > b.Memory); made = made[1:] {
		oldest := made[0]
		if oldest.Users > 0 {
			continue
		}
		why := fmt.Sprintf("more than %d desktops, or more than %d MB, were kept for runs", b.Count, b.Memory>>20)
		if err := virtual.End(oldest, why); err != nil {
			return err
		}
		if d.pool != nil {
			d.pool.ended(oldest.Name)
		}
		left, memory = left-1, memory-oldest.Memory
	}
	return nil
}

// sharedLinger is how long the desktop of a server outlives it if no run needs it: long
// enough for the next server to take over.
const sharedLinger = time.Minute

// unfinished are the statuses of runs that may go on.
var unfinished = []engine.Status{engine.Running, engine.Queued, engine.Waiting, engine.Paused, engine.Failed, engine.Cancelled, engine.Interrupted}

// LeaveShared sets how long the shared desktop stays: as long as runs that may go on
// need it.
func (d *Desktops) LeaveShared(ctx context.Context, e *engine.Engine) error {
	k, err := virtual.Find(d.options.Dir, sharedDesktop)
	if err != nil || !d.config.Shared {
		return nil //nolint:nilerr // there is no shared desktop
	}
	runs, err := e.List(ctx, engine.Query{Status: unfinished})
	if err != nil {
		return err
	}
	linger := sharedLinger
	for _, h := range runs {
		if h.Desktop != nil && h.Desktop.Birth == k.Birth && h.Call == "" {
			linger = max(d.config.Keep, time.Millisecond)
		}
	}
	return virtual.SetLinger(k, linger)
}

// Close closes the connections to all desktops; lasting desktops go on.
func (d *Desktops) Close() error {
	d.stop()
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

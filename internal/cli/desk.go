package cli

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"time"

	"understudy/engine"
	"understudy/steps/desktop"
	"understudy/steps/desktop/virtual"
)

// desk opens the desktops of the runs when they are first needed.
type desk struct {
	machine desktop.Machine
	options desktop.Options // of runs that chose none
	lasting lasting
	log     *slog.Logger

	mu   sync.Mutex
	open map[string]*desktop.Desktop // by what they are
}

// lasting says how virtual desktops are made, and how long they are kept.
type lasting struct {
	shared bool          // runs that chose none have one together
	keep   time.Duration // for those that did not succeed
	bounds bounds
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

// Of is the desktop of a run.
func (d *desk) Of(r engine.DesktopRequest) engine.Desk { return deskOf{d, d.optionsFor(r)} }

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
		o.Name, o.Run, o.Linger = madeFor(r.Run), r.Run, max(keep, time.Nanosecond)
	}
	return o
}

// Open gives the desktop, and connects again to one that was lost.
func (d deskOf) Open(ctx context.Context) (*desktop.Desktop, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, key := range keysOf(d.options) {
		if x := d.desk.open[key]; x != nil {
			if x.Ping(ctx) == nil {
				return x, nil
			}
			_ = x.Close()
			delete(d.desk.open, key)
		}
	}
	opened, err := d.machine.Open(ctx, d.options)
	if err != nil {
		return nil, err
	}
	if d.desk.open == nil {
		d.desk.open = map[string]*desktop.Desktop{}
	}
	keys := keysOf(d.options)
	key := keys[0]
	if info, err := opened.Info(ctx); err == nil {
		if info.Name != "" {
			key = keys[len(keys)-1] // nobody else's
		}
		if info.Instead != "" {
			d.log.WarnContext(ctx, "a virtual display is used instead of yours", "because", info.Instead)
		}
	}
	d.desk.open[key] = opened
	return opened, nil
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

// Drop closes a desktop whose state is not known any more.
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
	if r.On == nil || r.On.Name != madeFor(r.Run) {
		return
	}
	d.mu.Lock()
	key := "virtual:" + r.On.Name
	if x := d.open[key]; x != nil {
		_ = errors.Join(x.ReleaseAll(context.Background()), x.Close())
		delete(d.open, key)
	}
	d.mu.Unlock()
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
	d.mu.Lock()
	defer d.mu.Unlock()
	var errs []error
	for _, x := range d.open {
		errs = append(errs, x.ReleaseAll(context.Background()), x.Close())
	}
	d.open = nil
	return errors.Join(errs...)
}

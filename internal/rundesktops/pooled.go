package rundesktops

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/virtual"
	"understudy/steps"
)

// pooled reports whether the desktop of a run is one of the pool.
func (d *Desktops) pooled(r engine.DesktopRequest) bool {
	return d.pool != nil && r.Choice.Display == "" && (r.On == nil || d.pool.has(r.On.Name))
}

// startPool creates the pool, adopts the desktops of an earlier server that still
// exist, and keeps some ready.
func (d *Desktops) startPool() {
	d.pool = newPool(d.config.Desktops)
	d.pool.alive = func(name string) bool {
		_, err := virtual.Find(d.options.Dir, name)
		return err == nil
	}
	for _, k := range virtual.List(d.options.Dir) {
		client := k.Client
		if !d.likeOurs(k) {
			client = "one of a server with other flags"
		}
		d.pool.found(k.Name, client, k.Run)
	}
	ctx, stop := context.WithCancel(context.Background())
	d.stop = stop
	d.warm.Go(func() { d.keepReady(ctx) })
	d.stirPool()
}

// likeOurs reports whether a desktop is as this server would start it.
func (d *Desktops) likeOurs(k virtual.Kept) bool {
	o := d.pooledOptions(k.Name)
	ownHome := slices.ContainsFunc(k.Env, func(v string) bool { return strings.HasPrefix(v, "TMPDIR=") }) // that of an earlier release has a home alone
	return (o.Screen == desktop.Size{} && k.Screen == virtual.DefaultScreen || o.Screen == k.Screen) && o.Layout == k.Layout && o.OwnHome == ownHome
}

func (d *Desktops) pooledOptions(name string) desktop.Options {
	o := d.options
	o.Display, o.Name, o.Linger, o.OwnHome, o.Share = "virtual", name, sharedLinger, !d.config.UsersHome, d.config.Roots
	return o
}

// pooledDesk opens the desktop of the pool for one run.
type pooledDesk struct {
	*Desktops
	r engine.DesktopRequest
}

// Open returns the desktop, which is started or replaced by a clean one as needed.
func (d pooledDesk) Open(ctx context.Context) (*desktop.Desktop, error) {
	if d.r.Run == "" {
		return nil, steps.Errorf(steps.Unavailable, "each client has its own desktop here, and this request belongs to no run").WithNext("use a server without --desktops")
	}
	name, ok := d.pool.of(d.r)
	if !ok {
		return nil, steps.Errorf(steps.Busy, "all %d desktops are in use by runs of others", d.config.Desktops).WithNext("try again later")
	}
	defer d.alone("pool " + name)()
	defer d.stirPool()
	renew, fresh := d.pool.enter(name, d.r)
	if renew != "" {
		if err := d.end(name, "", renew); err != nil {
			return nil, err
		}
	}
	o := d.pooledOptions(name)
	if d.r.On != nil {
		o.Birth = d.r.On.Birth
	}
	x, err := deskOf{d.Desktops, o}.Open(ctx)
	first := d.r.On == nil
	if err == nil && first {
		err = d.assign(name, d.r, !d.r.Single)
	}
	if err != nil && first && (fresh || ctx.Err() == nil) { // else another run may be there, and it answers
		_ = d.end(name, "", "it could not be opened")
		d.pool.ended(name)
	}
	return x, err
}

// assign notes for whom a desktop of the pool is. It fails for that of another client.
func (d *Desktops) assign(name string, r engine.DesktopRequest, run bool) error {
	k, err := virtual.Find(d.options.Dir, name)
	if err != nil {
		return err
	}
	if k.Client != "" && k.Client != r.Client { // its keeper did not answer when it was to be ended
		return steps.Errorf(steps.Busy, "the desktop of another client has not ended yet").WithNext("try again later")
	}
	a := virtual.Assignment{Owner: r.Owner, Client: r.Client, Linger: sharedLinger}
	if k.Run != "" && k.Run != r.Run { // a call on the desktop of a run does not take it over
		return nil
	}
	if run {
		a.Run, a.Linger = r.Run, max(d.config.Keep, time.Nanosecond)
	}
	return virtual.Assign(k, a)
}

// releasePooled releases the desktop of a run that has come to rest. It stays its
// client's until another client needs it, or is kept for a run that did not succeed.
func (d *Desktops) releasePooled(r engine.DesktopRequest, succeeded bool) {
	defer d.stirPool()
	if r.On == nil || !d.exists(r.On) { // its place in the pool may be another client's by now
		r.On = nil
		d.pool.rest(r, false)
		return
	}
	keep := !succeeded && !r.Single
	var err error
	if !keep {
		err = d.assign(r.On.Name, r, false)
	}
	kept, used := d.pool.rest(r, keep && d.config.Keep > 0)
	switch {
	case used:
	case kept: // its time runs while nobody is attached
		d.disconnect("virtual:" + r.On.Name)
		err = errors.Join(err, d.keepWithin(d.config.Bounds))
	case keep:
		err = d.end(r.On.Name, "", "it was not to be kept")
		d.pool.ended(r.On.Name)
	}
	if err != nil {
		d.log.Warn("a desktop of the pool could not be released", "run", r.Run, "desktop", r.On.Name, "error", err)
	}
}

// exists reports whether a desktop is still the one that has its name.
func (d *Desktops) exists(on *desktop.Info) bool {
	k, err := virtual.Find(d.options.Dir, on.Name)
	return err == nil && k.Birth == on.Birth
}

// Forget ends the desktops of a client that is gone. A client without a session may
// come back: the next command is the same client.
func (d *Desktops) Forget(client string) {
	if d.pool == nil || !strings.Contains(client, "#") {
		return
	}
	for _, name := range d.pool.leave(client) {
		d.endUnused(name, "its client is gone", func() []string { return d.pool.leave(client) })
	}
	d.stirPool()
}

// endUnused ends a desktop of the pool if it is still among the unused ones.
func (d *Desktops) endUnused(name, why string, unused func() []string) {
	defer d.alone("pool " + name)()
	if !slices.Contains(unused(), name) {
		return // a run or its client was faster
	}
	if err := d.end(name, "", why); err != nil {
		d.log.Warn("a desktop of the pool could not be ended", "desktop", name, "because", why, "error", err)
		return
	}
	d.pool.ended(name)
}

// stirPool makes keepReady look at the pool.
func (d *Desktops) stirPool() {
	select {
	case d.stir <- struct{}{}:
	default: // it is going to look anyway
	}
}

// keepReady starts desktops before they are needed.
func (d *Desktops) keepReady(ctx context.Context) {
	look := time.NewTimer(0)
	defer look.Stop()
	for {
		select {
		case <-d.stir:
		case <-look.C:
		case <-ctx.Done():
			return
		}
		stale, next := d.pool.stale(d.config.Ready, staleAfter)
		for _, name := range stale {
			d.endUnused(name, "it was made clean for the next client", func() []string {
				stale, _ := d.pool.stale(d.config.Ready, staleAfter)
				return stale
			})
		}
		if !next.IsZero() {
			look.Reset(time.Until(next))
		}
		for _, name := range d.pool.wanted(d.config.Ready) {
			if err := d.makeReady(ctx, name); err != nil && ctx.Err() == nil {
				d.log.Warn("a desktop could not be made ready", "desktop", name, "error", err)
			}
		}
	}
}

// staleAfter is how long a client's desktop stays unused before it is ended to make room
// for one that must be ready.
const staleAfter = 5 * time.Minute

func (d *Desktops) makeReady(ctx context.Context, name string) error {
	defer d.alone("pool " + name)()
	if !slices.Contains(d.pool.wanted(d.config.Desktops), name) {
		return nil // a run was faster
	}
	if _, err := (deskOf{d, d.pooledOptions(name)}).Open(ctx); err != nil {
		return err
	}
	d.pool.found(name, "", "")
	return nil
}

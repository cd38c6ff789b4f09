//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// greetTimeout bounds the wait for an application that the caller did not name.
const greetTimeout = 500 * time.Millisecond

// An application is one program on the accessibility bus.
type application struct {
	object  // the root of its tree
	pid     int
	process string
	aliases []string

	mu           sync.Mutex // guards the fields below
	name         string
	toolkit      string
	minor        int           // of its version
	appConn      dbusConn      // direct; see app_conn.go
	address      string        // of appConn
	closed       bool          // it left the bus
	unresponsive chan struct{} // see unresponsiveUntil
	remembered   remembered

	items      items  // the cache
	itemsCount uint64 // its signal count at that time
	itemsRead  time.Time
	itemsSlow  bool // asking for them took longer than slowItems
}

// applications lists the applications on the bus. The registry, a process of
// its own, replies, so a hung application does not matter here.
func (c *Client) applications(ctx context.Context, l *busConn) ([]*application, error) {
	ctx, cancel := withTimeout(ctx, c.options.Timeout)
	defer cancel()
	listing := c.listings.Add(1)
	body, err := l.call(ctx, everyone, ifaceAccessible+".GetChildren")
	if err != nil {
		return nil, err
	}
	roots := objectsOf(first[any](body))
	pids, err := c.newPIDs(ctx, l, roots)
	if err != nil {
		return nil, err
	}
	return c.keepApplications(listing, roots, pids), nil
}

// newPIDs asks the bus for the process IDs of applications that are not known
// yet.
func (c *Client) newPIDs(ctx context.Context, l *busConn, roots []object) (map[object]int, error) {
	daemon := object{"org.freedesktop.DBus", "/org/freedesktop/DBus"}
	pids := map[object]int{}
	p := newPipeline(ctx, l.dbusConn, c.options.Timeout)
	c.mu.Lock()
	for _, o := range roots {
		if c.apps[o] == nil {
			p.want(daemon, "org.freedesktop.DBus.GetConnectionUnixProcessID", func(body []any) {
				pids[o] = int(first[uint32](body))
			}, o.bus)
		}
	}
	c.mu.Unlock()
	return pids, p.run()
}

// keepApplications stores a listing and drops applications that left the bus. A
// listing that was requested before the one stored last drops nobody.
func (c *Client) keepApplications(listing int64, roots []object, pids map[object]int) []*application {
	c.mu.Lock()
	defer c.mu.Unlock()
	list := make([]*application, 0, len(roots))
	for _, o := range roots {
		a := c.apps[o]
		if a == nil {
			pid, ok := pids[o]
			if !ok {
				continue // it left between the two calls
			}
			a = &application{object: o, pid: pid, process: desktop.ProcessName(pid), aliases: desktop.ProcessAliases(pid)}
			c.apps[o] = a
		}
		list = append(list, a)
	}
	if listing < c.listed {
		return list
	}
	c.listed = listing
	running := map[string]bool{}
	for o, a := range c.apps {
		if slices.Contains(list, a) {
			running[o.bus] = true
			continue
		}
		a.closeConn()
		delete(c.apps, o)
	}
	c.signals.retain(running)
	return list
}

// application returns the application that owns a bus name.
func (c *Client) application(ctx context.Context, l *busConn, bus string) (*application, error) {
	c.mu.Lock()
	for o, a := range c.apps {
		if o.bus == bus {
			c.mu.Unlock()
			return a, nil
		}
	}
	c.mu.Unlock()
	list, err := c.applications(ctx, l)
	if err != nil {
		return nil, err
	}
	for _, a := range list {
		if a.bus == bus {
			return a, nil
		}
	}
	return nil, desktop.ErrNotFound
}

// ofProcess returns the applications of a process. The bus is listed again only
// if none is known.
func (c *Client) ofProcess(ctx context.Context, l *busConn, pid int) ([]*application, error) {
	other := func(a *application) bool { return a.pid != pid }
	c.mu.Lock()
	known := slices.DeleteFunc(slices.Collect(maps.Values(c.apps)), other)
	c.mu.Unlock()
	if len(known) > 0 {
		return known, nil
	}
	all, err := c.applications(ctx, l)
	return slices.DeleteFunc(all, other), err
}

// greet asks an application for its name, the cheapest ping. The reply comes
// from the thread that also sends the signals, so every signal sent before it
// has arrived too.
//
// An application that did not reply is not called again before it has, so a
// hung one costs its timeout once, and no calls pile up for it.
func (a *application) greet(ctx context.Context, l *busConn, timeout time.Duration, asked bool) error {
	if silent := a.unresponsiveUntil(); silent != nil {
		if !asked {
			timeout = 0
		}
		if !received(ctx, silent, timeout) {
			return a.unresponsiveError(ctx)
		}
	}
	call := l.Object(a.bus, a.path).Go(ifaceProperties+".Get", 0, make(chan *dbus.Call, 1), ifaceAccessible, "Name")
	if !received(ctx, call.Done, timeout) {
		a.markUnresponsive(call)
		return a.unresponsiveError(ctx)
	}
	if err := translateError(call.Err); err != nil && !errors.Is(err, desktop.ErrRefused) {
		return err
	}
	return a.learnToolkit(ctx, l, as[string](variant(call.Body)), timeout)
}

func (a *application) unresponsiveError(ctx context.Context) error {
	return namingProgram(a.process, errors.Join(context.Cause(ctx), desktop.ErrUnresponsive))
}

// received waits for a channel, and reports whether it was ready in time.
func received[T any](ctx context.Context, answer <-chan T, timeout time.Duration) bool {
	select {
	case <-answer:
		return true
	default:
	}
	timer := time.NewTimer(timeout)
	defer timer.Stop()
	select {
	case <-answer:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return false
}

// unresponsiveUntil returns a channel that is closed when the application
// replies again; nil while it is responsive.
func (a *application) unresponsiveUntil() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.unresponsive
}

// markUnresponsive records that an application has not replied, until it does.
// The call also ends when the application or the bus dies.
func (a *application) markUnresponsive(call *dbus.Call) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.unresponsive != nil {
		return
	}
	silent := make(chan struct{})
	a.unresponsive = silent
	go func() {
		<-call.Done
		a.mu.Lock()
		a.unresponsive = nil
		a.mu.Unlock()
		close(silent)
	}()
}

// learnToolkit stores the name of an application, and asks for its toolkit
// once.
func (a *application) learnToolkit(ctx context.Context, l *busConn, name string, timeout time.Duration) error {
	a.mu.Lock()
	a.name = name
	known := a.toolkit != ""
	a.mu.Unlock()
	if known {
		return nil
	}
	var toolkit, version, address string // empty while the application is still starting
	p := newPipeline(ctx, l.dbusConn, timeout)
	p.program = a.process
	p.get(a.object, ifaceApplication, "ToolkitName", func(v any) { toolkit = as[string](v) })
	p.get(a.object, ifaceApplication, "Version", func(v any) { version = as[string](v) })
	p.want(a.object, ifaceApplication+".GetApplicationBusAddress", func(b []any) { address = first[string](b) })
	err := p.run()
	if strings.EqualFold(toolkit, "gtk") {
		toolkit = "gtk" + strings.SplitN(version, ".", 2)[0]
	}
	var major, minor int
	_, _ = fmt.Sscanf(version, "%d.%d", &major, &minor)
	a.mu.Lock()
	a.minor = minor
	a.toolkit, a.address = toolkit, address
	a.mu.Unlock()
	return err
}

// toolkitName returns the application's toolkit, with the major version for GTK
// ("gtk3").
func (a *application) toolkitName() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.toolkit
}

// relative reports whether the application's boxes are relative to its window,
// and only its windows have the state SHOWING.
func (a *application) relative() bool { return a.toolkitName() == "gtk4" }

// signalsChanges reports whether the application signals every change of names,
// roles, states and children, so that its items can be cached; cacheFor covers
// the exception.
func (a *application) signalsChanges() bool { return a.toolkitName() == "gtk3" }

// allAliases are what people call the application, going also by one of its windows.
func (a *application) allAliases(w desktop.Window) []string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return slices.Concat(a.aliases, w.Aliases, []string{a.name})
}

// called reports whether a name means this application.
func (a *application) called(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return desktop.IsCalled(name, a.pid, a.process, append(a.aliases, a.name))
}

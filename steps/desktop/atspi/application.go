//go:build linux

package atspi

import (
	"context"
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/steps/desktop"
)

// greetTimeout is how long an application may take to say that it is there, when
// nobody asked for it in particular.
const greetTimeout = 500 * time.Millisecond

// An application is one program on the accessibility bus.
type application struct {
	object  // the root of its tree
	pid     int
	process string

	mu      sync.Mutex // guards what follows
	name    string
	toolkit string
	appConn    dbusConn          // straight to it; see app_conn.go
	address string        // of the peer
	closed    bool          // it is not on the bus any more
	unresponsive  chan struct{} // see silence
	providesItems    bool          // it tells of itself in items
	remembered   remembered

	items     items  // what it last told of itself
	itemsCount   uint64 // the count of its events then
	itemsRead time.Time
}

// applications lists who is on the bus. The registry answers, which is a
// program of its own, so an application that has stopped does not matter here.
func (c *Client) applications(ctx context.Context, l *busConn) ([]*application, error) {
	ctx, cancel := withTimeout(ctx, c.options.Timeout)
	defer cancel()
	turn := c.listings.Add(1)
	body, err := l.call(ctx, everyone, ifaceAccessible+".GetChildren")
	if err != nil {
		return nil, err
	}
	roots := objectsOf(first[any](body))
	pids, err := c.newPIDs(ctx, l, roots)
	if err != nil {
		return nil, err
	}
	return c.keepApplications(turn, roots, pids), nil
}

// newPIDs asks the bus for the processes of applications not met before.
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

// keepApplications takes a list of who is on the bus, and forgets who is not.
// A list that was asked for before the one taken last knows less, and makes
// nobody forgotten.
func (c *Client) keepApplications(turn int64, roots []object, pids map[object]int) []*application {
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
			a = &application{object: o, pid: pid, process: processName(pid)}
			c.apps[o] = a
		}
		list = append(list, a)
	}
	if turn < c.listed {
		return list
	}
	c.listed = turn
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

// application is the one that owns a bus name.
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

// ofProcess are the applications of a process: those that are known, or else
// those that are new on the bus.
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

// processName is the name of a program by its process.
func processName(pid int) string {
	dir := filepath.Join("/proc", strconv.Itoa(pid))
	if exe, err := os.Readlink(filepath.Join(dir, "exe")); err == nil {
		return filepath.Base(strings.TrimSuffix(exe, " (deleted)"))
	}
	comm, err := os.ReadFile(filepath.Join(dir, "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(comm))
}

// greet asks an application for its name, the smallest sign of life. Its
// answer comes from the thread that also sends the events, so it also says
// that every event before it has arrived.
//
// An application that did not answer is not asked again before it has, so one
// that has stopped costs its patience once, and nothing is heaped up for it.
func (a *application) greet(ctx context.Context, l *busConn, patience time.Duration, asked bool) error {
	if silent := a.unresponsiveUntil(); silent != nil {
		if !asked {
			patience = 0
		}
		if !received(ctx, silent, patience) {
			return a.unresponsiveError(ctx)
		}
	}
	call := l.Object(a.bus, a.path).Go(ifaceProperties+".Get", 0, make(chan *dbus.Call, 1), ifaceAccessible, "Name")
	if !received(ctx, call.Done, patience) {
		a.markUnresponsive(call)
		return a.unresponsiveError(ctx)
	}
	if err := translateError(call.Err); err != nil && !errors.Is(err, desktop.ErrRefused) {
		return err
	}
	return a.learnToolkit(ctx, l, as[string](variant(call.Body)), patience)
}

// unresponsiveError is the error of an application that did not answer.
func (a *application) unresponsiveError(ctx context.Context) error {
	return namingProgram(a.process, errors.Join(context.Cause(ctx), desktop.ErrUnresponsive))
}

// received waits for an answer for a while, and says whether it came.
func received[T any](ctx context.Context, answer <-chan T, patience time.Duration) bool {
	select {
	case <-answer:
		return true
	default:
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	select {
	case <-answer:
		return true
	case <-ctx.Done():
	case <-timer.C:
	}
	return false
}

// unresponsiveUntil is closed when the application answers again; nil while it does.
func (a *application) unresponsiveUntil() <-chan struct{} {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.unresponsive
}

// markUnresponsive remembers that an application did not answer, until it does. The
// connection answers for it when it dies, or when the bus does.
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

// learnToolkit takes the name of an application, and asks for its toolkit once.
func (a *application) learnToolkit(ctx context.Context, l *busConn, name string, patience time.Duration) error {
	a.mu.Lock()
	a.name = name
	known := a.toolkit != ""
	a.mu.Unlock()
	if known {
		return nil
	}
	var toolkit, version, address string // empty while the application is still starting
	p := newPipeline(ctx, l.dbusConn, patience)
	p.program = a.process
	p.get(a.object, ifaceApplication, "ToolkitName", func(v any) { toolkit = as[string](v) })
	p.get(a.object, ifaceApplication, "Version", func(v any) { version = as[string](v) })
	p.want(a.object, ifaceApplication+".GetApplicationBusAddress", func(b []any) { address = first[string](b) })
	err := p.run()
	if strings.EqualFold(toolkit, "gtk") {
		toolkit = "gtk" + strings.SplitN(version, ".", 2)[0]
	}
	a.mu.Lock()
	a.toolkit, a.address = toolkit, address
	a.mu.Unlock()
	return err
}

// toolkitName is the application's toolkit; "gtk" comes with its version.
func (a *application) toolkitName() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.toolkit
}

// hasItems says whether the application tells of itself in items.
func (a *application) hasItems() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.providesItems
}

// relative says whether the application knows its boxes only relative to its
// window, and says SHOWING of its windows only.
func (a *application) relative() bool { return a.toolkitName() == "gtk4" }

// signalsChanges says whether the application's events can be trusted to tell of changes
// of names, roles, states and children; see keepFor for the exception.
func (a *application) signalsChanges() bool { return a.toolkitName() == "gtk3" }

// called says whether someone means this application by a name.
func (a *application) called(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	name = desktop.ProgramName(name)
	return desktop.ProgramName(a.process) == name || desktop.ProgramName(a.name) == name
}

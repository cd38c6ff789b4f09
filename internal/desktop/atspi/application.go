//go:build linux

package atspi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"

	"understudy/internal/desktop"
)

// greetTimeout bounds the wait for an application that the caller did not name.
const greetTimeout = 500 * time.Millisecond

// An application is one program on the accessibility bus.
type application struct {
	object  // the root of its tree
	pid     int
	process string
	aliases []string
	direct  appConn
	cache   itemCache

	// What earlier reads of the application showed. It decides what is worth
	// asking and when, never what the reply is.
	hidden     memo[bool]
	lost       memo[lost]           // see addPaddings
	inPopover  memo[desktop.Point]  // see rememberPopovers
	origins    memo[*desktop.Point] // of frames; see contentOf
	agreements agreements
	pageAsked  atomic.Pointer[time.Time] // when a page was last asked for a hit test

	unresponsive silence
	pageSilent   silence // of the program that draws a page in it

	mu      sync.Mutex // guards the fields below
	name    string
	drawnBy toolkit
	listed  []desktop.Window // by FrameWindows, when it last answered
}

// An appList holds the applications that were on the bus when it was last
// listed.
type appList struct {
	listings atomic.Int64 // numbers the listings of the bus

	mu     sync.Mutex // guards the fields below
	apps   map[object]*application
	listed int64 // the listing that apps is from
}

// find returns the applications that match.
func (l *appList) find(match func(*application) bool) (list []*application) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.apps {
		if match(a) {
			list = append(list, a)
		}
	}
	return list
}

// unknown returns the roots of applications that are not in the list.
func (l *appList) unknown(roots []object) []object {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(roots), func(o object) bool { return l.apps[o] != nil })
}

// keep stores a listing, and drops the applications that left the bus with
// their signals. A listing that was requested before the one stored last drops
// nothing.
func (l *appList) keep(listing int64, roots []object, pids map[object]int, s *signals) []*application {
	l.mu.Lock()
	defer l.mu.Unlock()
	list := make([]*application, 0, len(roots))
	for _, o := range roots {
		a := l.apps[o]
		if a == nil {
			pid, ok := pids[o]
			if !ok {
				continue // it left between the two calls
			}
			a = &application{object: o, pid: pid, process: desktop.ProcessName(pid), aliases: desktop.ProcessAliases(pid)}
			l.apps[o] = a
		}
		list = append(list, a)
	}
	if listing < l.listed {
		return list
	}
	l.listed = listing
	running := map[string]bool{}
	for o, a := range l.apps {
		if slices.Contains(list, a) {
			running[o.bus] = true
			continue
		}
		a.direct.close()
		delete(l.apps, o)
	}
	s.retain(running)
	return list
}

// clear drops all applications and closes their connections.
func (l *appList) clear() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, a := range l.apps {
		a.direct.close()
	}
	clear(l.apps)
}

// applications lists the applications on the bus. The registry, a process of
// its own, replies, so a hung application does not matter here. The bus is asked
// for the process IDs of those that are new.
func (q *query) applications() ([]*application, error) {
	c := q.client
	ctx, cancel := withTimeout(q.ctx, c.options.Timeout)
	defer cancel()
	listing := c.apps.listings.Add(1)
	body, err := q.bus.call(ctx, everyone, ifaceAccessible+".GetChildren")
	if err != nil {
		return nil, err
	}
	roots := objectsOf(first[any](body))
	daemon := object{"org.freedesktop.DBus", "/org/freedesktop/DBus"}
	pids := map[object]int{}
	p := newPipeline(ctx, q.bus.dbusConn, c.options.Timeout)
	for _, o := range c.apps.unknown(roots) {
		p.want(daemon, "org.freedesktop.DBus.GetConnectionUnixProcessID", func(body []any) {
			pids[o] = int(first[uint32](body))
		}, o.bus)
	}
	if err := p.run(); err != nil {
		return nil, err
	}
	return c.apps.keep(listing, roots, pids, c.signals), nil
}

// find returns the applications that match. The bus is listed again only if
// none is known.
func (q *query) find(match func(*application) bool) ([]*application, error) {
	if known := q.client.apps.find(match); len(known) > 0 {
		return known, nil
	}
	all, err := q.applications()
	return slices.DeleteFunc(all, func(a *application) bool { return !match(a) }), err
}

// ofProcess returns the applications of a process.
func (q *query) ofProcess(pid int) ([]*application, error) {
	return q.find(func(a *application) bool { return a.pid == pid })
}

// greet asks an application for its name, the cheapest ping. The reply comes
// from the thread that also sends the signals, so every signal sent before it
// has arrived too.
//
// An application that did not reply is not called again before it has, so a
// hung one costs its timeout once, and no calls pile up for it.
func (a *application) greet(ctx context.Context, l *busConn, timeout time.Duration, asked bool) error {
	if silent := a.unresponsive.until(); silent != nil {
		if !asked {
			timeout = 0
		}
		if !received(ctx, silent, timeout) {
			return a.unresponsiveError(ctx)
		}
	}
	call := l.ask(a.object)
	if !received(ctx, call.Done, timeout) {
		a.unresponsive.begin(call)
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

// A silence lasts from when a program did not reply in time until it does.
type silence struct {
	mu   sync.Mutex    // guards the field below
	ends chan struct{} // is closed at the end; nil if there is none
}

// until returns a channel that is closed when the program replies again; nil while
// it is responsive.
func (s *silence) until() <-chan struct{} {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ends
}

// begin records that a program has not replied to a call, until it does. The call
// also ends when the program or the bus dies.
func (s *silence) begin(call *dbus.Call) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends != nil {
		return
	}
	ends := make(chan struct{})
	s.ends = ends
	go func() {
		<-call.Done
		s.mu.Lock()
		s.ends = nil
		s.mu.Unlock()
		close(ends)
	}()
}

// learnToolkit stores the name of an application, and asks for its toolkit
// once.
func (a *application) learnToolkit(ctx context.Context, l *busConn, name string, timeout time.Duration) error {
	a.mu.Lock()
	a.name = name
	known := a.drawnBy.name != ""
	a.mu.Unlock()
	if known {
		return nil
	}
	var t toolkit // without a name while the application is still starting
	var version, address string
	p := newPipeline(ctx, l.dbusConn, timeout)
	p.program = a.process
	p.get(a.object, ifaceApplication, "ToolkitName", func(v any) { t.name = as[string](v) })
	p.get(a.object, ifaceApplication, "Version", func(v any) { version = as[string](v) })
	p.want(a.object, ifaceApplication+".GetApplicationBusAddress", func(b []any) { address = first[string](b) })
	if err := p.run(); err != nil {
		return err // a part of it would be another toolkit
	}
	major, minor, _ := strings.Cut(version, ".")
	if strings.EqualFold(t.name, "gtk") {
		t.name = "gtk" + major
	}
	_, _ = fmt.Sscan(minor, &t.minor)
	a.direct.setAddress(address)
	a.mu.Lock()
	defer a.mu.Unlock()
	a.drawnBy = t
	return nil
}

// toolkit returns the application's toolkit.
func (a *application) toolkit() toolkit {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.drawnBy
}

// allAliases returns the names that people use for the application, and those of
// one of its windows.
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

// A toolkit is the library that draws an application. It has no name while the
// application is still starting.
type toolkit struct {
	name  string // for GTK with the major version, such as "gtk3"
	minor int    // version of GTK
}

func (t toolkit) isChromium() bool { return t.name == "Chromium" }

func (t toolkit) isGecko() bool { return t.name == "Gecko" }

func (t toolkit) isSwing() bool { return t.name == "J2SE-access-bridge" }

func (t toolkit) isQt() bool { return strings.EqualFold(t.name, "qt") }

// relative reports whether boxes are relative to the window of the application,
// and only its windows have the state SHOWING.
func (t toolkit) relative() bool { return t.name == "gtk4" }

// losesPaddings reports whether boxes lack the paddings of the ancestors; see
// addPaddings.
func (t toolkit) losesPaddings() bool { return t.name == "gtk4" && t.minor >= 10 }

// signalsChanges reports whether the toolkit signals every change of names,
// roles, states and children, so that items can be cached; cacheFor covers the
// exception.
func (t toolkit) signalsChanges() bool { return t.name == "gtk3" }

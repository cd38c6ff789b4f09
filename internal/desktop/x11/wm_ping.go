//go:build linux

package x11

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
)

// pendingPings are the pings that have not been answered yet.
type pendingPings struct {
	mu      sync.Mutex
	last    uint32
	waiting map[uint32]chan struct{}
}

// ask returns the number of a new ping and a channel that its answer closes.
func (p *pendingPings) ask() (uint32, <-chan struct{}) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.waiting == nil {
		p.waiting = map[uint32]chan struct{}{}
	}
	p.last++
	c := make(chan struct{})
	p.waiting[p.last] = c
	return p.last, c
}

// answer receives an answer, or gives up a ping.
func (p *pendingPings) answer(n uint32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if c, ok := p.waiting[n]; ok {
		close(c)
		delete(p.waiting, n)
	}
}

const (
	// readWithin is how long an application may take to read a text, and readCharWithin how
	// much longer for each character: on a busy machine some read thirty in a second.
	// readGrabWithin is the sum for the keys of one grab.
	readWithin     = 10 * time.Second
	readCharWithin = 100 * time.Millisecond
	readGrabWithin = readWithin + maxKeysPerGrab*readCharWithin
)

// waitUntilRead waits until the application that has the focus has read all input so far. It
// answers a ping after the input before it; for an application that answers no pings,
// waitUntilRead waits until its process is idle. If the window closes meanwhile, which the
// input may have asked for, or another one becomes active, that one is pinged, since the rest
// of the input goes there. waitUntilRead reports whether a ping was answered.
func (l *xConn) waitUntilRead(ctx context.Context, within time.Duration) (answered bool, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf(
		"the application has not read all of the input within %s: %w", within, desktop.ErrUnclear))
	defer cancel()
	for {
		n, answer := l.pings.ask()
		asked, err := ask(limited, l, func() (xproto.Window, error) { return l.askActive(n) })
		if err == nil && asked == 0 {
			l.pings.answer(n)
			return false, l.waitUntilIdle(limited)
		}
		gone := err != nil && limited.Err() == nil && l.alive() // between two requests
		if err == nil {
			err = l.awaitAnswer(limited, asked, answer)
		}
		l.pings.answer(n)
		switch {
		case gone:
			if err := desktop.Sleep(limited, idleEvery); err != nil {
				return false, err
			}
		case !errors.Is(err, errOtherWindow):
			return err == nil, err
		}
	}
}

// errOtherWindow means that the window that was pinged is gone, or another one is active.
var errOtherWindow = errors.New("another window is active")

// awaitAnswer waits for the answer of a window, as long as that exists and is active. A busy
// window manager calls a window active for long after it has closed.
func (l *xConn) awaitAnswer(ctx context.Context, asked xproto.Window, answered <-chan struct{}) error {
	for {
		changed := l.changed.wait()
		active, err := ask(ctx, l, func() (xproto.Window, error) {
			if _, err := xproto.GetWindowAttributes(l.x, asked).Reply(); err != nil {
				return 0, nil
			}
			return l.activeWindow(), nil
		})
		switch {
		case err != nil:
			return err
		case active != asked:
			return errOtherWindow
		}
		select {
		case <-answered:
			return nil
		case <-changed:
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.gone:
			return lost(l.address.name, errEnded)
		}
	}
}

const (
	// idleLooks is how often in a row a process must be found asleep, and idleEvery the
	// interval.
	idleLooks = 3
	idleEvery = 5 * time.Millisecond
	// readyLooks is how often in a row an application must not have run at all before it
	// gets its first keys, and readyWithin bounds the wait for that.
	readyLooks  = 20
	readyWithin = 5 * time.Second
	// managerWithin bounds the wait for the window manager before that: not every one
	// answers.
	managerWithin = time.Second
)

// waitUntilIdle waits until the process of the active window sleeps, as it does when its queue
// is empty. It also sleeps while it waits for a reply of the X server, so the server is pinged
// in between: it has replied by then. waitUntilIdle does not wait for an unknown process, and
// returns without an error if the process is not idle in time: it may have work of its own.
func (l *xConn) waitUntilIdle(ctx context.Context) error {
	pid, err := ask(ctx, l, l.activePID)
	if err != nil || pid == 0 {
		return context.Cause(ctx)
	}
	for asleep := 0; asleep < idleLooks; {
		stat := desktop.ProcessStat(pid)
		if stat == nil {
			return nil // it has ended, or runs on another machine
		}
		if asleep++; stat[0] != sleeping {
			asleep = 0
		}
		if desktop.Sleep(ctx, idleEvery) != nil || l.ping(ctx) != nil {
			return nil
		}
	}
	return nil
}

// waitUntilReady waits, before the first keys are sent to a window that answers no pings, until
// its application is idle: when starting, it shows its window before it accepts keys. It also
// sleeps while it waits for the window manager, which is therefore waited for first.
func (b *keyboard) waitUntilReady(ctx context.Context, l *xConn) error {
	limited, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	var pings bool
	active, err := ask(ctx, l, func() (xproto.Window, error) {
		active := l.activeWindow()
		pings = l.speaks(active, "_NET_WM_PING")
		return active, nil
	})
	if err != nil || pings || active == 0 || active == b.ready {
		return err
	}
	b.ready = active
	if runs, err := ask(limited, l, func() (xproto.Window, error) { return l.manager(0), nil }); err == nil && runs != 0 {
		_ = l.installed(limited, time.Now().Add(managerWithin))
	}
	pid, _ := ask(limited, l, l.activePID)
	var before string
	for rested := 0; rested < readyLooks; rested++ {
		stat := desktop.ProcessStat(pid)
		if stat == nil {
			break // it has ended, or runs on another machine
		}
		ran, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if stat[0] != sleeping || string(ran) != before {
			rested, before = 0, string(ran)
		}
		if desktop.Sleep(limited, idleEvery) != nil || l.ping(limited) != nil {
			break
		}
	}
	return context.Cause(ctx)
}

// activePID returns the process of the active window, or 0 if that is not known.
func (l *windowTable) activePID() (int, error) {
	active := l.activeWindow()
	return cmp.Or(l.owner(active)(), int(l.number(active, "_NET_WM_PID"))), nil
}

// sleeping is the state of a process that waits for something.
const sleeping = "S"

// watchedEvents are the events that are selected on windows of other programs.
const watchedEvents = xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify

// askActive pings the active window and returns it, or 0 if it answers no pings.
func (l *properties) askActive(n uint32) (xproto.Window, error) {
	ping, protocols := l.atom("_NET_WM_PING"), l.atom("WM_PROTOCOLS")
	active := l.activeWindow()
	if active == 0 || !l.speaks(active, "_NET_WM_PING") {
		return 0, nil
	}
	xproto.ChangeWindowAttributes(l.x, active, xproto.CwEventMask, []uint32{watchedEvents})
	return active, l.message(active, active, 0, protocols, uint32(ping), n, uint32(active)).Check()
}

// echo receives a ping that comes back: applications send it to the root window, and we to
// ourselves.
func (l *xConn) echo(ev xproto.ClientMessageEvent) {
	if ev.Format == 32 && len(ev.Data.Data32) > 1 && uint32(ev.Type) == l.protocols.Load() {
		l.pings.answer(ev.Data.Data32[1])
	}
}

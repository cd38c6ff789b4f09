//go:build linux

package x11

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
)

// echoes are the questions to applications that are not answered yet.
type echoes struct {
	mu      sync.Mutex
	last    uint32
	waiting map[uint32]chan struct{}
}

// ask gives a question a number and a channel that its answer closes.
func (e *echoes) ask() (uint32, <-chan struct{}) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.waiting == nil {
		e.waiting = map[uint32]chan struct{}{}
	}
	e.last++
	c := make(chan struct{})
	e.waiting[e.last] = c
	return e.last, c
}

// answer takes an answer, or gives up a question.
func (e *echoes) answer(n uint32) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if c, ok := e.waiting[n]; ok {
		close(c)
		delete(e.waiting, n)
	}
}

const (
	// readWithin is how long an application may take to read what was typed, and
	// readCharWithin how much longer for each character: on a busy machine some
	// read thirty in a second. readHandfulWithin is that for a handful of them.
	readWithin        = 10 * time.Second
	readCharWithin    = 100 * time.Millisecond
	readHandfulWithin = readWithin + handful*readCharWithin
)

// waitUntilRead waits until the application that has the focus has read all input
// that was sent before. It answers a ping in order. One that answers none is
// watched until its process rests. When the window that was asked goes meanwhile, which
// may be what the input was for, or another becomes active, that one is asked, as
// what is left of the input goes there. It says whether one answered.
func (l *xConn) waitUntilRead(ctx context.Context, within time.Duration) (answered bool, err error) {
	limited, cancel := context.WithTimeoutCause(ctx, within, fmt.Errorf(
		"the application has not read all of the input within %s: %w", within, desktop.ErrUnclear))
	defer cancel()
	for {
		n, answer := l.echoes.ask()
		asked, err := ask(limited, l, func() (xproto.Window, error) { return l.askActive(n) })
		if err == nil && asked == 0 {
			l.echoes.answer(n)
			return false, l.waitUntilIdle(limited)
		}
		gone := err != nil && limited.Err() == nil && l.alive() // between two questions
		if err == nil {
			err = l.awaitAnswer(limited, asked, answer)
		}
		l.echoes.answer(n)
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

// errOtherWindow says that the window that was asked is gone, or another is active.
var errOtherWindow = errors.New("another window is active")

// awaitAnswer waits for the answer of a window, as long as that is there and active.
// A window manager that is busy calls one active for long that is gone.
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
			return lost(l.place.name, errEnded)
		}
	}
}

const (
	// idleLooks is how often in a row a process must be found asleep, and idleEvery
	// the pause between two looks.
	idleLooks = 3
	idleEvery = 5 * time.Millisecond
	// readyLooks is how often in a row an application must not have run at all
	// before it is ready for its first keys, and readyWithin how long it may take
	// before keys are sent to it all the same.
	readyLooks  = 20
	readyWithin = 5 * time.Second
	// managerWithin is how long a window manager is waited for before that. Not
	// every one answers what it is asked.
	managerWithin = time.Second
)

// waitUntilIdle waits until the process of the active window sleeps, which it
// does when nothing is left in its queue. One that waits for a reply of the X server
// sleeps too, so the server is asked between two looks: it has replied by then. It
// returns at once when that process is not known here, and also when it has not come
// to rest in time: it may have work of its own.
func (l *xConn) waitUntilIdle(ctx context.Context) error {
	pid, err := ask(ctx, l, l.activePID)
	if err != nil || pid == 0 {
		return context.Cause(ctx)
	}
	for asleep := 0; asleep < idleLooks; {
		state, err := processState(pid)
		if err != nil {
			return nil // it has ended, or runs on another machine
		}
		if asleep++; state != 'S' {
			asleep = 0
		}
		if desktop.Sleep(ctx, idleEvery) != nil || l.ping(ctx) != nil {
			return nil
		}
	}
	return nil
}

// waitUntilReady waits, before the first keys are sent to a window that answers no pings,
// until its application rests: one that is starting shows its window before it takes keys.
// It sleeps also when it waits for the window manager, which is therefore asked first.
func (b *keyboard) waitUntilReady(ctx context.Context, l *xConn) error {
	limited, cancel := context.WithTimeout(ctx, readyWithin)
	defer cancel()
	var pings bool
	active, err := ask(ctx, l, func() (xproto.Window, error) {
		active := l.activeWindow()
		pings = l.answersPings(active)
		return active, nil
	})
	if err != nil || pings || active == 0 || active == b.ready {
		return err
	}
	b.ready = active
	if runs, err := ask(limited, l, func() (xproto.Window, error) { w, _ := l.manager(); return w, nil }); err == nil && runs != 0 {
		_ = l.installed(limited, time.Now().Add(managerWithin))
	}
	pid, _ := ask(limited, l, l.activePID)
	var before string
	for rested := 0; rested < readyLooks; rested++ {
		state, err := processState(pid)
		if err != nil {
			break // it has ended, or runs on another machine
		}
		ran, _ := os.ReadFile(fmt.Sprintf("/proc/%d/schedstat", pid))
		if state != 'S' || string(ran) != before {
			rested, before = 0, string(ran)
		}
		if desktop.Sleep(limited, idleEvery) != nil || l.ping(limited) != nil {
			break
		}
	}
	return context.Cause(ctx)
}

// activePID is the process of the active window; 0 when that is not known.
func (l *xConn) activePID() (int, error) {
	active := l.activeWindow()
	return cmp.Or(l.owner(active)(), int(l.number(active, "_NET_WM_PID"))), nil
}

// answersPings reports whether a window says that it answers pings.
func (l *xConn) answersPings(w xproto.Window) bool {
	return slices.Contains(l.numbers(w, "WM_PROTOCOLS"), uint32(l.atom("_NET_WM_PING")))
}

// processState is the letter by which Linux says what a process does: S when it
// waits for something.
func processState(pid int) (byte, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	if i := bytes.LastIndexByte(stat, ')'); i >= 0 && i+2 < len(stat) { // a name may hold anything
		return stat[i+2], nil
	}
	return 0, fmt.Errorf("/proc/%d/stat holds %q", pid, stat)
}

// watchedEvents are what is heard of a window of another program.
const watchedEvents = xproto.EventMaskPropertyChange | xproto.EventMaskStructureNotify

// activeWindow is the window that has the focus, or 0.
func (l *xConn) activeWindow() xproto.Window {
	return xproto.Window(l.number(l.root, "_NET_ACTIVE_WINDOW"))
}

// askActive sends the question to the active window, and gives that; 0 when it
// answers no such question.
func (l *xConn) askActive(n uint32) (xproto.Window, error) {
	ping, protocols := l.atom("_NET_WM_PING"), l.atom("WM_PROTOCOLS")
	active := l.activeWindow()
	if active == 0 || !l.answersPings(active) {
		return 0, nil
	}
	xproto.ChangeWindowAttributes(l.x, active, xproto.CwEventMask, []uint32{watchedEvents})
	return active, l.message(active, active, protocols, uint32(ping), n, uint32(active)).Check()
}

// message sends a message about one window to another.
func (l *properties) message(to, about xproto.Window, kind xproto.Atom, data ...uint32) xproto.SendEventCookie {
	data = append(data, make([]uint32, 5)...)[:5]
	ev := xproto.ClientMessageEvent{Format: 32, Window: about, Type: kind, Data: xproto.ClientMessageDataUnionData32New(data)}
	return xproto.SendEventChecked(l.x, false, to, 0, string(ev.Bytes()))
}

// echo takes a message that applications send to the root window, and we to
// ourselves.
func (l *xConn) echo(ev xproto.ClientMessageEvent) {
	if ev.Format == 32 && len(ev.Data.Data32) > 1 && uint32(ev.Type) == l.protocols.Load() {
		l.echoes.answer(ev.Data.Data32[1])
	}
}

//go:build linux

package x11

import (
	"context"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb/xproto"
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

// heard asks the application that has the focus whether it is alive, as
// window managers do, and says whether it answered before a spare key would
// have rested anyway. It answers in order, so it has read what was typed.
func (l *xConn) heard(ctx context.Context) bool {
	n, answered := l.echoes.ask()
	defer l.echoes.answer(n)
	asked, err := ask(ctx, l, func() (bool, error) { return l.askActive(n) })
	if err != nil || !asked {
		return false
	}
	timer := time.NewTimer(rest)
	defer timer.Stop()
	select {
	case <-answered:
		return true
	case <-timer.C:
	case <-ctx.Done():
	case <-l.gone:
	}
	return false
}

// askActive sends the question to the active window, if that answers such.
func (l *xConn) askActive(n uint32) (bool, error) {
	ping, protocols := l.atom("_NET_WM_PING"), l.atom("WM_PROTOCOLS")
	active := l.number(l.root, "_NET_ACTIVE_WINDOW")
	if active == 0 || !slices.Contains(l.numbers(xproto.Window(active), "WM_PROTOCOLS"), uint32(ping)) {
		return false, nil
	}
	return true, l.message(xproto.Window(active), xproto.Window(active), protocols, uint32(ping), n, active).Check()
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

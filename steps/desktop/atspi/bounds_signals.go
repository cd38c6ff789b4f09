//go:build linux

package atspi

import (
	"context"
	"sync"
	"time"
)

// unsubscribeAfter is how long nothing is read before nobody hears what moves. What
// was kept of the last reading is too old by then.
const unsubscribeAfter = cacheFor + cacheFor/4

// boundsSignals hears which elements move, while somebody needs to know. A program that
// animates says so hundreds of times a second, and to take that from the bus is
// most of what a client costs that only waits.
type boundsSignals struct {
	bus dbusConn

	mu      sync.Mutex // guards what follows
	users  int        // by how many
	subscribed   bool
	timer   *time.Timer
	released time.Time // when it was last needed
	closed   bool
}

// acquire hears what moves from when it returns until done, and a little longer.
func (m *boundsSignals) acquire(ctx context.Context) (done func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.subscribed {
		if err := m.bus.AddMatchSignalContext(ctx, boundsRule...); err != nil {
			return nil, m.bus.translateError(err)
		}
		m.subscribed = true
	}
	m.users++
	return m.release, nil
}

var boundsRule = matching(ifaceObjectEvent, "BoundsChanged")

func (m *boundsSignals) release() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.users--; m.users > 0 || m.closed {
		return
	}
	m.released = time.Now()
	if m.timer == nil {
		m.timer = time.AfterFunc(unsubscribeAfter, m.unsubscribe)
		return
	}
	m.timer.Reset(unsubscribeAfter)
}

// unsubscribe hears nothing any more, unless somebody needed it meanwhile.
func (m *boundsSignals) unsubscribe() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || m.users > 0 || !m.subscribed || time.Since(m.released) < unsubscribeAfter {
		return
	}
	ctx, cancel := withTimeout(context.Background(), greetTimeout)
	defer cancel()
	m.subscribed = m.bus.RemoveMatchSignalContext(ctx, boundsRule...) != nil && m.bus.Connected()
	if m.subscribed {
		m.timer.Reset(unsubscribeAfter)
	}
}

// close hears nothing any more, as the connection ends.
func (m *boundsSignals) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	if m.timer != nil {
		m.timer.Stop()
	}
}

//go:build linux

package atspi

import (
	"context"
	"sync"
	"time"
)

// unsubscribeAfter is how long after the last read bounds signals are still
// received. Cached items have expired by then.
const unsubscribeAfter = cacheFor + cacheFor/4

// boundsSignals subscribes to BoundsChanged while cached items depend on it. A
// program that animates sends hundreds a second, and receiving them is most of
// what an idle client costs.
type boundsSignals struct {
	bus dbusConn

	mu         sync.Mutex // guards the fields below
	users      int
	subscribed bool
	timer      *time.Timer
	released   time.Time // when the last user did
	closed     bool
}

// acquire subscribes, until release was called as often and unsubscribeAfter
// has passed.
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

// unsubscribe ends the subscription unless it was acquired again meanwhile.
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

func (m *boundsSignals) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	if m.timer != nil {
		m.timer.Stop()
	}
}

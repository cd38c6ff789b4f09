//go:build linux

package atspi

import (
	"context"
	"sync"
	"time"
)

// restsAfter is how long nothing is read before nobody hears what moves. What
// was kept of the last reading is too old by then.
const restsAfter = keepFor + keepFor/4

// moves hears which elements move, while somebody needs to know. A program that
// animates says so hundreds of times a second, and to take that from the bus is
// most of what a client costs that only waits.
type moves struct {
	bus line

	mu      sync.Mutex // guards what follows
	needed  int        // by how many
	hears   bool
	rests   *time.Timer
	changed time.Time // when it was last needed
	ended   bool
}

// need hears what moves from when it returns until done, and a little longer.
func (m *moves) need(ctx context.Context) (done func(), err error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !m.hears {
		if err := m.bus.AddMatchSignalContext(ctx, movesRule...); err != nil {
			return nil, m.bus.fault(err)
		}
		m.hears = true
	}
	m.needed++
	return m.done, nil
}

var movesRule = matching(ifaceObjectEvent, "BoundsChanged")

func (m *moves) done() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.needed--; m.needed > 0 || m.ended {
		return
	}
	m.changed = time.Now()
	if m.rests == nil {
		m.rests = time.AfterFunc(restsAfter, m.rest)
		return
	}
	m.rests.Reset(restsAfter)
}

// rest hears nothing any more, unless somebody needed it meanwhile.
func (m *moves) rest() {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.ended || m.needed > 0 || !m.hears || time.Since(m.changed) < restsAfter {
		return
	}
	ctx, cancel := within(context.Background(), patience)
	defer cancel()
	m.hears = m.bus.RemoveMatchSignalContext(ctx, movesRule...) != nil && m.bus.Connected()
	if m.hears {
		m.rests.Reset(restsAfter)
	}
}

// end hears nothing any more, as the connection ends.
func (m *moves) end() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended = true
	if m.rests != nil {
		m.rests.Stop()
	}
}

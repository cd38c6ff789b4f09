package engine

import (
	"sync"
	"time"
)

// inbox collects the events that other goroutines hand to a worker: stored pictures
// and the log messages of steps.
type inbox struct {
	mu       sync.Mutex
	later    []Event
	pictures int // being stored
	posted   chan struct{}
}

// maxLogs is how many events may be waiting before log messages are dropped.
const maxLogs = 1000

func (b *inbox) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pictures++
}

// pictureDone is called when a picture has been stored, or could not be.
func (b *inbox) pictureDone() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pictures--
	select {
	case b.posted <- struct{}{}:
	default:
	}
}

// put adds an event. It drops a log message if too many events are waiting.
func (b *inbox) put(t EventType, path string, data any) error {
	ev, err := newEvent(t, path, data)
	b.mu.Lock()
	defer b.mu.Unlock()
	if err == nil && (t != EvLogged || len(b.later) < maxLogs) {
		b.later = append(b.later, ev)
	}
	return err
}

func (b *inbox) take() []Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	later := b.later
	b.later = nil
	return later
}

// await waits until all pictures are stored, and returns how many are not when the
// time is over.
func (b *inbox) await(atMost time.Duration) (left int) {
	t := time.NewTimer(atMost)
	defer t.Stop()
	for {
		b.mu.Lock()
		left = b.pictures
		b.mu.Unlock()
		if left == 0 {
			return 0
		}
		select {
		case <-b.posted:
		case <-t.C:
			return left
		}
	}
}

// drain records the events in the inbox.
func (w *worker) drain() error {
	for _, ev := range w.inbox.take() {
		if err := w.append(ev); err != nil {
			return err
		}
	}
	return nil
}

package engine

import (
	"sync"
	"time"
)

// inbox holds the events that other goroutines hand to a worker: pictures that
// are stored, and what steps log.
type inbox struct {
	mu       sync.Mutex
	later    []Event
	pictures int // under way
	posted   chan struct{}
}

// maxLogs is how many messages of one worker wait to be recorded at most.
const maxLogs = 1000

func (b *inbox) expect() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pictures++
}

// picture takes the event of a picture that was under way; nil when it failed.
func (b *inbox) picture(ev *Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.pictures--
	if ev != nil {
		b.later = append(b.later, *ev)
	}
	select {
	case b.posted <- struct{}{}:
	default:
	}
}

// located takes the event that says on which desktop the run is.
func (b *inbox) located(ev Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.later = append(b.later, ev)
}

// log takes the event of a message, unless too many wait.
func (b *inbox) log(ev Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if len(b.later) < maxLogs {
		b.later = append(b.later, ev)
	}
}

func (b *inbox) take() []Event {
	b.mu.Lock()
	defer b.mu.Unlock()
	later := b.later
	b.later = nil
	return later
}

// await waits until no picture is under way, and returns how many still are when
// the time is over.
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

// drain records what other goroutines handed over.
func (w *worker) drain() error {
	for _, ev := range w.inbox.take() {
		if err := w.append(ev); err != nil {
			return err
		}
	}
	return nil
}

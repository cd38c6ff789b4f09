package engine

import (
	"context"
	"slices"
	"strings"
	"sync"

	"understudy/steps"
)

// Lease is the right to act on a desktop. As many runs hold it as there are
// places; the others wait in the order in which they came.
type Lease struct {
	mu      sync.Mutex
	places  int
	holders []string
	queue   []chan struct{}
}

// NewLease is a lease with a number of places, one at least.
func NewLease(places int) *Lease { return &Lease{places: max(1, places)} }

// Busy says whether every place is taken.
func (l *Lease) Busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.holders) >= l.places
}

// Holds says whether a run holds a place.
func (l *Lease) Holds(run string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Contains(l.holders, run)
}

// Holders are the runs that hold the lease, and Places how many may.
func (l *Lease) Holders() (runs []string, places int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.holders), l.places
}

// Acquire takes a place for a run, waiting for one if need be.
func (l *Lease) Acquire(ctx context.Context, run string) error {
	l.mu.Lock()
	if slices.Contains(l.holders, run) {
		l.mu.Unlock()
		return nil
	}
	if len(l.holders) < l.places && len(l.queue) == 0 {
		l.holders = append(l.holders, run)
		l.mu.Unlock()
		return nil
	}
	turn := make(chan struct{})
	l.queue = append(l.queue, turn)
	l.mu.Unlock()
	select {
	case <-turn:
	case <-ctx.Done():
		l.mu.Lock()
		defer l.mu.Unlock()
		if i := slices.Index(l.queue, turn); i >= 0 {
			l.queue = slices.Delete(l.queue, i, i+1)
		}
		l.wake()
		return context.Cause(ctx)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = slices.DeleteFunc(l.queue, func(t chan struct{}) bool { return t == turn })
	l.holders = append(l.holders, run)
	l.wake()
	return nil
}

// Release gives a run's place to the next in the queue.
func (l *Lease) Release(run string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.holders = slices.DeleteFunc(l.holders, func(r string) bool { return r == run })
	l.wake()
}

// wake tells those whose turn it is. The first in the queue stays there until
// it has taken its place, so that nobody overtakes it.
func (l *Lease) wake() {
	free := l.places - len(l.holders)
	for i := 0; i < free && i < len(l.queue); i++ {
		select {
		case <-l.queue[i]: // told before
		default:
			close(l.queue[i])
		}
	}
}

func errBusy(holders []string) error {
	e := steps.Errorf(steps.Busy, "the desktop is in use by run %s", join(holders))
	e.Next = "wait for it to end, stop it, or ask to queue"
	return e
}

func join(ids []string) string {
	if len(ids) == 0 {
		return "(none)"
	}
	var text strings.Builder
	text.WriteString(ids[0])
	for _, id := range ids[1:] {
		text.WriteString(", " + id)
	}
	return text.String()
}

package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/steps"
)

// Lease is the right to act on a desktop. It has a number of places, and no two runs
// hold it for the same desktop. Waiting runs get it in the order in which they came,
// except that a run which waits for a desktop in use does not hold up those behind
// it. The zero value has one place.
type Lease struct {
	Places  int // how many runs may hold it at a time; 0: one
	PerHour int // how many runs may get it within an hour; 0: any number

	mu      sync.Mutex
	holders []leaseHolder
	queue   []*leaseWaiter
	granted []time.Time // within the last hour, if PerHour limits them
}

// A DesktopClaim reserves the desktop on which a run is to act, unless another run
// has it, and returns the function that frees it. It is called with the mutex of the
// lease held.
type DesktopClaim func() (release func(), ok bool)

type leaseHolder struct {
	run     string
	release func()
}

type leaseWaiter struct {
	run     string
	claim   DesktopClaim
	granted chan struct{} // closed when it gets a place
}

// AnyDesktop is the claim of a run that does not need a particular desktop.
func AnyDesktop() (release func(), ok bool) { return func() {}, true }

// Free reports whether a run would get a place at once.
func (l *Lease) Free(claim DesktopClaim) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.full() {
		return false
	}
	release, ok := claim()
	if ok {
		release()
	}
	return ok
}

func (l *Lease) full() bool { return len(l.holders) >= max(1, l.Places) || l.spent() }

// spent reports whether as many runs got a place within the last hour as may.
func (l *Lease) spent() bool {
	l.granted = slices.DeleteFunc(l.granted, func(at time.Time) bool { return time.Since(at) >= time.Hour })
	return l.PerHour > 0 && len(l.granted) >= l.PerHour
}

// note counts a run that gets a place, and tries again when it counts no more.
func (l *Lease) note() {
	if l.PerHour == 0 {
		return
	}
	l.granted = append(l.granted, time.Now())
	time.AfterFunc(time.Hour, func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		l.grant()
	})
}

// Holds reports whether a run holds a place.
func (l *Lease) Holds(run string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.holds(run)
}

func (l *Lease) holds(run string) bool {
	return slices.ContainsFunc(l.holders, func(h leaseHolder) bool { return h.run == run })
}

// Holders returns the runs that hold a place, and the number of places.
func (l *Lease) Holders() (runs []string, places int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, h := range l.holders {
		runs = append(runs, h.run)
	}
	return runs, max(1, l.Places)
}

// Position returns the position of a run in the queue, from 1; 0: it is not in the
// queue.
func (l *Lease) Position(run string) int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return 1 + slices.IndexFunc(l.queue, func(w *leaseWaiter) bool { return w.run == run })
}

// Acquire waits for a place and takes it.
func (l *Lease) Acquire(ctx context.Context, run string, claim DesktopClaim) error {
	l.mu.Lock()
	if l.holds(run) {
		l.mu.Unlock()
		return nil
	}
	w := &leaseWaiter{run, claim, make(chan struct{})}
	l.queue = append(l.queue, w)
	l.grant()
	l.mu.Unlock()
	select {
	case <-w.granted:
		return nil
	default:
	}
	select {
	case <-w.granted:
		return nil
	case <-ctx.Done():
		l.Release(run) // it may have been granted at the same moment
		return context.Cause(ctx)
	}
}

// Release frees the place of a run, or removes the run from the queue.
func (l *Lease) Release(run string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.queue = slices.DeleteFunc(l.queue, func(w *leaseWaiter) bool { return w.run == run })
	if i := slices.IndexFunc(l.holders, func(h leaseHolder) bool { return h.run == run }); i >= 0 {
		l.holders[i].release()
		l.holders = slices.Delete(l.holders, i, i+1)
	}
	l.grant()
}

// grant gives free places to the runs in the queue, in their order.
func (l *Lease) grant() {
	l.queue = slices.DeleteFunc(l.queue, func(w *leaseWaiter) bool {
		if l.full() {
			return false
		}
		release, ok := w.claim()
		if ok {
			l.holders = append(l.holders, leaseHolder{w.run, release})
			l.note()
			close(w.granted)
		}
		return ok
	})
}

// errBusy returns the error for a run that does not get a place.
func (l *Lease) errBusy() error {
	holders, _ := l.Holders()
	return steps.Errorf(steps.Busy, "the desktop is in use by run %s", join(holders)).WithNext("wait for it to end, stop it, or queue this run")
}

func join(ids []string) string {
	return cmp.Or(strings.Join(ids, ", "), "(none)")
}

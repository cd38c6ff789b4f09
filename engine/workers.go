package engine

import (
	"maps"
	"slices"
	"sync"

	"understudy/steps"
)

// workers holds the worker of each run that is being executed, and what the
// process remembers of runs whose worker has ended. Its zero value is empty.
type workers struct {
	mu     sync.Mutex
	byRun  map[string]*worker
	closed bool                // no further worker is added
	failed map[string]error    // why the last worker of a run failed, for later callers of Wait
	kept   map[string]Unstored // of runs that wait or are paused, until they go on
}

// Unstored is the part of a run that is never stored. It is lost with the
// process that executes the run, unless that process hands it on.
type Unstored struct {
	Secrets map[string]string `json:"secrets,omitempty"`
	Environ []string          `json:"environ,omitempty"`
	caller  *Caller
}

func (x *workers) of(run string) *worker {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.byRun[run]
}

// add makes a worker the one that executes its run, unless a person has the desktop of
// the run; nil: the worker executes nothing there.
func (x *workers) add(w *worker, taken *holds) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch {
	case x.closed:
		return &steps.Error{Code: steps.Unavailable, Err: errShutDown}
	case x.byRun[w.id] != nil:
		return steps.Errorf(steps.Busy, "run %s is being executed already", w.id)
	case taken != nil && taken.by(w.id) != "":
		return errHeld(w.id, taken.by(w.id))
	}
	x.byRun, x.failed = orEmpty(x.byRun), orEmpty(x.failed)
	x.byRun[w.id] = w
	return nil
}

func (x *workers) remove(w *worker) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.byRun, w.id)
	delete(x.failed, w.id)
	switch {
	case Lost(w.err): // another worker tells how the run ends
	case w.err != nil: // what is kept may be needed again
		x.failed[w.id] = w.err
	case w.s.Status == Waiting || w.s.Status == Paused:
		x.setKept(w.id, Unstored{w.secrets, w.environ, w.may.caller})
	default:
		delete(x.kept, w.id)
	}
}

// Active returns the runs that are being executed.
func (x *workers) Active() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Sorted(maps.Keys(x.byRun))
}

// busy returns the runs that are being executed, without those that only read: a client
// that may only look must not keep others out.
func (x *workers) busy() (runs []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for id, w := range x.byRun {
		if !w.looks {
			runs = append(runs, id)
		}
	}
	return runs
}

// close refuses further workers and returns those that there are.
func (x *workers) close() []*worker {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.closed = true
	return slices.Collect(maps.Values(x.byRun))
}

// failure returns why the last worker of a run failed, or nil.
func (x *workers) failure(run string) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.failed[run]
}

// Unstored returns what is kept in memory for a run that waits or is paused.
func (x *workers) Unstored(run string) Unstored {
	x.mu.Lock()
	defer x.mu.Unlock()
	u := x.kept[run]
	u.Secrets = maps.Clone(u.Secrets)
	return u
}

// Kept returns the runs of which something is kept in memory.
func (x *workers) Kept() []string {
	x.mu.Lock()
	defer x.mu.Unlock()
	return slices.Collect(maps.Keys(x.kept))
}

// RestoreUnstored gives a run that waits or is paused what another process kept for
// it.
func (x *workers) RestoreUnstored(run string, u Unstored) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.setKept(run, u)
}

// setKept does the work of RestoreUnstored. The mutex is held.
func (x *workers) setKept(run string, u Unstored) {
	x.kept = orEmpty(x.kept)
	if x.kept[run] = u; len(u.Secrets) == 0 && u.Environ == nil && u.caller == nil {
		delete(x.kept, run)
	}
}

package engine

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"understudy/steps"
)

// A person may take over the desktop of a run. The run pauses, or is at rest already,
// and the person holds the lease in its place, so that the engine does not act there,
// until the person hands the desktop back or sends no more heartbeats. The takeover
// is known only to this process and not in the store, so a crash ends it too.

// Takeover is a request to take over the desktop of a run.
type Takeover struct {
	By string `json:"by"`
	// Renew marks a heartbeat of the person who has the desktop already.
	Renew bool `json:"renew,omitempty"`
}

// Taken tells that a person has taken over the desktop of the run.
type Taken struct {
	By   string `json:"by"`
	Hash string `json:"hash,omitempty"` // of a picture of the desktop at that time
}

// Returned tells that the takeover has ended.
type Returned struct {
	By   string `json:"by"`
	Why  string `json:"why,omitempty"` // empty if the person handed the desktop back
	Hash string `json:"hash,omitempty"`
	// Recording is the hash, among the artifacts, of what the person did.
	Recording string `json:"recording,omitempty"`
}

// hold is the takeover of the desktop of one run.
type hold struct {
	by     string
	lapses *time.Timer
	end    EndWatch // nil: nothing is recorded
	uses   *Uses    // by the person, in live views
}

// EndWatch ends the recording of what a person did, and returns it with the secret
// values removed.
type EndWatch func(secret []string) ([]byte, error)

const (
	// lapseTime is how long a takeover lasts without a heartbeat.
	lapseTime = time.Minute
	// boundaryTime bounds the wait of TakeOver for the end of the step under way, and
	// for the lease.
	boundaryTime = 20 * time.Second
)

// holds are the current takeovers. The zero value is ready to use.
type holds struct {
	mu      sync.Mutex
	byRun   map[string]*hold
	pending int // number of calls of TakeOver under way
}

func (x *holds) of(run string) *hold {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.byRun[run]
}

// by returns the person who has taken over the desktop of a run; empty: nobody has.
func (x *holds) by(run string) string {
	if h := x.of(run); h != nil {
		return h.by
	}
	return ""
}

func (x *holds) all() map[string]*hold {
	x.mu.Lock()
	defer x.mu.Unlock()
	return maps.Clone(x.byRun)
}

// Held returns the people who have taken over desktops, by run.
func (x *holds) Held() map[string]string {
	held := map[string]string{}
	for run, h := range x.all() {
		held[run] = h.by
	}
	return held
}

// Occupied returns the number of desktops that people have taken over or are
// about to take over.
func (x *holds) Occupied() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.byRun) + x.pending
}

// addPending counts a call of TakeOver that begins (1) or ends (-1).
func (x *holds) addPending(n int) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.pending += n
}

func (x *holds) add(run string, h *hold) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.byRun = orEmpty(x.byRun)
	x.byRun[run] = h
}

func (x *holds) remove(run string, h *hold) {
	h.lapses.Stop()
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.byRun[run] == h {
		delete(x.byRun, run)
	}
}

// renew handles a heartbeat: it extends the takeover if the person has the desktop
// already, and reports whether that is so.
func (x *holds) renew(run string, t Takeover) (held bool, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	switch h := x.byRun[run]; {
	case h != nil && h.by == t.By:
		h.lapses.Reset(lapseTime)
		return true, nil
	case h != nil:
		return false, steps.Errorf(steps.Busy, "%s has taken over the desktop of run %s", h.by, run)
	case t.Renew:
		return false, steps.Errorf(steps.Invalid, "%s does not hold the desktop of run %s", t.By, run)
	}
	return false, nil
}

// refuseHeld returns an error if somebody has taken over the desktop of a run.
func (e *Engine) refuseHeld(ctx context.Context, id string) error {
	by := e.holds.by(id)
	if by == "" && e.HeldElsewhere != nil {
		by = e.HeldElsewhere(ctx, id)
	}
	return errHeld(id, by)
}

// errHeld returns an error if somebody, by, has the desktop of a run.
func errHeld(id, by string) error {
	if by == "" {
		return nil
	}
	return steps.Errorf(steps.Busy, "%s has taken over the desktop of run %s", by, id).WithNext("hand it back first")
}

// TakeOver pauses a run and gives its desktop to a person.
func (e *Engine) TakeOver(ctx context.Context, id string, t Takeover) (Header, error) {
	if t.By == "" {
		return Header{}, steps.Errorf(steps.Invalid, "wanted the name of the person who takes over run %s", id)
	}
	if known, err := e.holds.renew(id, t); known || err != nil {
		return e.getAfter(ctx, id, err)
	}
	e.holds.addPending(1) // before the run pauses, or another run takes its place
	defer e.holds.addPending(-1)
	if err := e.pauseNow(ctx, id); err != nil {
		return Header{}, err
	}
	w, err := e.load(ctx, id, nil, false)
	if err != nil {
		return Header{}, err
	}
	if gone := w.goneDesktop(ctx); gone != nil {
		return Header{}, &steps.Error{Code: steps.Unavailable, Err: fmt.Errorf("run %s was on a desktop that is gone: %w", id, gone), Next: "resume it on a new one: resume --from STEP"}
	}
	return e.getAfter(ctx, id, e.exclusively(w, func() error {
		if known, err := e.holds.renew(id, t); known || err != nil { // somebody was quicker
			return err
		}
		return e.hold(ctx, w, t.By)
	}))
}

func (e *Engine) getAfter(ctx context.Context, id string, err error) (Header, error) {
	if err != nil {
		return Header{}, err
	}
	return e.Get(ctx, id)
}

// pauseNow pauses a run that is being executed, at the end of the step under way.
func (e *Engine) pauseNow(ctx context.Context, id string) error {
	w := e.workers.of(id)
	if w == nil {
		return nil
	}
	w.stops.pauseAtBoundary(forPerson)
	select {
	case <-w.done:
		return nil
	case <-time.After(boundaryTime):
		return steps.Errorf(steps.Busy, "run %s is in the middle of a step", id).
			WithNext("it pauses when the step has ended: take it over then, or stop it")
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// exclusively does something with a run at rest, and prevents its execution meanwhile.
func (e *Engine) exclusively(w *worker, do func() error) error {
	if err := e.workers.add(w, nil); err != nil {
		return err
	}
	defer close(w.done)
	defer e.retire(w)
	return do()
}

// hold gives the desktop of a run to a person.
func (e *Engine) hold(ctx context.Context, w *worker, by string) error {
	limited, cancel := context.WithTimeout(ctx, boundaryTime)
	defer cancel()
	if err := e.Lease.Acquire(limited, takeoverHolder(w.id, by), w.claim); err != nil {
		return e.Lease.errBusy()
	}
	if err := w.commit(EvTaken, "", Taken{By: by, Hash: w.lastPicture(ctx)}); err != nil {
		e.Lease.Release(takeoverHolder(w.id, by))
		return err
	}
	h := &hold{by: by, end: w.watch(ctx), uses: NewUses()}
	h.lapses = time.AfterFunc(lapseTime, func() {
		if err := e.giveBack(context.Background(), w.id, h, fmt.Sprintf("no heartbeat for %s", lapseTime)); err != nil {
			e.log().Warn("the return of a desktop could not be recorded", "run", w.id, "error", err)
			h.lapses.Reset(lapseTime)
		}
	})
	e.holds.add(w.id, h)
	return nil
}

// watch starts to record what a person does on the desktop of the run. An error does
// not prevent the takeover.
func (x *runDesktop) watch(ctx context.Context) EndWatch {
	if x.e.Watch == nil || x.s.Desktop == nil || x.s.Desktop.Name == "" {
		return nil
	}
	end, err := x.e.Watch(context.WithoutCancel(ctx), *x.s.Desktop)
	if err != nil {
		x.e.log().Warn("the actions of a person on the desktop are not recorded", "run", x.id, "error", err)
		return nil
	}
	return end
}

// keepWatched stores what a person did, and returns its hash; empty: nothing was
// recorded.
func (v *evaluator) keepWatched(ctx context.Context, h *hold) string {
	if h.end == nil {
		return ""
	}
	seen, err := h.end(slices.Collect(maps.Values(v.secrets)))
	hash := ""
	if err == nil && len(seen) > 0 {
		hash, err = v.e.Files.Put(ctx, Artifacts, seen)
	}
	if err != nil {
		v.e.log().Warn("the actions of a person on the desktop could not be stored", "run", v.id, "error", err)
	}
	return hash
}

// takeoverHolder returns the name of the holder of the lease during a takeover.
func takeoverHolder(run, by string) string { return run + " (taken over by " + by + ")" }

// HandBack ends the takeover of a desktop by a person. The run stays at rest until it
// is resumed.
func (e *Engine) HandBack(ctx context.Context, id, by string) (Header, error) {
	h := e.holds.of(id)
	switch {
	case h == nil:
		return Header{}, steps.Errorf(steps.Invalid, "nobody has taken over the desktop of run %s", id)
	case h.by != by:
		return Header{}, steps.Errorf(steps.Busy, "%s has taken over the desktop of run %s, and nobody else can hand it back", h.by, id)
	}
	return e.getAfter(ctx, id, e.giveBack(ctx, id, h, ""))
}

// giveBack ends a takeover: it is recorded, and the engine may act again, even if
// recording it fails.
func (e *Engine) giveBack(ctx context.Context, id string, h *hold, why string) error {
	w, err := e.load(ctx, id, nil, false)
	if steps.CodeOf(err) == steps.Busy {
		return err // another call gives it back
	}
	if err != nil {
		_ = h.uses.End(ctx)
		if h.end != nil {
			_, _ = h.end(nil)
		}
		e.endHold(id, h)
		return err
	}
	return e.exclusively(w, func() error {
		if e.holds.of(id) != h { // it has ended meanwhile
			return nil
		}
		limited, cancel := context.WithTimeoutCause(ctx, boundaryTime, steps.Errorf(steps.Busy, "%s is in the middle of an action on the desktop of run %s", h.by, id).WithNext("hand it back when the action has ended"))
		defer cancel()
		if err := h.uses.End(limited); err != nil {
			return err
		}
		defer e.endHold(id, h)
		return w.commit(EvReturned, "", Returned{By: h.by, Why: why, Hash: w.lastPicture(ctx), Recording: w.keepWatched(ctx, h)})
	})
}

func (e *Engine) endHold(id string, h *hold) {
	e.holds.remove(id, h)
	e.Lease.Release(takeoverHolder(id, h.by))
	e.Notify(id)
}

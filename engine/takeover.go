package engine

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"understudy/steps"
)

// A person may take over the desktop of a run. The run pauses, or rests already, and
// he holds the lease in its place, so that nothing of the engine acts, until he gives
// it back or shows no sign of life any more. That he has it is not in the store but in
// this process, so a crash gives it back too.

// Takeover says who takes the desktop of a run over.
type Takeover struct {
	By string `json:"by"`
	// Renew is a sign of life of who has it already.
	Renew bool `json:"renew,omitempty"`
}

// Taken says that a person has taken the desktop of the run over.
type Taken struct {
	By   string `json:"by"`
	Hash string `json:"hash,omitempty"` // of a picture of it then
}

// Returned says that he has it no more.
type Returned struct {
	By   string `json:"by"`
	Why  string `json:"why,omitempty"` // when it was not he who gave it back
	Hash string `json:"hash,omitempty"`
	// Recording is the hash of what he did, among the artifacts.
	Recording string `json:"recording,omitempty"`
}

// hold is the desktop of a run in the hands of a person.
type hold struct {
	by     string
	lapses *time.Timer
	end    EndWatch // nil: what he does is not recorded
}

// EndWatch ends the recording of what a person did, and gives it without the values
// that must not be stored.
type EndWatch func(secret []string) ([]byte, error)

const (
	// lapseTime is how long a person may show no sign of life.
	lapseTime = time.Minute
	// boundaryTime is how long a taker waits for the end of the step under way,
	// and for others to let go of the desktop.
	boundaryTime = 20 * time.Second
)

// holderOf is the person who has the desktop of a run; empty: nobody has.
func (e *Engine) holderOf(id string) string {
	e.mu.Lock()
	defer e.mu.Unlock()
	if h := e.holds[id]; h != nil {
		return h.by
	}
	return ""
}

// Held are the runs whose desktops persons have, with their names.
func (e *Engine) Held() map[string]string {
	e.open()
	e.mu.Lock()
	defer e.mu.Unlock()
	held := map[string]string{}
	for id, h := range e.holds {
		held[id] = h.by
	}
	return held
}

// Occupied is how many desktops persons have or are about to.
func (e *Engine) Occupied() int {
	e.open()
	e.mu.Lock()
	defer e.mu.Unlock()
	return len(e.holds) + e.taken
}

func (e *Engine) takes() (done func()) {
	add := func(n int) {
		e.mu.Lock()
		defer e.mu.Unlock()
		e.taken += n
	}
	add(1)
	return func() { add(-1) }
}

// refuseHeld says why nothing may be done with a run whose desktop a person has.
func (e *Engine) refuseHeld(ctx context.Context, id string) error {
	by := e.holderOf(id)
	if by == "" && e.HeldElsewhere != nil {
		by = e.HeldElsewhere(ctx, id)
	}
	if by == "" {
		return nil
	}
	return steps.Errorf(steps.Busy, "%s has taken over the desktop of run %s", by, id).WithNext("hand it back first")
}

// TakeOver pauses a run and gives its desktop to a person.
func (e *Engine) TakeOver(ctx context.Context, id string, t Takeover) (Header, error) {
	e.open()
	if t.By == "" {
		return Header{}, steps.Errorf(steps.Invalid, "wanted the name of who takes run %s over", id)
	}
	if known, err := e.renew(id, t); known || err != nil {
		return e.getAfter(ctx, id, err)
	}
	defer e.takes()() // before the run rests, or another begins in its place
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
	return e.getAfter(ctx, id, e.aside(w, func() error { return e.hold(ctx, w, t.By) }))
}

func (e *Engine) getAfter(ctx context.Context, id string, err error) (Header, error) {
	if err != nil {
		return Header{}, err
	}
	return e.Get(ctx, id)
}

// renew takes a sign of life of who has the desktop of a run.
func (e *Engine) renew(id string, t Takeover) (known bool, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	h := e.holds[id]
	switch {
	case h != nil && h.by == t.By:
		h.lapses.Reset(e.lapse)
		return true, nil
	case h != nil:
		return false, steps.Errorf(steps.Busy, "%s has taken over the desktop of run %s", h.by, id)
	case t.Renew:
		return false, steps.Errorf(steps.Invalid, "%s has not taken over the desktop of run %s, or not any more", t.By, id)
	}
	return false, nil
}

// pauseNow pauses a run that is executed, at the end of the step under way.
func (e *Engine) pauseNow(ctx context.Context, id string) error {
	w := e.at(id)
	if w == nil {
		return nil
	}
	w.stops.pauseAt(true)
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

// aside does something with a run at rest, which nothing else executes meanwhile.
func (e *Engine) aside(w *worker, do func() error) error {
	if err := e.claim(w); err != nil {
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
	if err := e.Lease.Acquire(limited, inHandsOf(w.id, by), w.claim); err != nil {
		holders, _ := e.Lease.Holders()
		return errBusy(holders)
	}
	if err := w.commit(EvTaken, "", Taken{By: by, Hash: w.lastPicture(ctx)}); err != nil {
		e.Lease.Release(inHandsOf(w.id, by))
		return err
	}
	h := &hold{by: by, end: w.watch(ctx)}
	h.lapses = time.AfterFunc(e.lapse, func() { e.lapsed(w.id, h) })
	e.mu.Lock()
	defer e.mu.Unlock()
	e.holds[w.id] = h
	return nil
}

// watch begins to record what a person does on the desktop of the run. He gets that
// also where it cannot be recorded.
func (x *runDesktop) watch(ctx context.Context) EndWatch {
	if x.e.Watch == nil || x.s.Desktop == nil || x.s.Desktop.Name == "" {
		return nil
	}
	end, err := x.e.Watch(context.WithoutCancel(ctx), *x.s.Desktop)
	if err != nil {
		x.e.log().Warn("what a person does on the desktop is not recorded", "run", x.id, "error", err)
		return nil
	}
	return end
}

// keepWatched stores what a person did; empty: nothing is known of it.
func (w *worker) keepWatched(ctx context.Context, h *hold) string {
	if h.end == nil {
		return ""
	}
	seen, err := h.end(slices.Collect(maps.Values(w.secrets)))
	hash := ""
	if err == nil && len(seen) > 0 {
		hash, err = w.e.Files.Put(ctx, Artifacts, seen)
	}
	if err != nil {
		w.e.log().Warn("what a person did on the desktop could not be stored", "run", w.id, "error", err)
	}
	return hash
}

// inHandsOf names a person among the holders of the lease.
func inHandsOf(run, by string) string { return run + " (taken over by " + by + ")" }

// HandBack takes the desktop of a run back from a person. The run rests until it is
// resumed.
func (e *Engine) HandBack(ctx context.Context, id, by string) (Header, error) {
	e.open()
	e.mu.Lock()
	h := e.holds[id]
	e.mu.Unlock()
	switch {
	case h == nil:
		return Header{}, steps.Errorf(steps.Invalid, "nobody has taken over the desktop of run %s", id)
	case h.by != by:
		return Header{}, steps.Errorf(steps.Busy, "%s has taken over the desktop of run %s, and only who took it hands it back", h.by, id)
	}
	return e.getAfter(ctx, id, e.giveBack(ctx, id, h, ""))
}

// lapsed takes back what a person has who shows no sign of life.
func (e *Engine) lapsed(id string, h *hold) {
	why := fmt.Sprintf("no sign of life for %s", e.lapse)
	if err := e.giveBack(e.life, id, h, why); err != nil {
		e.log().Warn("that a desktop was given back could not be recorded", "run", id, "error", err)
	}
}

// giveBack records that a person has the desktop of a run no more, and lets the
// engine act again, also when that cannot be recorded.
func (e *Engine) giveBack(ctx context.Context, id string, h *hold, why string) error {
	w, err := e.load(ctx, id, nil, false)
	record := func() error {
		e.mu.Lock()
		ours := e.holds[id] == h
		e.mu.Unlock()
		if !ours { // another has given it back by now
			return nil
		}
		defer e.letGo(id, h)
		return w.commit(EvReturned, "", Returned{By: h.by, Why: why, Hash: w.lastPicture(ctx), Recording: w.keepWatched(ctx, h)})
	}
	if err != nil {
		if h.end != nil {
			_, _ = h.end(nil)
		}
		e.letGo(id, h)
		return err
	}
	return e.aside(w, record)
}

func (e *Engine) letGo(id string, h *hold) {
	h.lapses.Stop()
	e.mu.Lock()
	if e.holds[id] == h {
		delete(e.holds, id)
	}
	e.mu.Unlock()
	e.Lease.Release(inHandsOf(id, h.by))
	e.hub.notify(id)
}

// takeBackAll takes every desktop back from whoever has it.
func (e *Engine) takeBackAll(ctx context.Context, why string) error {
	e.mu.Lock()
	held := maps.Clone(e.holds)
	e.mu.Unlock()
	var errs []error
	for id, h := range held {
		errs = append(errs, e.giveBack(ctx, id, h, why))
	}
	return errors.Join(errs...)
}

// lastPicture stores a picture of the desktop as it is now; empty when there is none.
func (x *runDesktop) lastPicture(ctx context.Context) string {
	if x.e.Pictures == nil {
		return ""
	}
	ctx, cancel := context.WithTimeout(ctx, pictureTime)
	defer cancel()
	d, err := x.desk().Open(ctx)
	if err != nil {
		return ""
	}
	defer x.releaseDesktop(x.s.Status == Succeeded)
	taken := make(chan string, 1)
	x.e.Pictures.Take(ctx, d, func(hash string, _ int, err error) {
		if err != nil {
			x.e.log().Warn("no picture of a desktop in the hands of a person", "run", x.id, "error", err)
		}
		taken <- hash
	})
	select {
	case hash := <-taken:
		return hash
	case <-ctx.Done():
		return ""
	}
}

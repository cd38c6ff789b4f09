package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync/atomic"
	"time"

	"understudy/steps"
)

// worker executes one attempt of a run in one goroutine, until the run ends, waits or
// pauses.
type worker struct {
	journal
	evaluator
	runDesktop
	limits     limits
	stops      stops
	inbox      inbox
	bundle     Bundle
	environ    []string
	focus      savedFocus
	tried      int                     // number of tries made by this worker
	handedOver bool                    // paused, and to be continued in another process; valid once done is closed
	held       *atomic.Pointer[string] // shared by the tries of one step; see steps.Env
	fields     fieldTexts              // before the steps whose effects are known
	keyboard   *steps.Keyboard         // see keys
	looks      bool                    // executes a document, or a call, that only reads
	calls      <-chan scriptCall       // of the script that runs

	noDesktop error // why the desktop could not be opened for the next step

	queued atomic.Bool // waiting for the lease

	done chan struct{} // closed when the worker has ended
	err  error         // why it ended early; valid once done is closed
}

func (w *worker) work() {
	defer close(w.first)
	defer close(w.done)
	defer w.e.retire(w)
	defer func() { w.releaseDesktop(w.err == nil && w.s.Status == Succeeded) }()
	w.err = w.recoverLoop()
	w.leaveKeyboard()
	var stale *StaleError
	switch {
	case errors.As(w.err, &stale):
		w.e.log().Info("run continued elsewhere", "run", w.id, "error", w.err)
	case w.err != nil:
		w.e.log().Error("run cut short", "run", w.id, "error", w.err)
	}
}

// recoverLoop turns a panic into an error, so that a bug met by one run does not end
// the others.
func (w *worker) recoverLoop() (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.e.log().Error("run panicked", "run", w.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("run %s: internal error (panic): %v", w.id, p)
		}
	}()
	return w.loop()
}

func (w *worker) loop() error {
	for {
		halted, err := w.takeSignals()
		if halted || err != nil {
			return err
		}
		over, err := w.perform(decide(w.layout, &w.s))
		if over || err != nil {
			return err
		}
	}
}

// takeSignals records what has happened outside since the last effect: pictures,
// logs, stops, pauses, and limits that were exceeded.
func (w *worker) takeSignals() (halted bool, err error) {
	if err := w.drain(); err != nil {
		return false, err
	}
	if w.stored == 0 && time.Since(w.header.StartedAt) > interval { // the caller of Start waits for that
		if err := w.flush(w.lazy()); err != nil {
			return false, err
		}
	}
	if w.e.beforeEffect != nil {
		w.e.beforeEffect(w)
	}
	stop, pause := w.stops.asked()
	if stop != nil && stop.Cause == byAbandoning {
		err := w.commit(EvAssigned, "", Assigned{w.s.Worker, w.s.Lost - 1}) // this worker was not lost
		return false, cmp.Or(err, errAbandoned)
	}
	if stop == nil && w.limits.overdue() {
		stop = &Stopping{Cause: ByTimeout, Error: w.limits.workflow().exceeded()}
	}
	if full := w.quotaStop(); stop == nil && full != nil {
		stop = full
	}
	if stop != nil && (w.s.Stop == nil || stop.Abort && !w.s.Stop.Abort) {
		return false, w.record(EvStopping, "", *stop)
	}
	if pause == forShutdown && w.s.Stop != nil && w.s.Stop.Cause != ByShutdown { // its finally is left to a later attempt
		e := ErrorRecord{Code: steps.Interrupted, Message: errShutDown.Error(), Next: "resume the run when you are ready"}
		return true, w.halt(EvFinished, "", Finished{Status: Interrupted, Error: &e}, false)
	}
	if err := w.limits.expire(); err != nil {
		return false, err
	}
	if pause == noPause || w.s.Stop != nil || !w.boundary(pause) {
		return false, nil
	}
	err = w.halt(EvPaused, "", struct{}{}, false)
	w.handedOver = err == nil && pause == forHandover && !w.didItsStep()
	return true, err
}

// boundary reports whether the run is between two steps, where it may pause, and not between
// the tries of one. A pause for a person, who changes the screen, also comes after what the
// step expects was evaluated.
func (w *worker) boundary(p pause) bool {
	f := w.s.top()
	switch c := f.Cur; {
	case c == nil || c.Settled != "":
		return true
	case p == forHandover:
		return c.Outcome != nil && c.Outcome.Error == nil
	}
	n, err := w.layout.node(f)
	return err == nil && f.Cur.succeeded(n)
}

func (w *worker) perform(e effect) (over bool, err error) {
	switch e := e.(type) {
	case record:
		return false, w.record(e.typ, e.path, e.data)
	case evaluate:
		if e.asksDesktop() {
			if err := w.flush(false); err != nil {
				return false, err
			}
			if w.claimsEarly() {
				waited, ok, err := w.takeLease()
				w.exclude(waited)
				if !ok {
					return false, err
				}
			}
		}
		return false, w.evaluate(e)
	case start:
		if w.wantsPause(e) {
			return true, w.halt(EvPaused, e.path, struct{}{}, false)
		}
		return false, w.start(e)
	case wait:
		return false, w.wait(e)
	case ask:
		return w.ask(e)
	case finish:
		return true, w.halt(EvFinished, "", Finished{Status: e.status, Error: e.err}, w.lazy())
	}
	return false, fmt.Errorf("run %s: there is no effect %T", w.id, e)
}

// wantsPause reports whether a run in step-through mode pauses before a step.
func (w *worker) wantsPause(e start) bool { return e.try == 1 && w.didItsStep() }

// didItsStep reports whether a run in step-through mode has done its step.
func (w *worker) didItsStep() bool {
	return w.s.Created.StepThrough && w.tried > 0 && !w.s.finishing()
}

// asksDesktop reports whether an evaluation may take long, so that earlier events
// must be stored first.
func (e evaluate) asksDesktop() bool {
	switch e.purpose {
	case TheExpect, TheBefore, TheRecheck:
		return true
	case TheIf:
		return e.node.If.Looks()
	}
	return false
}

// halt records why the run has ended or comes to rest, after pending pictures, and
// restores the user's focus.
func (w *worker) halt(t EventType, path string, data any, lazy bool) error {
	w.focus.restore()
	if left := w.inbox.await(pictureTime); left > 0 {
		w.e.log().Warn("the run ended before all its pictures were stored", "run", w.id, "missing", left)
	}
	if err := w.drain(); err != nil {
		return err
	}
	w.stops.endPause()
	if err := w.record(t, path, data); err != nil {
		return err
	}
	return w.flush(lazy)
}

// toStop reports whether a stop was requested that is not recorded yet.
func (w *worker) toStop() bool {
	stop, _ := w.stops.asked()
	return stop != nil && (w.s.Stop == nil || stop.Abort && !w.s.Stop.Abort)
}

// stopped reports whether a context ended because the run is to stop.
func (w *worker) stopped(ctx context.Context) bool { return ctx.Err() != nil && w.toStop() }

func (w *worker) wait(e wait) error {
	d := e.node.Delay
	if e.why == "retry" {
		d = e.node.Retry.Pause(e.try)
	}
	if d > 0 {
		if err := w.flush(w.lazy()); err != nil {
			return err
		}
		ctx, done := w.context(0)
		defer done()
		if err := steps.Sleep(ctx, d); err != nil {
			return nil // a stop or a limit, which takeSignals records
		}
	}
	return w.record(EvWaited, e.path, Waited{Why: e.why, For: d})
}

// errorRecord returns an error as events hold it: with secrets masked.
func (v *evaluator) errorRecord(e *steps.Error, step string) *ErrorRecord {
	if e == nil {
		return nil
	}
	text := string(e.Code)
	if e.Err != nil {
		text = e.Err.Error()
	}
	r := &ErrorRecord{
		Code: e.Code, Message: v.secrets.maskText(text, v.near...), Step: step,
		Next: v.secrets.maskText(e.Next, v.near...), Candidates: slices.Clone(e.Candidates), Blocker: v.secrets.maskText(e.Blocker, v.near...),
	}
	for i, c := range r.Candidates {
		r.Candidates[i].Selector = v.secrets.maskText(c.Selector, v.near...)
		r.Candidates[i].Element = v.secrets.maskText(c.Element, v.near...)
	}
	return r
}

var errShutDown = errors.New("the program is shutting down")

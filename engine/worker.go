package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"understudy/steps"
	"understudy/workflows"
	"understudy/workflows/expression"
)

// worker is one attempt of a run, in one goroutine, from its first effect
// until it ends, waits or pauses.
type worker struct {
	e       *Engine
	id      string
	program *workflows.Program
	bundle  Bundle
	layout  *layout
	s       State
	header  Header
	secrets secrets  // replaced, never changed, once the worker goes
	near    []string // the secrets that went into what is performed
	environ []string
	actor   string // the client that continued the run; empty: the one that began it
	looks   expression.Probe
	user    *borrowed // nil before it acted

	pending []Event   // recorded, not stored yet
	stored  uint64    // how many events are stored
	base    int       // the attempt that is stored
	flushed time.Time // when
	tried   int       // tries made by this worker
	snapped uint64    // the event of the last snapshot

	queued atomic.Bool // it waits for the lease

	first chan struct{} // of a new run: that its beginning is stored; closed with done
	done  chan struct{} // closed when the worker has ended
	err   error         // why it ended before its time, once done is closed

	mu       sync.Mutex
	stop     *Stopping // asked for
	abort    bool      // asked for twice
	shielded bool      // what is performed is not ended by a first stop
	pause    bool      // asked for
	cancel   context.CancelCauseFunc
	later    []Event // from pictures and logs, to be recorded by the worker
	pictures int     // under way
	posted   chan struct{}
}

// snapshotEvery is how many events lie between snapshots of the state: few
// enough to resume quickly, many enough to cost nothing.
func (e *Engine) snapshotEvery() uint64 {
	if e.every > 0 {
		return e.every
	}
	return 5000
}

// work performs effects until the attempt ends, waits or pauses.
func (w *worker) work() {
	defer close(w.first)
	defer close(w.done)
	defer w.e.retire(w)
	w.err = w.recoverLoop()
	var stale *StaleError
	switch {
	case errors.As(w.err, &stale):
		w.e.log().Info("run continued elsewhere", "run", w.id, "error", w.err)
	case w.err != nil:
		w.e.log().Error("run cut short", "run", w.id, "error", w.err)
	}
}

// recoverLoop makes an error of a panic: a mistake in one run ends no other.
func (w *worker) recoverLoop() (err error) {
	defer func() {
		if p := recover(); p != nil {
			w.e.log().Error("run panicked", "run", w.id, "panic", fmt.Sprint(p), "stack", string(debug.Stack()))
			err = fmt.Errorf("run %s failed in a way that it should not: %v", w.id, p)
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

// takeSignals records what came from outside since the last effect: pictures and
// logs, stops and pauses, and limits that have passed.
func (w *worker) takeSignals() (halted bool, err error) {
	if err := w.drain(); err != nil {
		return false, err
	}
	if w.stored == 0 && time.Since(w.header.StartedAt) > interval { // who began it waits for that
		if err := w.flush(w.lazy()); err != nil {
			return false, err
		}
	}
	if w.e.between != nil {
		w.e.between(w)
	}
	w.mu.Lock()
	stop, abort, pause := w.stop, w.abort, w.pause
	w.mu.Unlock()
	if stop == nil && w.overdue() {
		stop = &Stopping{Cause: ByTimeout, Error: w.workflowLimit().exceeded()}
	}
	if stop != nil && (w.s.Stop == nil || abort && !w.s.Stop.Abort) {
		ev := *stop
		ev.Abort = abort
		return false, w.record(EvStopping, "", ev)
	}
	if err := w.expire(); err != nil {
		return false, err
	}
	if pause && w.s.Stop == nil && w.boundary() {
		return true, w.halt(EvPaused, "", struct{}{})
	}
	return false, nil
}

// boundary says whether no step is in the middle of its tries.
func (w *worker) boundary() bool {
	c := w.s.top().Cur
	return c == nil || c.Settled != "" || c.Outcome != nil && c.Outcome.Error == nil
}

// perform does one effect.
func (w *worker) perform(e effect) (over bool, err error) {
	switch e := e.(type) {
	case record:
		return false, w.record(e.typ, e.path, e.data)
	case evaluate:
		if w.asksDesktop(e) {
			if err := w.flush(false); err != nil {
				return false, err
			}
		}
		return false, w.evaluate(e)
	case start:
		if w.wantsPause(e) {
			return true, w.halt(EvPaused, e.path, struct{}{})
		}
		return false, w.start(e)
	case wait:
		return false, w.wait(e)
	case ask:
		return w.ask(e)
	case finish:
		return true, w.finish(e)
	}
	return false, fmt.Errorf("run %s: there is no effect %T", w.id, e)
}

// wantsPause says whether a run that goes step by step has done its step.
func (w *worker) wantsPause(e start) bool {
	return w.s.Created.StepThrough && e.try == 1 && w.tried > 0 && !w.s.finishing()
}

// asksDesktop says whether an evaluation may take time, so that what was done
// before it has to be durable first.
func (w *worker) asksDesktop(e evaluate) bool {
	switch e.what {
	case TheExpect, TheBefore, TheRecheck:
		return true
	case TheIf:
		return e.node.If.Looks()
	}
	return false
}

// record adds an event to the run and applies it.
func (w *worker) record(t EventType, path string, data any) error {
	return w.recordAs(t, path, data, data)
}

// recordAs is record, with data that is written in a form of its own.
func (w *worker) recordAs(t EventType, path string, data, written any) error {
	ev, err := newEvent(t, path, written)
	if err != nil {
		return err
	}
	ev.fact = data
	return w.append(ev)
}

func (w *worker) append(ev Event) error {
	ev.Seq, ev.Attempt, ev.At = w.s.Seq+1, w.s.Attempt, time.Now().UTC()
	if ev.Type == EvResumed || ev.Type == EvCreated {
		ev.Attempt++
	}
	if err := apply(&w.s, ev); err != nil {
		return fmt.Errorf("run %s: %w", w.id, err)
	}
	ev.fact = nil
	w.pending = append(w.pending, ev)
	return nil
}

// flush stores what is recorded. Lazy events may be lost in a crash.
func (w *worker) flush(lazy bool) error {
	if len(w.pending) == 0 {
		return nil
	}
	w.header = headerOf(&w.s, w.header, w.layout)
	b := Batch{Attempt: w.base, Seq: w.stored, Events: w.pending, Header: w.header, Lazy: lazy}
	if w.s.Seq-w.snapped >= w.e.snapshotEvery() {
		snap, err := snapshot(&w.s)
		if err != nil {
			return err
		}
		b.Snapshot, w.snapped = snap, w.s.Seq
	}
	if err := w.e.Store.Append(w.e.life, w.id, b); err != nil {
		return fmt.Errorf("run %s: storing %d events: %w", w.id, len(b.Events), err)
	}
	if w.stored == 0 {
		w.first <- struct{}{}
	}
	w.stored, w.base, w.pending, w.flushed = w.s.Seq, w.s.Attempt, nil, time.Now()
	w.e.hub.notify(w.id)
	return nil
}

// interval is how long events may wait for a sync with durability: interval.
const interval = 100 * time.Millisecond

// flushBefore makes durable what must be before a step starts.
func (w *worker) flushBefore(n *workflows.Node) error {
	if w.program.Options.Durability == workflows.Interval && n.Repeatable() && time.Since(w.flushed) < interval {
		return nil
	}
	return w.flush(w.lazy())
}

// lazy says whether the run is one that may be lost: a single call that only
// reads.
func (w *worker) lazy() bool { return w.header.Call != "" && w.header.Reads }

// halt records why the run stands still, after the pictures that are still
// under way, and lets go of the desktop.
func (w *worker) halt(t EventType, path string, data any) error {
	w.returnFocus()
	w.awaitPictures()
	if err := w.drain(); err != nil {
		return err
	}
	w.mu.Lock()
	w.pause = false
	w.mu.Unlock()
	if err := w.record(t, path, data); err != nil {
		return err
	}
	return w.flush(false)
}

// cause is the error of the stop that was asked for. The lock is held.
func (w *worker) cause() error {
	if w.stop == nil {
		return steps.Errorf(steps.Cancelled, "the run was stopped")
	}
	code := steps.Cancelled
	if w.stop.Cause == ByTimeout {
		code = steps.Timeout
	}
	return steps.Errorf(code, "%s", w.stop.Error.Message)
}

// stopped says whether a context ended because the run is to stop.
func (w *worker) stopped(ctx context.Context) bool {
	if ctx.Err() == nil {
		return false
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.stop != nil && w.s.Stop == nil || w.abort
}

// interrupt asks the worker to stop. Asked again, it gives up finally too. What
// is shielded goes on.
func (w *worker) interrupt(c Cause, message string) (goesOn bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stop != nil {
		w.abort = true
	} else {
		code := steps.Cancelled
		switch c {
		case ByTimeout:
			code = steps.Timeout
		case ByShutdown:
			code = steps.Interrupted
		}
		w.stop = &Stopping{Cause: c, Error: ErrorRecord{Code: code, Message: message, Next: "resume the run when you are ready"}}
	}
	w.wake()
	return w.cancel != nil && w.shielded && !w.abort && c != ByShutdown
}

// wake ends the effect that is performed, if a stop concerns it. The lock is
// held.
func (w *worker) wake() {
	if w.cancel == nil || w.stop == nil {
		return
	}
	if w.abort || !w.shielded || w.stop.Cause == ByShutdown {
		w.cancel(w.cause())
	}
}

// wait lets time pass.
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
			return nil // a stop or a limit, which attend records
		}
	}
	return w.record(EvWaited, e.path, Waited{Why: e.why, For: d})
}

// finish ends the attempt, after the pictures that are still under way.
func (w *worker) finish(e finish) error {
	w.returnFocus()
	w.awaitPictures()
	if err := w.drain(); err != nil {
		return err
	}
	if err := w.record(EvFinished, "", Finished{Status: e.status, Error: e.err}); err != nil {
		return err
	}
	return w.flush(w.lazy())
}

// errorRecord is an error as events hold it: without secrets.
func (w *worker) errorRecord(e *steps.Error, step string) *ErrorRecord {
	if e == nil {
		return nil
	}
	text := string(e.Code)
	if e.Err != nil {
		text = e.Err.Error()
	}
	r := &ErrorRecord{
		Code: e.Code, Message: w.secrets.maskText(text, w.near...), Step: step,
		Next: w.secrets.maskText(e.Next, w.near...), Candidates: slices.Clone(e.Candidates),
	}
	for i, c := range r.Candidates {
		r.Candidates[i].Selector = w.secrets.maskText(c.Selector, w.near...)
		r.Candidates[i].Element = w.secrets.maskText(c.Element, w.near...)
	}
	return r
}

var errShutDown = errors.New("the program is shutting down")

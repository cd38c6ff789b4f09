package engine

import (
	"cmp"
	"context"
	"errors"
	"sync"
	"time"

	"understudy/steps"
)

// stops holds what was asked of a worker from outside, and cancels the current effect
// if need be.
type stops struct {
	mu       sync.Mutex
	stop     *Stopping // the requested stop; its Abort is set by the second request
	pause    pause     // a pause was requested
	shielded bool      // a first stop does not cancel the current effect
	yields   bool      // a pause cancels the current effect
	cancel   context.CancelCauseFunc
}

// pause tells why a run is to pause at the next boundary between steps.
type pause int

const (
	noPause     pause = iota
	forHandover       // it continues in another process
	forPerson         // it rests
	forShutdown       // at once, and even if the run is to stop
)

// asked returns the requested stop, or nil, and the requested pause.
func (s *stops) asked() (stop *Stopping, p pause) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		ev := *s.stop
		stop = &ev
	}
	return stop, s.pause
}

// pauseAtBoundary requests a pause. One for a person takes precedence.
func (s *stops) pauseAtBoundary(p pause) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause = max(s.pause, p)
	s.wake()
}

// endPause withdraws the request for a pause.
func (s *stops) endPause() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause = noPause
}

// yield lets a pause cancel the current effect, which loses nothing.
func (s *stops) yield() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.yields = true
	s.wake()
}

// begin sets the function that cancels the current effect; nil: there is none.
func (s *stops) begin(cancel context.CancelCauseFunc, shielded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel, s.shielded, s.yields = cancel, shielded, false
	s.wake()
}

// interrupt requests a stop. The second request abandons finally too, unless it is a shutdown:
// then finally is left to a later attempt. It reports whether a shielded effect continues.
func (s *stops) interrupt(c Cause, message string) (goesOn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c == ByShutdown {
		s.pause = forShutdown
	}
	switch {
	case s.stop == nil:
		code := cmp.Or(stopCodes[c], steps.Cancelled)
		s.stop = &Stopping{Cause: c, Error: ErrorRecord{Code: code, Message: message, Next: "resume the run when you are ready"}}
	case c != ByShutdown:
		s.stop.Abort = true
	}
	s.wake()
	return s.cancel != nil && s.shielded && !s.stop.Abort && c != ByShutdown
}

// abandon makes the worker end at once. How the run ends is not stored.
func (s *stops) abandon() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop = &Stopping{Cause: byAbandoning, Abort: true, Error: ErrorRecord{Message: errAbandoned.Error()}}
	s.wake()
}

// byAbandoning is the cause of a stop that is never stored.
const byAbandoning Cause = "abandoning"

var errAbandoned = errors.New("another process continues the run")

// stopCodes are the codes of stops that do not count as cancelled.
var stopCodes = map[Cause]steps.Code{ByTimeout: steps.Timeout, ByShutdown: steps.Interrupted}

// wake cancels the current effect if a stop or a pause requires it. The mutex is
// held.
func (s *stops) wake() {
	if s.cancel == nil {
		return
	}
	if s.pause != noPause && s.yields {
		s.cancel(errPause)
	}
	if s.stop == nil {
		return
	}
	if s.stop.Abort || !s.shielded || s.pause == forShutdown {
		s.cancel(s.cause())
	}
}

var errPause = errors.New("the run is to pause")

// cause returns the error of the requested stop. The mutex is held.
func (s *stops) cause() error {
	code := steps.Cancelled
	if s.stop.Cause == ByTimeout {
		code = steps.Timeout
	}
	return steps.Errorf(code, "%s", s.stop.Error.Message)
}

// Stop ends a run. It returns when the step under way has ended; the run's finally is
// still executed. A second Stop abandons finally too.
func (e *Engine) Stop(ctx context.Context, id string, c Cause, message string) (Header, error) {
	for w := e.workers.of(id); w != nil; w = e.workers.of(id) {
		if w.stops.interrupt(c, message) {
			h, err := e.Get(ctx, id)
			h.Stopping = true
			return h, err
		}
		h, err := e.settled(ctx, w)
		if err != nil || h.Stopping || h.Status != Waiting && h.Status != Paused {
			return h, err
		}
		// It came to rest without noticing the stop.
	}
	w, err := e.revive(ctx, id, nil, false)
	if err != nil {
		return Header{}, err
	}
	queued := e.Elsewhere && w.header.Status == Queued
	if w.s.Status != Waiting && w.s.Status != Paused && !queued {
		return Header{}, steps.Errorf(steps.Invalid, "run %s is not being executed: it is %s", id, e.present(w.header).Status)
	}
	w.stops.interrupt(c, message)
	if w.s.Stop != nil { // its finally waits
		w.stops.interrupt(c, message)
	}
	if queued {
		return e.launch(w)
	}
	return e.launchAfter(w, EvContinued, struct{}{})
}

// settled waits until a stop is recorded or the worker has ended.
func (e *Engine) settled(ctx context.Context, w *worker) (Header, error) {
	news, end := e.News(w.id)
	defer end()
	for {
		select {
		case <-w.done:
			return e.Get(ctx, w.id)
		case <-news:
			if h, err := e.Get(ctx, w.id); err != nil || h.Stopping {
				return h, err
			}
		case <-ctx.Done():
			return Header{}, context.Cause(ctx)
		}
	}
}

// keepStopping makes a run that continues by itself stop again if it was stopping when
// its process died. Only a person withdraws a stop.
func (w *worker) keepStopping() {
	if s := w.s.Stop; s != nil && s.Cause != ByShutdown {
		w.stops.stop = &Stopping{Cause: s.Cause, Error: s.Error, Abort: s.Abort}
	}
}

// stopPatience bounds the wait of a call for the end of a run that is stopping.
const stopPatience = 5 * time.Second

// isAtRest reports whether a run is not being executed. It waits for one that is stopping, as
// when its client has just gone.
func (e *Engine) isAtRest(ctx context.Context, id string) bool {
	w := e.workers.of(id)
	if w == nil {
		return true
	}
	if stop, _ := w.stops.asked(); stop == nil {
		return false
	}
	select {
	case <-w.done:
	case <-ctx.Done():
	case <-time.After(stopPatience):
	}
	return e.workers.of(id) == nil
}

// StopAll stops all runs that are being executed.
func (e *Engine) StopAll(ctx context.Context, c Cause, message string) ([]Header, error) {
	var out []Header
	var errs []error
	for _, id := range e.Active() {
		h, err := e.Stop(ctx, id, c, message)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		out = append(out, h)
	}
	return out, errors.Join(errs...)
}

// Pause pauses a run at the next boundary between steps.
func (e *Engine) Pause(_ context.Context, id string) error {
	w := e.workers.of(id)
	if w == nil {
		return steps.Errorf(steps.Invalid, "run %s is not being executed", id)
	}
	w.stops.pauseAtBoundary(forPerson)
	return nil
}

// Abandon ends the execution of a run, so that another worker continues the run as one whose
// worker was lost, but does not count it as lost. It returns once the step under way has ended.
func (e *Engine) Abandon(ctx context.Context, id string) error {
	w := e.workers.of(id)
	if w == nil {
		return nil
	}
	w.stops.abandon()
	select {
	case <-w.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// PauseForHandover pauses a run at the next boundary between steps, so that it continues in
// another process. Once the run is at rest, continues reports whether it paused for nothing
// else: neither did somebody pause it, nor does it pause after each step. It is nil if the
// run is not being executed.
func (e *Engine) PauseForHandover(id string) (continues func() bool) {
	w := e.workers.of(id)
	if w == nil {
		return nil
	}
	w.stops.pauseAtBoundary(forHandover)
	return func() bool {
		select {
		case <-w.done:
			return w.handedOver
		default:
			return false
		}
	}
}

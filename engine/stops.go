package engine

import (
	"context"
	"errors"
	"sync"

	"understudy/steps"
)

// stops holds what was asked of a worker from outside, and cancels the current effect
// if need be.
type stops struct {
	mu       sync.Mutex
	stop     *Stopping // the requested stop; its Abort is set by the second request
	pause    bool      // a pause was requested
	shielded bool      // a first stop does not cancel the current effect
	yields   bool      // a pause cancels the current effect
	cancel   context.CancelCauseFunc
}

// asked returns the requested stop, or nil, and whether a pause was requested.
func (s *stops) asked() (stop *Stopping, pause bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		ev := *s.stop
		stop = &ev
	}
	return stop, s.pause
}

// pauseAt requests a pause at the next boundary between steps, or withdraws the
// request.
func (s *stops) pauseAt(boundary bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause = boundary
	s.wake()
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

// interrupt requests a stop. The second request abandons finally too. It reports
// whether a shielded effect continues.
func (s *stops) interrupt(c Cause, message string) (goesOn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.stop.Abort = true
	} else {
		code := steps.Cancelled
		switch c {
		case ByTimeout:
			code = steps.Timeout
		case ByShutdown:
			code = steps.Interrupted
		}
		s.stop = &Stopping{Cause: c, Error: ErrorRecord{Code: code, Message: message, Next: "resume the run when you are ready"}}
	}
	s.wake()
	return s.cancel != nil && s.shielded && !s.stop.Abort && c != ByShutdown
}

// wake cancels the current effect if a stop or a pause requires it. The mutex is
// held.
func (s *stops) wake() {
	if s.cancel == nil {
		return
	}
	if s.pause && s.yields {
		s.cancel(errPause)
	}
	if s.stop == nil {
		return
	}
	if s.stop.Abort || !s.shielded || s.stop.Cause == ByShutdown {
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

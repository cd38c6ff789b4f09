package engine

import (
	"context"
	"errors"
	"sync"

	"understudy/steps"
)

// stops are what was asked of a worker from outside, and the effect that it may
// have to end.
type stops struct {
	mu       sync.Mutex
	stop     *Stopping // asked for
	abort    bool      // asked for twice
	pause    bool      // asked for
	shielded bool      // what is performed is not ended by a first stop
	yields   bool      // what is performed is ended by a pause
	cancel   context.CancelCauseFunc
}

func (s *stops) asked() (stop *Stopping, abort, pause bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stop, s.abort, s.pause
}

// pauseAt asks for a pause at the next boundary, or no longer.
func (s *stops) pauseAt(boundary bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pause = boundary
	s.wake()
}

// yield lets a pause end what is performed: nothing is lost with it.
func (s *stops) yield() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.yields = true
	s.wake()
}

// begin names the effect that is performed by what cancels it; nil: none is.
func (s *stops) begin(cancel context.CancelCauseFunc, shielded bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.cancel, s.shielded, s.yields = cancel, shielded, false
	s.wake()
}

// interrupt asks the worker to stop. Asked again, it gives up finally too. What
// is shielded goes on.
func (s *stops) interrupt(c Cause, message string) (goesOn bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stop != nil {
		s.abort = true
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
	return s.cancel != nil && s.shielded && !s.abort && c != ByShutdown
}

// wake ends the effect that is performed, if a stop or a pause concerns it. The lock
// is held.
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
	if s.abort || !s.shielded || s.stop.Cause == ByShutdown {
		s.cancel(s.cause())
	}
}

var errPause = errors.New("the run is to pause")

// cause is the error of the stop that was asked for. The lock is held.
func (s *stops) cause() error {
	code := steps.Cancelled
	if s.stop.Cause == ByTimeout {
		code = steps.Timeout
	}
	return steps.Errorf(code, "%s", s.stop.Error.Message)
}

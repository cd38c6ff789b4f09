package watch

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// Session is a recording that goes on beside its caller:
//
//	s, err := watch.Start(ctx, d, watch.Options{Log: log, Keys: recorder.DefaultKeys()})
//	…
//	status := s.Status() // the steps that were understood so far
//	…
//	events, err := s.Stop()
//	text, notes, err := compile.Events(events, compile.Options{Name: "order"})
//
// It ends on Stop, when its context ends, when the person presses the stop key, or when
// the display is lost. The events until then are available in each case.
type Session struct {
	recording *recording
	stop      context.CancelCauseFunc
	done      chan struct{}
	err       error // once done is closed
	late      sync.Mutex
}

// errStopped says that the recording was stopped on purpose.
var errStopped = errors.New("the recording was stopped")

// Start begins a recording. When it returns, no input is missed any more: input is queued and
// handled by another goroutine, so that nothing is lost when an application is slow.
func Start(ctx context.Context, d *desktop.Desktop, o Options) (*Session, error) {
	watching, stop := context.WithCancelCause(ctx)
	r := newRecording(d, o, stop)
	r.progress.now.Began = time.Now()
	if err := r.begin(watching); err != nil {
		stop(err)
		return nil, err
	}
	s := &Session{recording: r, stop: stop, done: make(chan struct{})}
	go s.run(watching)
	select {
	case <-r.began:
		return s, nil
	case <-s.done:
		if s.err == nil {
			s.err = context.Cause(watching)
		}
		return nil, s.err
	}
}

// run records until the context ends.
func (s *Session) run(ctx context.Context) {
	defer close(s.done)
	defer s.stop(nil)
	r := s.recording
	var watch sync.WaitGroup
	var failed error
	watch.Go(func() {
		if err := r.desktop.Watch(ctx, r.queue.add); ctx.Err() == nil {
			failed = fmt.Errorf("watching the input: %w", err)
			s.stop(failed)
		}
	})
	watch.Go(func() { _ = r.desktop.WatchFocus(ctx, func() { signal(r.changes.focus) }) }) // without it the keyboard is asked for
	r.loop(ctx)
	r.changes.stop()
	watch.Wait()
	r.end()
	s.err = errors.Join(failed, r.journal.failed)
}

// Status returns the state of the recording.
func (s *Session) Status() recorder.Status {
	busy := s.recording.queue.busy() // first: handling it changes the rest
	st := s.recording.progress.status()
	st.Pending = st.Pending || busy
	select {
	case <-s.done:
		st.Ended, st.Pending = true, false
	default:
	}
	return st
}

// Done is closed when the recording has ended.
func (s *Session) Done() <-chan struct{} { return s.done }

// Stop ends the recording, and returns the events. It may be called again.
func (s *Session) Stop() ([]recorder.Event, error) {
	s.stop(errStopped)
	return s.Wait()
}

// Wait waits for the end, and returns the events, also with an error.
func (s *Session) Wait() ([]recorder.Event, error) {
	<-s.done
	return s.Events(), s.err
}

// Changed returns a channel that is closed when the status changes.
func (s *Session) Changed() <-chan struct{} {
	p := &s.recording.progress
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed == nil {
		p.changed = make(chan struct{})
	}
	return p.changed
}

// progress is the state of a recording that other goroutines may read.
type progress struct {
	mu      sync.Mutex
	now     recorder.Status
	changed chan struct{} // nil if no one waits
}

func (p *progress) status() recorder.Status {
	p.mu.Lock()
	defer p.mu.Unlock()
	st := p.now
	st.Steps = append([]recorder.Line(nil), st.Steps...)
	return st
}

// set publishes the state of a recording.
func (p *progress) set(r *recording) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.changed != nil && (p.now.Events != len(r.journal.events) || p.now.Paused != r.paused) {
		close(p.changed)
		p.changed = nil
	}
	p.now.Events, p.now.Paused = len(r.journal.events), r.paused
	p.now.Pending = r.restPending || r.fieldUnread || r.choice.reads > 0 || r.inferred.due || len(r.heldKeys) > 0
	p.now.Steps = append(p.now.Steps[:0], r.reporter.lines...)
	p.now.Limits = r.inferred.limits
}

package engine

import (
	"context"
	"iter"
	"slices"
	"time"

	"understudy/steps"
)

// An Attempt is a run from its beginning, or from where somebody continued it, until it
// ends or somebody continues it again. Attempts with which the run continued by itself
// belong to the one before.
type Attempt struct {
	Header           // at the end of the attempt
	Began  time.Time // the attempt, not the run
	Past   bool      // somebody has continued the run since, so that nothing here changes any more
}

// AttemptOf returns the attempt of a run with a number.
func AttemptOf(ctx context.Context, runs Runs, kinds []steps.Kind, id string, number int) (Attempt, error) {
	h, err := runs.Get(ctx, id)
	if err != nil {
		return Attempt{}, err
	}
	if number < 1 || number > h.Attempt {
		return Attempt{}, steps.Errorf(steps.NotFound, "run %s has no attempt %d", id, number)
	}
	a := Attempt{Header: h, Began: h.StartedAt}
	if err := a.setEnd(ctx, runs); err != nil || h.Attempt == 1 {
		return a, err
	}
	for ev, err := range History(ctx, runs, id) {
		switch {
		case err != nil:
			return a, err
		case ev.Type != EvResumed || ev.Attempt < number:
		case ev.Attempt == number:
			a.Began = ev.At
		case !continuesByItself(ev):
			return a, a.goBack(ctx, runs, kinds, ev)
		}
	}
	return a, nil
}

// afterEnd bounds the events that follow the end of an attempt, such as pictures.
const afterEnd = 100

// setEnd sets UpdatedAt of an attempt that has ended to the time of the event with which it
// did; the header was written a moment later, and for later pictures once more.
func (a *Attempt) setEnd(ctx context.Context, runs Runs) error {
	if !a.Status.Ended() {
		return nil
	}
	events, err := runs.Events(ctx, a.ID, max(a.Seq, afterEnd)-afterEnd+1)
	for _, ev := range slices.Backward(events) {
		if ev.Type == EvFinished {
			a.UpdatedAt = ev.At
			break
		}
	}
	return err
}

func continuesByItself(ev Event) bool {
	r, err := factOf[Resumed](ev)
	return err == nil && r.Auto
}

// goBack sets the header to what it was before an event with which the run continued.
func (a *Attempt) goBack(ctx context.Context, runs Runs, kinds []steps.Kind, next Event) error {
	f := folder{store: reader{runs}, run: a.ID}
	s, err := f.on(ctx, State{}, next.Seq-1)
	if err != nil {
		return err
	}
	if s.Status == Running { // the process died
		s.Status = Interrupted
	}
	h := a.Header
	h.Document = s.Created.Document
	var b Bundle
	if h.Call == "" {
		if b, err = BundleOf(ctx, runs, h); err != nil {
			return err
		}
	}
	args, _ := s.Created.Args.(map[string]any)
	p, err := b.program(kinds, h.Call, args)
	if err != nil {
		return err
	}
	a.Header, a.Past = headerOf(&s, h, newLayout(p)), true
	a.UpdatedAt = s.Since
	return nil
}

// Report returns what the run had done by the end of the attempt.
func (a Attempt) Report(ctx context.Context, runs Runs, p Page) (Report, error) {
	if !a.Past {
		return runs.Report(ctx, a.ID, p)
	}
	return ReportOf(a.Header, func(yield func(Event, error) bool) {
		for ev, err := range History(ctx, runs, a.ID) {
			if ev.Seq > a.Seq || !yield(ev, err) {
				return
			}
		}
	}, p)
}

// reader reads the events of runs as from their store.
type reader struct{ runs Runs }

func (r reader) Events(ctx context.Context, run string, from uint64) iter.Seq2[Event, error] {
	return historyFrom(ctx, r.runs, run, from)
}

package schedules

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"understudy/engine"
	"understudy/steps"
)

// A Scheduler sees to the schedules of a store. Several may, on one store.
type Scheduler struct {
	Store Store
	// Runs are those of the store.
	Runs func(context.Context) (engine.Runs, error)
	// Start begins the run of a firing, with the rights of who made the schedule.
	Start func(ctx context.Context, s Schedule, f Firing) error
	Log   *slog.Logger
	// Server is the name of this one in a fleet.
	Server string

	poke   chan struct{}
	before map[string]map[string]string // schedule → path → mark, as it was looked at last
	failed map[string]string            // schedule → what was logged of it last
	now    func() time.Time
}

// Open makes a scheduler ready to work.
func (s *Scheduler) Open() *Scheduler {
	s.poke, s.now = make(chan struct{}, 1), time.Now
	s.before, s.failed = map[string]map[string]string{}, map[string]string{}
	return s
}

// Poke lets it look at once.
func (s *Scheduler) Poke() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// lookAgain is how often it looks what has become due.
const lookAgain = time.Second

// Work begins the runs that become due, until the context ends.
func (s *Scheduler) Work(ctx context.Context) {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for served := (time.Time{}); ; {
		if all, err := s.Store.List(ctx); err != nil {
			s.complain("", err)
		} else {
			if len(all) > 0 && time.Since(served) > serveAgain {
				s.complain("", s.Store.Serve(ctx))
				served = time.Now()
			}
			s.lookAt(ctx, all)
		}
		select {
		case <-tick.C:
		case <-s.poke:
		case <-ctx.Done():
			return
		}
	}
}

func (s *Scheduler) lookAt(ctx context.Context, all []Entry) {
	for _, e := range all {
		if ctx.Err() != nil {
			return
		}
		if s.seesTo(e.Schedule) {
			s.complain(e.Name, s.look(ctx, e))
		}
	}
}

// seesTo says whether a schedule is not left to another server.
func (s *Scheduler) seesTo(x Schedule) bool { return x.Server == "" || x.Server == s.Server }

// complain logs what is wrong with a schedule, once.
func (s *Scheduler) complain(name string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != s.failed[name] {
		s.Log.Error("a schedule cannot be seen to", "schedule", name, "error", text)
	}
	s.failed[name] = text
}

// look makes firings of what has happened, which is kept first, and begins the
// runs of those that are due.
func (s *Scheduler) look(ctx context.Context, e Entry) error {
	news, err := s.news(&e)
	if err != nil {
		return err
	}
	if changed, err := news(&e); err != nil {
		return err
	} else if changed {
		err := s.Store.Change(ctx, e.Name, func(now *Entry) (*Entry, error) {
			if now == nil {
				return nil, nil
			}
			_, err := news(now) // another may have been there
			e = *now
			return now, err
		})
		if err != nil {
			return err
		}
	}
	if e.Paused {
		return nil
	}
	for _, f := range e.State.Pending {
		if f.Due.After(s.now()) {
			continue
		}
		if wait, err := s.fire(ctx, e, f); wait || err != nil {
			return err
		}
	}
	return nil
}

// news finds out what has happened, and gives what makes firings of it.
func (s *Scheduler) news(e *Entry) (func(*Entry) (bool, error), error) {
	now := s.now()
	if e.Files == "" || e.Paused {
		return func(e *Entry) (bool, error) { return e.tick(now) }, nil
	}
	files, err := arrivals(e.Files)
	if err != nil {
		return nil, err
	}
	before, marks := s.before[e.Name], map[string]string{}
	for _, a := range files {
		marks[a.path] = a.mark
	}
	s.before[e.Name] = marks
	return func(e *Entry) (bool, error) { return e.arrive(now, files, before), nil }, nil
}

// underWay are the statuses of a run that is not over.
var underWay = []engine.Status{engine.Queued, engine.Running, engine.Waiting, engine.Paused}

// fire begins the run of a firing, or says that it has to wait.
func (s *Scheduler) fire(ctx context.Context, e Entry, f Firing) (wait bool, err error) {
	runs, err := s.Runs(ctx)
	if err != nil {
		return true, err
	}
	active, err := runs.List(ctx, engine.Query{Schedule: e.Name, Status: underWay})
	if err != nil {
		return true, err
	}
	begun := slices.ContainsFunc(active, func(h engine.Header) bool { return h.ID == f.Run }) || s.begun(ctx, runs, f)
	if !begun && len(active) > 0 {
		switch e.Overlap {
		case Queue:
			return true, nil
		case Skip:
			return false, s.done(ctx, e.Name, f, fmt.Sprintf("skipped %s: run %s is under way", f.At.Format(time.RFC3339), active[0].ID))
		}
	}
	if !begun {
		err = s.Start(ctx, e.Schedule, f)
	}
	switch {
	case err == nil, s.begun(ctx, runs, f): // by another
		return false, s.done(ctx, e.Name, f, "")
	case ctx.Err() != nil, slices.Contains(soon, steps.CodeOf(err)):
		return true, err
	}
	s.Log.Warn("a schedule begins no run", "schedule", e.Name, "because", err)
	return false, s.done(ctx, e.Name, f, fmt.Sprintf("no run for %s: %v", f.At.Format(time.RFC3339), err))
}

// soon are the errors after which it is tried again.
var soon = []steps.Code{steps.Unavailable, steps.Busy, steps.Interrupted, steps.Timeout, steps.Internal}

func (*Scheduler) begun(ctx context.Context, runs engine.Runs, f Firing) bool {
	_, err := runs.Get(ctx, f.Run)
	return err == nil
}

// done forgets a firing, and notes what came of it if that is no run.
func (s *Scheduler) done(ctx context.Context, name string, f Firing, note string) error {
	return s.Store.Change(ctx, name, func(e *Entry) (*Entry, error) {
		if e == nil || !slices.ContainsFunc(e.State.Pending, func(x Firing) bool { return x.Run == f.Run }) {
			return e, nil
		}
		e.State.drop(f.Run)
		if note != "" {
			e.State.note(s.now(), "%s", note)
		}
		return e, nil
	})
}

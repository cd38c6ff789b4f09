package schedules

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"understudy/engine"
	"understudy/steps"
)

// A Scheduler begins the runs of the schedules of a store. Several schedulers may share
// a store.
type Scheduler struct {
	Store Store
	// Runs returns the runs of the store.
	Runs func(context.Context) (engine.Runs, error)
	// Start begins the run of a firing, with the rights kept with the schedule.
	Start func(ctx context.Context, s Schedule, f Firing) error
	Log   *slog.Logger
	// Server is the name of this server in a fleet.
	Server string

	poke   chan struct{}
	before map[string]poll   // schedule → its last poll
	failed map[string]string // schedule → its last logged error
	served time.Time         // of the last call of Store.Serve
	now    func() time.Time
}

// Open makes a scheduler ready to work.
func (s *Scheduler) Open() *Scheduler {
	s.poke, s.now = make(chan struct{}, 1), time.Now
	s.before, s.failed = map[string]poll{}, map[string]string{}
	return s
}

// Poke makes the scheduler poll at once.
func (s *Scheduler) Poke() {
	select {
	case s.poke <- struct{}{}:
	default:
	}
}

// lookAgain is the polling interval.
const lookAgain = time.Second

// Work begins the runs that become due, until the context ends.
func (s *Scheduler) Work(ctx context.Context) {
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	for {
		s.pollAll(ctx)
		select {
		case <-tick.C:
		case <-s.poke:
		case <-ctx.Done():
			return
		}
	}
}

// pollAll polls the schedules that can be read.
func (s *Scheduler) pollAll(ctx context.Context) {
	all, err := s.Store.List(ctx)
	s.complain("", err)
	if len(all) > 0 && time.Since(s.served) > serveAgain {
		s.complain("every schedule", s.Store.Serve(ctx))
		s.served = time.Now()
	}
	for _, e := range all {
		if ctx.Err() == nil && s.seesTo(e.Schedule) {
			s.complain(e.Name, s.look(ctx, e))
		}
	}
}

// seesTo reports whether this server handles a schedule.
func (s *Scheduler) seesTo(x Schedule) bool { return x.Server == "" || x.Server == s.Server }

// complain logs the error of a schedule, unless it logged the same one before.
func (s *Scheduler) complain(name string, err error) {
	text := ""
	if err != nil {
		text = err.Error()
	}
	if text != "" && text != s.failed[name] {
		s.Log.Error("schedule could not be checked", "schedule", name, "error", text)
	}
	s.failed[name] = text
}

// look polls a schedule: it stores the new firings, and then begins the runs of those
// that are due.
func (s *Scheduler) look(ctx context.Context, e Entry) error {
	news, failed := s.news(&e)
	if failed != nil { // runs that wait may begin, and move files away
		failed = s.noteFailure(ctx, e.Name, failed)
		news = func(*Entry) (bool, error) { return false, nil }
	}
	changed, err := news(&e)
	if err == nil && changed {
		err = s.Store.Change(ctx, e.Name, func(now *Entry) (*Entry, error) {
			if e = (Entry{}); now == nil {
				return nil, nil
			}
			_, err := news(now) // another server may have stored them already
			e = *now
			return now, err
		})
	}
	if err != nil || e.Paused {
		return errors.Join(failed, err)
	}
	for _, f := range e.State.Pending {
		if f.Due.After(s.now()) {
			continue
		}
		if wait, err := s.fire(ctx, e, f); err != nil || wait && !f.Asked {
			return errors.Join(failed, err)
		}
	}
	return failed
}

// noteFailure notes once why the files of a schedule cannot be listed, and returns the
// reason.
func (s *Scheduler) noteFailure(ctx context.Context, name string, why error) error {
	if strings.HasPrefix(s.failed[name], why.Error()) {
		return why
	}
	return errors.Join(why, s.Store.Change(ctx, name, func(e *Entry) (*Entry, error) {
		if e != nil {
			e.State.note(s.now(), "its files cannot be listed: %v", why)
		}
		return e, nil
	}))
}

// news polls for ticks or files, and returns a function that adds their firings to an
// entry and reports whether it changed the entry.
func (s *Scheduler) news(e *Entry) (func(*Entry) (bool, error), error) {
	now := s.now()
	if e.Files == "" || e.Paused {
		return func(e *Entry) (bool, error) { return e.tick(now) }, nil
	}
	before := s.before[e.Name]
	found, err := e.poll(now, before)
	if err != nil {
		return nil, err
	}
	s.before[e.Name] = found
	return func(e *Entry) (bool, error) { return e.arrive(now, before, found), nil }, nil
}

// underWay are the statuses of runs that have not ended.
var underWay = []engine.Status{engine.Queued, engine.Running, engine.Waiting, engine.Paused}

// fire begins the run of a firing, or reports that the firing has to wait.
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
		switch {
		case e.Overlap == Queue, e.Overlap == Skip && f.Asked:
			return true, nil
		case e.Overlap == Skip:
			return false, s.done(ctx, e.Name, f, fmt.Sprintf("skipped %s: run %s is under way", f.At.Format(time.RFC3339), active[0].ID))
		}
	}
	if !begun {
		err = s.Start(ctx, e.Schedule, f)
	}
	switch {
	case err == nil, s.begun(ctx, runs, f): // by another server
		return false, s.done(ctx, e.Name, f, "")
	case ctx.Err() != nil, slices.Contains(soon, steps.CodeOf(err)):
		return true, err
	}
	s.Log.Warn("schedule started no run", "schedule", e.Name, "because", err)
	return false, s.done(ctx, e.Name, f, fmt.Sprintf("no run for %s: %v", f.At.Format(time.RFC3339), err))
}

// soon are the codes of errors after which a firing is tried again.
var soon = []steps.Code{steps.Unavailable, steps.Busy, steps.Interrupted, steps.Timeout, steps.Internal}

func (*Scheduler) begun(ctx context.Context, runs engine.Runs, f Firing) bool {
	_, err := runs.Get(ctx, f.Run)
	return err == nil
}

// done removes a firing, and adds a note if it began no run.
func (s *Scheduler) done(ctx context.Context, name string, f Firing, note string) error {
	return s.Store.Change(ctx, name, func(e *Entry) (*Entry, error) {
		if e == nil {
			return nil, nil
		}
		before := len(e.State.Pending)
		e.State.Pending = slices.DeleteFunc(e.State.Pending, func(x Firing) bool { return x.Run == f.Run })
		if note != "" && len(e.State.Pending) < before {
			e.State.note(s.now(), "%s", note)
		}
		return e, nil
	})
}

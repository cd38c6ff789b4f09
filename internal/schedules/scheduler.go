package schedules

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
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
	// Folder opens the folder that a schedule watches, if its maker may use it now.
	Folder func(Schedule) (*os.Root, error)
	// Server is the name of this server in a fleet.
	Server string

	poke   chan struct{}
	listed atomic.Pointer[map[string]Schedule] // by their names, as they were read last
	past   map[string]*past                    // schedule → what is remembered of it
	failed map[string]string                   // schedule → its last logged error
	served time.Time                           // of the last call of Store.Serve
	now    func() time.Time
}

// past is what a scheduler remembers of a schedule.
type past struct {
	poll     poll
	again    time.Time // its folder is not listed before
	unlisted error     // why its files cannot be listed, once that is noted
	ticks    string    // identifies the ticks of which next is the first
	next     time.Time // zero if there is none
}

// Open makes a scheduler ready to work.
func (s *Scheduler) Open() *Scheduler {
	s.poke, s.now = make(chan struct{}, 1), time.Now
	s.past, s.failed = map[string]*past{}, map[string]string{}
	s.listed.Store(&map[string]Schedule{})
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
	listed := map[string]Schedule{}
	if err != nil { // some cannot be read now
		maps.Copy(listed, *s.listed.Load())
	}
	for _, e := range all {
		listed[e.Name] = e.Schedule
	}
	s.listed.Store(&listed)
	maps.DeleteFunc(s.past, func(name string, _ *past) bool { _, is := listed[name]; return !is })
	for _, e := range all {
		if ctx.Err() == nil && s.seesTo(e.Schedule) {
			s.complain(e.Name, s.look(ctx, e))
		}
	}
}

// pollPause returns for how long a folder is not listed again. It keeps all folders
// together below a fiftieth of a processor, whatever patterns and how many files they
// have.
func pollPause(schedules int, pattern string, files int) time.Duration {
	cost := 80*time.Microsecond + time.Duration(len(filepath.Base(pattern)))*3*time.Microsecond // of a file, 50 times
	if pause := time.Duration(schedules*files) * cost; pause > lookAgain {
		return pause
	}
	return 0
}

// pastOf returns what is remembered of a schedule.
func (s *Scheduler) pastOf(name string) *past {
	if s.past[name] == nil {
		s.past[name] = &past{}
	}
	return s.past[name]
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
	if s.failed[name] = text; text == "" {
		delete(s.failed, name)
	}
}

// look polls a schedule: it stores the new firings, and then begins the runs of those
// that are due.
func (s *Scheduler) look(ctx context.Context, e Entry) error {
	news, failed := s.news(&e)
	if failed != nil { // runs that wait may begin, and move files away
		failed = s.noteFailure(ctx, e.Name, failed)
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
	waits := false // those that were asked for wait for the same run
	for _, f := range e.State.Pending {
		if f.Due.After(s.now()) || f.Asked && waits {
			continue
		}
		wait, err := s.fire(ctx, e, f)
		if err != nil || wait && !f.Asked {
			return errors.Join(failed, err)
		}
		waits = waits || wait
	}
	return failed
}

// noteFailure notes once why the files of a schedule cannot be listed, and returns the
// reason.
func (s *Scheduler) noteFailure(ctx context.Context, name string, why error) error {
	p := s.pastOf(name)
	if p.unlisted != nil && p.unlisted.Error() == why.Error() {
		return why
	}
	err := s.Store.Change(ctx, name, func(e *Entry) (*Entry, error) {
		if e != nil {
			e.State.note(s.now(), "its files cannot be listed: %s", quoted(why.Error()))
		}
		return e, nil
	})
	if err == nil {
		p.unlisted = why
	}
	return errors.Join(why, err)
}

// news polls for ticks or files, and returns a function that adds their firings to an
// entry and reports whether it changed the entry.
func (s *Scheduler) news(e *Entry) (func(*Entry) (bool, error), error) {
	now, p := s.now(), s.pastOf(e.Name)
	switch {
	case e.Paused, e.Hook, e.Cron != "" && p.isQuiet(e, now):
		return noNews, nil
	case e.Cron != "":
		return func(e *Entry) (bool, error) { return e.tick(now) }, nil
	case now.Before(p.again):
		return noNews, p.unlisted
	}
	before := p.poll
	found, err := s.poll(e, now, before)
	p.again = now.Add(pollPause(len(s.past), e.Files, found.size))
	if err != nil {
		return noNews, err
	}
	e.State.Seen = maps.Clone(e.State.Seen) // the store shares it
	p.poll, p.unlisted = found, nil
	return func(e *Entry) (bool, error) { return e.arrive(now, before, found), nil }, nil
}

func noNews(*Entry) (bool, error) { return false, nil }

// isQuiet reports whether no tick has passed. The expression is evaluated only when the
// first tick after those that were considered is another one.
func (p *past) isQuiet(e *Entry, now time.Time) bool {
	if ticks := fmt.Sprint(e.Cron, e.Zone, e.State.Considered); ticks != p.ticks {
		c, ok, err := e.cron()
		if !ok || err != nil {
			return false
		}
		p.ticks, p.next = ticks, c.next(e.State.Considered)
	}
	return (p.next.IsZero() || p.next.After(now)) && e.State.Considered.Sub(now) <= clockError
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
	begun := slices.ContainsFunc(active, func(h engine.Header) bool { return h.ID == f.Run })
	if !begun && len(active) > 0 && (e.Overlap == Queue || e.Overlap == Skip && f.Asked) {
		return true, nil
	}
	if begun = begun || s.begun(ctx, runs, f); !begun && len(active) > 0 && e.Overlap == Skip {
		return false, s.done(ctx, e.Name, f, fmt.Sprintf("skipped %s: run %s is under way", f.At.Format(time.RFC3339), active[0].ID))
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
	return false, s.done(ctx, e.Name, f, fmt.Sprintf("no run for %s: %s", f.At.Format(time.RFC3339), quoted(err.Error())))
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

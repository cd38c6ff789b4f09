package mcpserver

import (
	"context"
	"maps"
	"net/http"
	"os"
	"path/filepath"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/audit"
	"understudy/internal/schedules"
	"understudy/steps"
	"understudy/steps/confined"
	"understudy/workflows"
)

// scheduler begins the runs of schedules, each with the current rights of the maker of
// the schedule, within those at the time when it was made.
type scheduler struct {
	*runner

	work *schedules.Scheduler
}

func newScheduler(r *runner) *scheduler {
	s := &scheduler{runner: r}
	s.work = (&schedules.Scheduler{Store: r.o.Schedules, Runs: r.runs.get, Start: s.start, Folder: s.openFolder, Log: r.o.Log, Server: r.o.Server}).Open()
	return s
}

// RunSchedules begins the runs of schedules as they become due. It returns at once;
// Close waits for its end.
func (s *Server) RunSchedules() {
	if s.o.Schedules != nil {
		s.inflight.detached.Go(func() { s.scheduler.work.Work(s.inflight.life) })
	}
}

func (s *scheduler) operations() []operation {
	return operationsOn("schedules", steps.Schedules, schedules.Operations(), func(who caller, t access.Tool) (schedules.Store, schedules.Caller) {
		return s.o.Schedules, s.callerFor(who, t)
	})
}

// callerFor converts the user of a tool to the caller of operations.
func (s *scheduler) callerFor(who caller, t access.Tool) schedules.Caller {
	may := func(x schedules.Schedule, change bool) error {
		return who.May(t, access.Thing{Name: "the schedule " + x.Name, Owner: x.Owner, Change: change}).Denied()
	}
	return schedules.Caller{
		Owner: who.Owner, Client: who.name, Rights: who.rightsToStore(), May: may, Folder: s.openFolder, OnDue: s.work.Poke, Server: s.o.Server,
		Check: func(x schedules.Schedule, inputs map[string]any) (map[string]any, *engine.Bundle, error) {
			bundle, p, err := s.document(who, x)
			if err != nil {
				return nil, nil, err
			}
			accepted, err := schedules.Accept(x, p, inputs)
			return accepted, &bundle, err
		},
		History: func(ctx context.Context, name string) ([]engine.Header, error) {
			runs, err := s.clients.runsFor(ctx, who.Subject, t)
			if err != nil {
				return nil, err
			}
			return runs.List(ctx, engine.Query{Schedule: name, Limit: shownRuns})
		},
		Changed: func(x schedules.Schedule, what string) {
			s.keepAct(audit.Act{By: who.id(), Owner: x.Owner, Verb: audit.ChangedSchedule, Thing: x.Name, Detail: what})
		},
	}
}

// openFolder opens the folder that a schedule watches. Clients may watch only in the
// roots of this server, because the runs and notes of a schedule tell the names of its
// files.
func (s *scheduler) openFolder(x schedules.Schedule) (*os.Root, error) {
	if x.OfPerson() {
		return schedules.OpenFolder(x)
	}
	return confined.OpenFolder(&steps.Env{Folders: steps.Folders{Roots: s.o.Roots, Private: s.o.Private}}, steps.Path(filepath.Dir(x.Files)))
}

// shownRuns is how many runs of a schedule are shown with it.
const shownRuns = 20

// madeBy returns the caller that made a schedule, and its workflow, if that caller may
// run it.
func (s *scheduler) madeBy(x schedules.Schedule) (who caller, bundle engine.Bundle, p *workflows.Program, err error) {
	if who, err = s.clients.makerOf("schedule "+x.Name, x.Client, x.Owner, x.Rights, x.MadeAt); err == nil {
		bundle, p, err = s.document(who, x)
	}
	return who, bundle, p, err
}

// document returns the workflow of a schedule, if its maker may see it and execute all
// of it.
func (s *scheduler) document(who caller, x schedules.Schedule) (bundle engine.Bundle, p *workflows.Program, err error) {
	if x.Bundle != nil {
		bundle = *x.Bundle
		p, err = bundle.Compile(s.o.Kinds)
	} else {
		l := s.library.viewFor(who.Subject)
		var src workflows.Source
		if src, err = l.get(x.Workflow); err == nil {
			bundle, p, err = l.pack(x.Workflow, src.Dir, src.Text)
		}
	}
	if err == nil {
		err = s.clients.permitProgram(who, p)
	}
	return bundle, p, err
}

func (s *scheduler) start(ctx context.Context, x schedules.Schedule, f schedules.Firing) error {
	who, bundle, p, err := s.madeBy(x)
	if err != nil {
		return err
	}
	inputs := map[string]any{}
	maps.Copy(inputs, x.Inputs)
	maps.Copy(inputs, f.Inputs)
	runs, err := s.runs.get(ctx)
	if err != nil {
		return err
	}
	q := engine.Request{Key: f.Run, Bundle: bundle, Inputs: inputs, Queue: true, Terms: engine.Terms{Schedule: x.Name, Owner: x.Owner, Labels: x.Labels}}
	q = s.withCaller(&call{caller: who}, q)
	q.Needs = x.Needs
	if p.Options.ResumesItself {
		q.Rights = x.Rights
	}
	h, err := s.startUnattended(ctx, runs, f.Run, who, func(ctx context.Context, runs engine.Runs) (engine.Header, error) { return runs.Start(ctx, q) })
	if err == nil {
		s.o.Log.Info("schedule started a run", "schedule", x.Name, "run", h.ID, "at", f.At)
	}
	return err
}

// handleHook handles a request to a webhook.
func (s *scheduler) handleHook(ctx context.Context, name string, h http.Header, body []byte) (any, bool, error) {
	if s.o.Schedules == nil {
		return nil, false, schedules.ErrUnsigned
	}
	heard, err := s.work.Hear(ctx, name, h, body, func(x schedules.Schedule, inputs map[string]any) (map[string]any, error) {
		_, _, p, err := s.madeBy(x)
		if err != nil {
			return nil, err
		}
		all := maps.Clone(inputs)
		maps.Copy(all, x.Inputs)
		all, err = schedules.Accept(schedules.Schedule{}, p, all)
		maps.DeleteFunc(all, func(name string, _ any) bool { _, fixed := x.Inputs[name]; return fixed })
		return all, err
	})
	return heard, !heard.Repeated, err
}

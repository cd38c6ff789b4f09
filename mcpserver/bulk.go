package mcpserver

import (
	"context"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/audit"
	"understudy/internal/bulk"
	"understudy/steps"
)

// bulkTools makes a tool, and an address of the server, of each operation on plans.
type bulkTools struct{ *runner }

func (s bulkTools) operations() []operation {
	return operationsOn("plans", steps.Runs, bulk.Operations(), s.callerFor)
}

// callerFor converts the user of a tool to the caller of operations. What a plan does is
// done with the current rights of who carries it out, also after the call has ended.
func (s bulkTools) callerFor(who caller, t access.Tool) (bulk.Folder, bulk.Caller) {
	runs := &runsNow{s.clients, who, t}
	return s.o.Plans, bulk.Caller{
		Name: who.id(), Owner: who.Owner, All: who.Owner == "" || who.All, Runs: runs.now, Do: s.doer(who, t),
		Later: func(do func(context.Context)) { s.inflight.detached.Go(func() { do(s.inflight.life) }) },
		Log: func(p bulk.Plan, err error) {
			s.o.Log.Info("a plan was carried out", "plan", p.ID, "client", who.id(), "summary", p.Summary(), "error", err)
		},
	}
}

// runsNow returns the runs that a caller may see and change with a tool, with the rights
// that it has at that moment.
type runsNow struct {
	clients *clients
	who     caller
	tool    access.Tool
}

func (r *runsNow) now(ctx context.Context) (engine.Runs, error) {
	who := r.clients.subjectNow(r.who)
	if err := who.May(r.tool).Denied(); err != nil {
		return nil, err
	}
	return r.clients.runsFor(ctx, who, r.tool)
}

// doer returns what does the part of a plan that concerns one run.
func (s bulkTools) doer(who caller, t access.Tool) bulk.Doer {
	return func(ctx context.Context, runs engine.Runs, p bulk.Plan, i bulk.Item) error {
		h, err := runs.Get(ctx, i.Run)
		if err != nil {
			return err
		}
		if p.Act != bulk.Resume && p.Act != bulk.Fork {
			err := bulk.Do(ctx, runs, p, i, engine.ResumeRequest{By: who.id()})
			if a, kept := audit.Removal(h, who.id()); kept && err == nil && p.Act == bulk.Remove {
				s.keepAct(a)
			}
			return err
		}
		program, err := compiledDocument(ctx, runs, h, s.o.Kinds)
		if err == nil {
			err = s.clients.permitProgram(who, program)
		}
		if err != nil {
			return err
		}
		id := i.Run
		if p.Act == bulk.Fork {
			id = i.Key
		}
		r := s.resumeRequest(&call{caller: who}, engine.ResumeRequest{})
		if _, err := s.startUnattended(ctx, runs, id, who, func(ctx context.Context, runs engine.Runs) (engine.Header, error) {
			return bulk.Begin(ctx, runs, p, i, r)
		}); err != nil {
			return err
		}
		_, err = runs.Wait(ctx, id)
		return err
	}
}

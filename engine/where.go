package engine

import (
	"cmp"
	"context"
	"time"

	"understudy/steps"
	"understudy/workflows/expression"
)

// A where is a compiled expression over the fields of runs; the zero value holds for all.
type where struct{ compiled *expression.Expr }

// fieldsOfRun returns what an expression that selects runs may name.
func fieldsOfRun(h Header) map[string]any {
	e := cmp.Or(h.Error, &ErrorRecord{})
	labels := []any{}
	for _, l := range h.Labels {
		labels = append(labels, l)
	}
	return map[string]any{
		"id": h.ID, "workflow": h.Workflow, "status": string(h.Status), "labels": labels,
		"started": h.StartedAt, "updated": h.UpdatedAt, "ended": h.EndedAt,
		"step": cmp.Or(e.Step, h.ResumeFrom), "code": string(e.Code), "message": e.Message, "blocker": e.Blocker,
		"outcome": string(h.Conclusion().Outcome), "executed": h.Executed, "errors": h.Errors, "attempt": h.Attempt,
		"client": h.Client, "owner": h.Owner, "schedule": h.Schedule, "worker": h.Worker,
		"workflow_id": h.WorkflowID, "trace_id": h.TraceID, "execution_id": h.ExecutionID,
	}
}

// whereTime bounds how long an expression may be evaluated for all runs: others wrote it.
const whereTime = 20 * time.Second

// whereOf compiles an expression that selects runs, and returns the context of its use.
func whereOf(ctx context.Context, text string) (context.Context, where, func(), error) {
	if text == "" {
		return ctx, where{}, func() {}, nil
	}
	names := &expression.Names{Set: map[string]bool{}}
	for name := range fieldsOfRun(Header{}) {
		names.Set[name] = true
	}
	x, problems := expression.Compile(text, names)
	if len(problems) > 0 {
		p := problems[0]
		return ctx, where{}, nil, steps.Errorf(steps.Invalid, "where: %s", p.Message).
			WithNext(cmp.Or(p.Hint, `write something like status == "failed" && workflow == "invoice" && started > "yesterday"`))
	}
	ctx, cancel := context.WithTimeoutCause(ctx, whereTime, steps.Errorf(steps.Timeout, "where took longer than %s", whereTime))
	return ctx, where{x}, cancel, nil
}

func (w where) holds(ctx context.Context, h Header) (bool, error) {
	if w.compiled == nil {
		return true, nil
	}
	ok, err := w.compiled.Holds(ctx, &expression.Scope{Env: fieldsOfRun(h)}, nil)
	if err != nil && steps.CodeOf(err) != steps.Timeout {
		err = steps.Errorf(steps.Invalid, "where, for run %s: %w", h.ID, err)
	}
	return ok, err
}

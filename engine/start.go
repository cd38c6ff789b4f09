package engine

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"understudy/steps"
	"understudy/workflows"
)

// Start begins a run and returns as soon as its beginning is stored.
func (e *Engine) Start(ctx context.Context, r Request) (Header, error) {
	return e.once(ctx, "", r.Key, func() (Header, error) { return e.start(ctx, r) })
}

func (e *Engine) start(ctx context.Context, r Request) (Header, error) {
	p, err := r.Bundle.program(e.Kinds, r.Call, r.Args)
	if err != nil {
		return Header{}, err
	}
	w := newWorker(e, cmp.Or(r.Key, NewKey()), p)
	r.Labels = slices.Concat(p.Options.Labels, r.Labels)
	w.s.Created = Created{Terms: r.Terms, Call: r.Call, DryRun: r.DryRun} // as far as it is known before anything is stored
	if err := w.refuseBusy(r.Queue); err != nil {
		return Header{}, err
	}
	if err := e.today.checkQuota(ctx, e.Store, r.Owner, r.Storage, 0); err != nil {
		return Header{}, err
	}
	created, err := w.creation(ctx, r)
	if err != nil {
		return Header{}, err
	}
	w.bundle, w.looks, w.may.caller = r.Bundle, readsOnly(p), r.caller
	w.header, w.environ = Header{ID: w.id, StartedAt: time.Now().UTC(), Call: r.Call, Reads: readsOnly(p)}, r.Environ
	return e.launchAfter(w, EvCreated, created)
}

// program returns the program of a document, or that of a call of one kind.
func (b *Bundle) program(kinds []steps.Kind, call string, args map[string]any) (*workflows.Program, error) {
	if call == "" {
		return b.Compile(kinds)
	}
	k, args, ok := workflows.FindKind(kinds, call, args)
	if !ok {
		return nil, steps.Errorf(steps.Invalid, "there is no kind of step called %q", call)
	}
	return workflows.Single(k, args), nil
}

// refuseBusy refuses a run that would have to wait for its labels, or for the desktop on which
// it acts, unless the caller is willing to wait.
func (x *runDesktop) refuseBusy(queue bool) error {
	if queue || x.s.Created.DryRun {
		return nil
	}
	if err := x.refuseLimited(); err != nil || !touches(x.program, steps.Act) || x.e.Lease.Free(x.claim) {
		return err
	}
	return x.e.Lease.errBusy()
}

func touches(p *workflows.Program, needs ...steps.Touch) bool {
	found := false
	p.WalkAll(func(n *workflows.Node) {
		found = found || n.Kind != nil && slices.Contains(needs, n.Kind.Touches)
	})
	return found
}

func readsOnly(p *workflows.Program) bool {
	reads := true
	p.WalkAll(func(n *workflows.Node) { reads = reads && (n.Kind == nil || n.Kind.Reads) })
	return reads
}

func newWorker(e *Engine, id string, p *workflows.Program) *worker {
	w := &worker{
		journal: journal{e: e, id: id, program: p, layout: newLayout(p), first: make(chan struct{}, 1)},
		inbox:   inbox{posted: make(chan struct{}, 1)},
		done:    make(chan struct{}),
	}
	w.runDesktop.journal, w.runDesktop.inbox = &w.journal, &w.inbox
	w.evaluator = evaluator{journal: &w.journal, secrets: secrets{}, may: permission{journal: &w.journal}, open: w.openDesktop}
	w.limits, w.focus.journal = limits{&w.journal}, &w.journal
	return w
}

func (v *evaluator) creation(ctx context.Context, r Request) (Created, error) {
	p := v.program
	inputs, err := v.accept(r.Inputs, r.Secrets)
	if err != nil {
		return Created{}, err
	}
	o := p.Options
	c := Created{
		Terms: r.Terms, Workflow: p.Name, DryRun: r.DryRun, StepThrough: r.StepThrough, Call: r.Call,
		From: cmp.Or(r.From, o.StartFrom), To: cmp.Or(r.To, o.EndAt), JumpsAtEnd: o.JumpsAtEnd, Scope: *newScope(p, inputs),
	}
	if c.Labels, err = workflows.JoinLabels(o.Labels, r.Labels); err != nil {
		return Created{}, steps.Errorf(steps.Invalid, "%w", err)
	}
	c.WorkflowID, c.TraceID, c.ExecutionID = cmp.Or(c.WorkflowID, o.WorkflowID), cmp.Or(c.TraceID, o.TraceID), cmp.Or(c.ExecutionID, o.ExecutionID)
	if r.JumpsAtEnd != nil {
		c.JumpsAtEnd = *r.JumpsAtEnd
	}
	c.Fallbacks = o.FollowFallback && r.To == ""
	if r.Fallbacks != nil {
		c.Fallbacks = *r.Fallbacks
	}
	if r.Call != "" {
		c.Args = v.holdBack(*p.Steps[0].Kind, r.Args)
	} else if c.Document, err = r.Bundle.keep(ctx, v.e.Files); err != nil {
		return c, err
	}
	if c.To != "" {
		if _, ok := p.Node(c.To); !ok {
			return c, noStep(p, c.To, "to end at")
		}
	}
	if c.Start, err = v.layout.startAt(c.From); err != nil {
		return c, err
	}
	if c.From != "" && c.WorkflowID != "" {
		err = v.inherit(ctx, &c)
	}
	return c, err
}

// inherit gives a run that begins in the middle the results of the last run with the
// same workflow id. A credential gets only those of its own runs.
func (j *journal) inherit(ctx context.Context, c *Created) error {
	for h, err := range j.e.Store.Runs(ctx, Query{WorkflowID: c.WorkflowID, Owner: c.Owner, Limit: 1}) {
		if err != nil {
			return err
		}
		last, err := fold(ctx, j.e.Store, h.ID, nil)
		if err != nil {
			return fmt.Errorf("state of the last run of %s: %w", c.WorkflowID, err)
		}
		old := last.Scopes[1]
		c.Parent = h.ID
		c.Scope.Steps, c.Scope.Lists = old.Steps, old.Lists
		env := maps.Clone(old.Env)
		maps.Copy(env, c.Scope.Env)
		c.Scope.Env = env
	}
	return nil
}

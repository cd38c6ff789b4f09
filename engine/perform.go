package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"sync/atomic"
	"time"

	"understudy/steps"
	"understudy/steps/observe"
	"understudy/workflows"
)

func (w *worker) start(e start) error {
	args, form, err := w.arguments(e)
	if err == nil {
		err = w.may.use(e.node.Kind)
	}
	if err != nil {
		return w.cannotStart(e, err)
	}
	k := *e.node.Kind
	st := Started{Index: e.index, ID: e.node.ID, Kind: k.Name, Try: e.try, Args: w.holdBack(k, form), Reads: k.Reads, Checks: k.Checks}
	take := w.takeLabels
	if w.needsPlace(e.node.Kind) {
		take = w.takeLease
	}
	waited, ok, err := take()
	if !ok {
		w.exclude(waited)
		return err
	}
	st.Queued = waited
	if err := w.locate(e.node); err != nil {
		return err
	}
	if err := w.record(EvStarted, e.path, st); err != nil {
		return err
	}
	if err := w.flushBefore(e.node); err != nil {
		return err
	}
	if err := w.confirm(e.node.Kind); err != nil {
		return err
	}
	w.tried++
	began := time.Now()
	out, went := w.try(e, args)
	end := Ended{Index: e.index, ID: e.node.ID, Duration: time.Since(began), Args: w.settleTyped(e, form, went)}
	var result json.RawMessage
	end.Outcome, end.Sets, result = w.outcome(e, out)
	written := end
	if result != nil { // encoded once, because it may be large
		written.Outcome.Result = result
	}
	return w.recordAs(EvEnded, e.path, end, written)
}

// cannotStart records why a step is not started, unless the run is to stop: then decide
// runs again once the stop is recorded.
func (w *worker) cannotStart(e start, err error) error {
	if w.toStop() {
		return nil
	}
	rec := w.errorRecord(steps.AsError(err), name(e.node, e.path))
	return w.record(EvEvaluated, e.path, Evaluated{Purpose: TheArguments, Index: e.index, ID: e.node.ID, Error: rec})
}

// arguments returns the arguments of a step, and the form of them that events may
// hold.
func (w *worker) arguments(e start) (args map[string]any, form any, err error) {
	if e.node.Args == nil {
		return map[string]any{}, nil, nil
	}
	ctx, done := w.context(timeoutOf(e.node))
	defer done()
	value, form, _, err := w.evalWithPlaceholders(ctx, e.node.Args)
	if err != nil {
		return nil, nil, asValueError(err)
	}
	args, _ = value.(map[string]any)
	if b := e.node.Kind.Beyond; b != nil && holdsSecret(form, b.Argument) {
		return nil, nil, steps.Errorf(steps.Invalid, "%s: %s: %s", e.node.Kind.Name, b.Argument, steps.SecretExposed).WithNext(steps.SecretElsewhere)
	}
	return args, form, nil
}

// permission tells what the client of a run may do.
type permission struct {
	*journal
	actor   string  // the client that continued the run; empty: the one that began it
	mandate Mandate // at the start of the worker
	caller  *Caller // nil: the engine's Allow decides
}

// use returns why the client may not use a kind; nil: it may.
func (p *permission) use(k *steps.Kind) error {
	allow := p.asks()
	if allow == nil {
		return nil
	}
	return allow(p.id, cmp.Or(p.actor, p.mandate.Client, p.s.Created.Client), *k)
}

// refusal is like use for the name of a kind.
func (p *permission) refusal(kind string) error {
	if p.asks() == nil {
		return nil
	}
	k, ok := steps.Find(p.e.Kinds, kind)
	if !ok {
		return steps.Errorf(steps.Denied, "%s is not allowed: there is no such kind here", kind)
	}
	return p.use(&k)
}

// takeLease waits until the run is the only one that acts on its desktop. The time counts
// for no limit; who does not store it excludes it. The places of labels come first, since a
// run that has one may wait for a desktop.
func (w *worker) takeLease() (waited time.Duration, ok bool, err error) {
	if waited, ok, err = w.takeLabels(); !ok {
		return waited, ok, err
	}
	more, ok, err := w.takePlace(&w.e.Lease, w.claim)
	return waited + more, ok, err
}

// takePlace waits for a place of a lease.
func (w *worker) takePlace(l *Lease, claim DesktopClaim) (waited time.Duration, ok bool, err error) {
	if l.Holds(w.id) {
		return 0, true, nil
	}
	defer func(asked time.Time) { waited = time.Since(asked).Truncate(time.Millisecond) }(time.Now())
	ctx, done := w.context(unlimited)
	defer done()
	if !l.Free(claim) {
		if err := w.flush(false); err != nil {
			return 0, false, err
		}
	}
	if w.boundary(forPerson) {
		w.stops.yield()
	}
	w.queued.Store(true)
	defer w.queued.Store(false)
	if err := l.Acquire(ctx, w.id, claim); err != nil {
		return 0, false, nil // a stop or a pause, which takeSignals records
	}
	return 0, true, nil
}

// try makes one attempt. It also returns where the step typed the text of its
// arguments.
func (w *worker) try(e start, args map[string]any) (steps.Outcome, steps.Typed) {
	kind := e.node.Kind
	if w.s.Created.DryRun && !kind.Reads {
		return steps.Outcome{Result: map[string]any{"dry_run": true}, Acted: steps.ActedNo}, steps.TypedNowhere
	}
	ctx, done := w.context(timeoutOf(e.node))
	defer done()
	env, err := w.env(ctx, e)
	if err != nil {
		return steps.Outcome{Acted: steps.ActedNo, Err: steps.AsError(err)}, steps.TypedNowhere
	}
	policy := w.capturePolicy(e.node)
	w.picture(ctx, env, e, policy, "before")
	out := w.runKind(ctx, e, env, args)
	if !kind.Reads { // even a program that it started may have changed the screen
		w.e.lastAct.Mark()
	}
	if out.Abandoned && env.Desktop != nil {
		w.desk().Drop(env.Desktop)
		return out, env.Typed()
	}
	if out.Err != nil && env.Desktop != nil && slices.Contains(causedByDialogs, out.Err.Code) {
		observe.NameDialog(context.WithoutCancel(ctx), env, out.Err)
	}
	if policy == workflows.OnFailure && out.Err != nil {
		policy = workflows.After
	}
	w.picture(context.WithoutCancel(ctx), env, e, policy, "after")
	return out, env.Typed()
}

// causedByDialogs are the failures that an open dialog may have caused.
var causedByDialogs = []steps.Code{steps.NotFound, steps.Ambiguous, steps.NotActionable, steps.Unexpected, steps.Timeout}

// runKind executes a kind, and makes the calls of a script. If that takes longer than
// interval, pending events are stored meanwhile.
func (w *worker) runKind(ctx context.Context, e start, env *steps.Env, args map[string]any) steps.Outcome {
	k := *e.node.Kind
	if len(w.pending) == 0 && !k.Calls {
		return k.Run(ctx, env, args)
	}
	if k.Calls {
		env.Call = w.caller()
		defer func() { w.calls = nil }()
	}
	done := make(chan steps.Outcome, 1)
	go func() { done <- k.Run(ctx, env, args) }()
	late := time.After(interval)
	for {
		select {
		case out := <-done:
			return out
		case c := <-w.calls:
			w.call(e, c)
		case <-late:
			if err := w.flush(w.lazy()); err != nil {
				w.e.log().Error("events could not be stored while a step runs", "run", w.id, "error", err)
			}
		}
	}
}

func (w *worker) env(ctx context.Context, e start) (*steps.Env, error) {
	c := w.s.scope()
	env := &steps.Env{
		Log:      w.logger(e.path),
		Run:      steps.RunInfo{ID: w.id, Attempt: e.try},
		Folders:  steps.Folders{Dir: w.dir(), Document: w.bundle.Main.Dir, Roots: w.roots(), Private: slices.Concat(w.e.Private, w.s.Created.Private), PictureRoots: w.e.PictureRoots, Scripts: w.program.Options.ScriptsBasePath},
		Children: steps.Children{Environ: w.environ, StartDir: w.s.Created.Dir, Sandbox: w.s.Created.Sandbox, Applications: w.s.Created.Applications, NoTerminals: w.s.Created.NoTerminals, DesktopEnv: w.desktopEnv},
		// copies, because a kind that was abandoned may still read them
		Inputs: maps.Clone(w.reveal(c.Inputs)), Vars: maps.Clone(w.reveal(c.Env)), Trees: w.e.trees(w.s.Created.Client),
	}
	if e.node.Kind.RunsCode() { // the results of all steps are many
		env.Named = w.reveal(w.names().Values())
	}
	if w.e.Passwords != nil {
		env.Passwords = w.e.Passwords
	}
	env.Keep, env.LastAct, env.Secret = w.keepPicture, &w.e.lastAct, w.withoutTyped().in
	env.Keyboard = w.keys()
	if e.try == 1 || w.held == nil {
		w.held = new(atomic.Pointer[string])
	}
	if e.try == 1 {
		w.fields.forget(e.node)
	}
	alone := w.s.Created.Call != ""
	env.Try = steps.Try{KeepFocus: alone, Effects: w.tellsEffects(e.node), Refusal: w.may.refusal, Expects: e.node.Expect != nil, Held: w.held, Field: w.fields.of(e.node)}
	if e.node.Kind.Touches == steps.None {
		return env, nil
	}
	if w.noDesktop != nil {
		return nil, w.noDesktop
	}
	d, err := w.openDesktop(ctx)
	if err != nil {
		return nil, err
	}
	env.Desktop = d
	w.opened(d)
	if e.node.Kind.Touches == steps.Act {
		w.focus.save(ctx, d)
	}
	return env, nil
}

func (v *evaluator) dir() string { return cmp.Or(v.s.Created.Dir, v.e.Dir) }

func (v *evaluator) roots() []string { return slices.Concat(v.e.Roots, v.s.Created.Roots) }

// maxResult is the size in bytes above which a result is stored as an artifact
// instead of in the run's state.
const maxResult = 256 << 10

// outcome returns what events hold of a try, and its result in encoded form.
func (w *worker) outcome(e start, out steps.Outcome) (o Outcome, sets map[string]any, written json.RawMessage) {
	failed := func(err *steps.Error) Outcome {
		o := Outcome{Status: Errored, Acted: out.Acted, Error: w.errorRecord(err, name(e.node, e.path))}
		if err.Code == steps.Cancelled {
			o.Status = Stopped
		}
		return o
	}
	if out.Err != nil {
		o = failed(out.Err)
		if err := w.mayKeepResult(e.node.ID, o, nil); err != nil {
			o = failed(steps.AsError(err))
		}
		return o, nil, nil
	}
	o = Outcome{Status: Success, Acted: out.Acted}
	result := w.secrets.mask(out.Result, w.near...)
	if k := e.node.Kind; k.Risk == steps.ReadsPrivate && k.Touches == steps.Look {
		result = w.secrets.maskWhole(result)
	}
	o.Result, written = w.storableResult(result)
	sets, _ = w.secrets.mask(out.Sets, w.near...).(map[string]any)
	if err := w.mayKeepResult(e.node.ID, o, sets); err != nil {
		return failed(steps.AsError(err)), nil, nil
	}
	return o, sets, written
}

// storableResult returns a result, encoded as well, or what stands for it if it is too large.
func (j *journal) storableResult(result any) (any, json.RawMessage) {
	raw, err := json.Marshal(result)
	if err != nil {
		return result, nil
	}
	if len(raw) <= maxResult {
		return result, raw
	}
	j.uncounted.Add(int64(len(raw)))
	hash, err := j.e.Files.Put(context.Background(), Artifacts, raw)
	if err != nil {
		j.e.log().Error("a large result could not be stored", "run", j.id, "error", err)
		return map[string]any{"$lost": fmt.Sprintf("a result of %d bytes could not be stored: %v", len(raw), err)}, nil
	}
	return map[string]any{"$artifact": hash, "bytes": float64(len(raw))}, nil
}

// ask asks a question. The run waits, without a goroutine.
func (w *worker) ask(e ask) (over bool, err error) {
	q := Question{Sort: e.sort, Step: name(e.node, e.path), ID: e.node.ID, Index: e.index}
	if e.sort == AskUser {
		step := start{path: e.path, index: e.index, node: e.node}
		args, _, err := w.arguments(step)
		if err != nil {
			return false, w.cannotStart(step, err)
		}
		shown, _ := w.secrets.maskTexts(args, w.near...).(map[string]any)
		q.asked(shown)
	} else {
		q.doubt(w.s.top().Cur)
	}
	return true, w.halt(EvAsked, e.path, q, false)
}

func (q *Question) asked(args map[string]any) {
	q.Text, _ = args["question"].(string)
	choices, _ := args["choices"].([]any)
	for _, c := range choices {
		q.Choices = append(q.Choices, fmt.Sprint(c))
	}
	q.Context, _ = args["context"].(string)
	q.Fields, _ = args["fields"].(map[string]any)
}

// doubt asks what to do about a step that may have acted.
func (q *Question) doubt(c *Step) {
	q.Choices = []string{Redo, SkipStep}
	q.Text = fmt.Sprintf("step %s was cut short and may have acted: look at the desktop, then decide whether to repeat or to skip it", q.Step)
	if c != nil && c.Outcome != nil && c.Outcome.Error != nil {
		q.Text = fmt.Sprintf("step %s failed (%s) after it may have acted: look at the desktop, then decide whether to repeat or to skip it",
			q.Step, c.Outcome.Error.Message)
	}
}

package engine

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/observe"
	"understudy/workflows"
	"understudy/workflows/expression"
)

// evaluator evaluates the expressions of a run. It knows the run's secrets, which are
// never stored.
type evaluator struct {
	*journal
	secrets secrets  // copied before it is changed while the worker runs
	near    []string // names of the secrets used by the current effect
	typed   []string // names of texts that stop being secrets unless they go into a password field
	looks   expression.Probe
	may     permission
	open    func(context.Context) (*desktop.Desktop, error) // opens the desktop of the run
}

// names returns what the expressions of the innermost list see.
func (v *evaluator) names() *expression.Scope {
	s := &v.s
	c := s.scope()
	x := &expression.Scope{
		Inputs: c.Inputs, Env: c.Env, Selectors: c.Selectors, Steps: c.Steps,
		Run:     expression.RunScope{ID: v.id, Attempt: s.Attempt, Workflow: v.program.Name},
		Failing: s.failing(),
	}
	for _, f := range s.Frames[s.document():] {
		if f.Loop != nil {
			x.Loops = append(x.Loops, expression.LoopScope{As: f.Loop.As, Value: f.Loop.Value, Index: f.Loop.Index})
		}
	}
	return x
}

func (w *worker) evaluate(e evaluate) error {
	ev := Evaluated{Purpose: e.purpose, Index: e.index}
	var n workflows.Node
	if e.node != nil {
		n = *e.node
		ev.ID = n.ID
	}
	limit := timeoutOf(e.node)
	if e.purpose == TheExpect && n.Timeout == 0 { // the limit of a kind is for its own work
		limit = min(limit, steps.DefaultTimeout)
	}
	ctx, done := w.context(limit)
	defer done()
	w.near = slices.Collect(maps.Keys(w.secrets)) // an error may contain any of them
	var err error
	switch e.purpose {
	case TheIf:
		ev.Holds, err = w.holds(ctx, n.If)
	case TheBefore, TheRecheck:
		ev.Holds, err = w.holds(ctx, n.Expect)
	case TheExpect:
		ev.Holds, err = w.poll(ctx, n.Expect)
		if err == nil && !ev.Holds {
			ev.Error = w.errorRecord(w.unexpected(&n), name(e.node, e.path))
		} else if err == nil {
			ev.Holds, ev.Unknown, err = w.sameEffect(ctx, e.node, e.path)
		}
	case TheWhile:
		names := w.names()
		names.Loops = append(names.Loops, expression.LoopScope{Index: e.round})
		ev.Holds, err = w.holdsFor(ctx, n.While, names)
	case TheJump:
		ev.Holds, err = w.holds(ctx, n.Jumps[e.jump].If)
	case TheList:
		ev.Value, err = w.list(ctx, n.Each)
	case TheInputs:
		ev.Value, err = w.inputs(ctx, &n)
	case TheSelectors:
		ev.Value, err = w.value(ctx, e.doc.Selectors)
	case TheOutput:
		ev.Value, err = w.output(ctx, e.doc.Output)
	}
	if err != nil {
		if w.stopped(ctx) {
			return nil // decide runs again once the stop is recorded
		}
		ev.Error = w.errorRecord(steps.AsError(asValueError(err)), name(e.node, e.path))
	}
	if err := w.mayKeepEvaluated(ev); err != nil {
		ev.Holds, ev.Value, ev.Error = false, nil, w.errorRecord(steps.AsError(err), name(e.node, e.path))
	}
	return w.record(EvEvaluated, e.path, ev)
}

// asValueError gives the failure of an expression the code that documents rely on.
func asValueError(err error) error {
	if c := steps.CodeOf(err); c != steps.Internal {
		return err
	}
	return &steps.Error{Code: steps.Invalid, Err: err}
}

// unexpected returns the error of a step whose expectation does not hold afterwards.
func (w *worker) unexpected(n *workflows.Node) *steps.Error {
	e := steps.Errorf(steps.Unexpected, "after the step, this did not hold: %s", n.Expect).
		WithNext("look at the picture after the step; correct the step or its expect")
	if n.Expect.Looks() && w.may.refusal(lookingKind) == nil {
		if d, err := w.desk().Open(context.Background()); err == nil {
			observe.NameDialog(context.Background(), &steps.Env{Desktop: d, Keyboard: w.keyboard}, e)
		}
	}
	return e
}

func (v *evaluator) holds(ctx context.Context, x *expression.Expr) (bool, error) {
	return v.holdsFor(ctx, x, v.names())
}

func (v *evaluator) holdsFor(ctx context.Context, x *expression.Expr, names *expression.Scope) (bool, error) {
	return x.Holds(ctx, v.secrets.scope(names, v.secrets.reveal), v.probe())
}

// pollEvery is the delay between evaluations of an expectation.
const pollEvery = 100 * time.Millisecond

// poll evaluates an expectation until it holds or its time is over. An expectation
// that does not look at the desktop cannot change, so it is evaluated once.
func (w *worker) poll(ctx context.Context, x *expression.Expr) (bool, error) {
	for x != nil {
		ok, err := w.holds(ctx, x)
		if ok || err != nil && ctx.Err() == nil || !x.Looks() {
			return ok, err
		}
		if steps.Sleep(ctx, pollEvery) != nil {
			if w.stopped(ctx) {
				return false, context.Cause(ctx)
			}
			return false, nil
		}
	}
	return true, nil
}

// evalWithPlaceholders evaluates a template with the values of the secrets. It also
// returns the form of the value that events may hold.
func (v *evaluator) evalWithPlaceholders(ctx context.Context, t *workflows.Template) (value, form any, exact bool, err error) {
	return v.evalTwice(func(names *expression.Scope) (any, error) { return t.Eval(ctx, names, v.probe()) },
		func(names *expression.Scope) (any, error) { return t.EvalKnown(ctx, names, v.probe()) })
}

// evalTwice evaluates with the values of the secrets and with placeholders. A value
// computed from a secret becomes a secret too; near is set to the secrets that went
// into the value.
func (v *evaluator) evalTwice(real, known func(*expression.Scope) (any, error)) (value, form any, exact bool, err error) {
	names := v.names()
	v.near = slices.Collect(maps.Keys(v.secrets))
	value, err = real(v.secrets.scope(names, v.secrets.reveal))
	if err == nil {
		err = checkLost(value)
	}
	if err != nil || len(v.secrets) == 0 {
		return value, literal(value), true, err
	}
	stood, err := known(v.secrets.scope(names, v.secrets.withPlaceholders))
	if err != nil { // the expression does not accept a placeholder there
		stood = nil
	}
	form, computed, exact := v.secrets.storable(stood, value)
	var more []string
	if v.secrets, more, err = v.secrets.with(computed); err != nil {
		return nil, nil, false, err
	}
	v.near = append(namesIn(form), more...)
	return value, form, exact, nil
}

// value evaluates a template whose value is stored, because later steps need it.
func (v *evaluator) value(ctx context.Context, t *workflows.Template) (any, error) {
	_, form, exact, err := v.evalWithPlaceholders(ctx, t)
	if err == nil && !exact {
		return nil, steps.Errorf(steps.Invalid, "a value computed from a secret cannot be kept for later steps; use the secret itself where it is needed")
	}
	return form, err
}

const maxRounds = 100_000

func (v *evaluator) list(ctx context.Context, t *workflows.Template) (any, error) {
	value, err := v.value(ctx, t)
	if err != nil {
		return nil, err
	}
	switch list := value.(type) {
	case []any:
		if len(list) > maxRounds {
			return nil, steps.Errorf(steps.LoopLimit, "foreach has %d elements, more than the limit of %d", len(list), maxRounds)
		}
		return list, nil
	case nil:
		return []any{}, nil
	}
	return nil, steps.Errorf(steps.Invalid, "foreach wants a list, found %v", value)
}

func (v *evaluator) inputs(ctx context.Context, n *workflows.Node) (any, error) {
	given := map[string]any{}
	if n.Inputs != nil {
		value, err := v.value(ctx, n.Inputs)
		if err != nil {
			return nil, err
		}
		given, _ = value.(map[string]any)
	}
	real := v.reveal(given)
	checked, problems := n.Call.CheckInputs(real)
	if len(problems) > 0 {
		return nil, steps.Errorf(steps.Invalid, "the inputs of %s: %s", n.Call.Name, problems[0])
	}
	out, _ := v.secrets.mask(checked, v.near...).(map[string]any)
	for name, form := range given { // which refers to secrets too short to be found
		if value, taken := checked[name]; taken && reflect.DeepEqual(value, real[name]) {
			out[name] = form
		}
	}
	return out, nil
}

func (v *evaluator) reveal(m map[string]any) map[string]any {
	out, _ := v.secrets.reveal(m).(map[string]any)
	return out
}

func (v *evaluator) output(ctx context.Context, o *workflows.Output) (any, error) {
	if o.Value != nil {
		return v.masked(ctx, o.Value)
	}
	out := map[string]any{}
	for key, x := range o.Named {
		value, err := v.masked(ctx, x)
		if err != nil {
			return nil, fmt.Errorf("output %s: %w", key, err)
		}
		out[key] = value
		if err := v.mayKeep(expression.Size(out)); err != nil { // before the others are made
			return nil, err
		}
	}
	return out, nil
}

// masked returns the value of an expression with references in place of secrets.
func (v *evaluator) masked(ctx context.Context, x *expression.Expr) (any, error) {
	eval := func(names *expression.Scope) (any, error) { return x.Eval(ctx, names, v.probe()) }
	value, _, _, err := v.evalTwice(eval, eval)
	return v.secrets.mask(value, v.near...), err
}

// probe returns what answers the questions of expressions about the desktop.
func (v *evaluator) probe() expression.Probe {
	if v.looks == nil && v.e.Probe != nil {
		v.looks = permittedProbe{v.e.Probe(v.open, v.dir(), slices.Concat(v.roots(), v.e.PictureRoots)), v.may.refusal}
	}
	return v.looks
}

// lookingKind is the kind whose permission expressions need to look at the desktop.
const lookingKind = "validate_element"

// permittedProbe is a Probe for clients that may use lookingKind.
type permittedProbe struct {
	expression.Probe

	refusal func(kind string) error
}

func (p permittedProbe) Exists(ctx context.Context, selector string) (bool, error) {
	if err := p.refusal(lookingKind); err != nil {
		return false, err
	}
	return p.Probe.Exists(ctx, selector)
}

func (p permittedProbe) Text(ctx context.Context, selector string) (string, error) {
	if err := p.refusal(lookingKind); err != nil {
		return "", err
	}
	return p.Probe.Text(ctx, selector)
}

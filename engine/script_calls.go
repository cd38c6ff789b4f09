package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"understudy/steps"
	"understudy/workflows"
)

// A scriptCall is the use of another kind by a script that runs. The worker makes it, in
// its own goroutine, with the rights of the run.
type scriptCall struct {
	ctx  context.Context
	kind string
	args map[string]any
	out  chan steps.Outcome
}

// caller returns the function by which a script hands its calls to the worker.
func (w *worker) caller() func(context.Context, string, map[string]any) steps.Outcome {
	calls := make(chan scriptCall)
	w.calls = calls
	return func(ctx context.Context, kind string, args map[string]any) steps.Outcome {
		if k, ours, ok := workflows.FindKind(w.e.Kinds, kind, args); ok {
			kind, args = k.Name, ours
		}
		c := scriptCall{ctx, kind, args, make(chan steps.Outcome, 1)}
		select {
		case calls <- c:
		case <-ctx.Done():
			return notCalled(steps.Ended(ctx))
		}
		return <-c.out // a kind returns soon after its context ends
	}
}

func notCalled(err error) steps.Outcome {
	return steps.Outcome{Acted: steps.ActedNo, Err: steps.AsError(err)}
}

// call makes a call and records it in the log of the step.
func (w *worker) call(e start, c scriptCall) {
	began := time.Now()
	out, shown := w.called(e, c)
	given, _ := json.Marshal(shown) // it came from JSON
	status := "success"
	if out.Err != nil {
		status = string(out.Err.Code) + ": " + out.Err.Error()
	}
	w.logger(e.path).Info("the script used "+c.kind, "arguments", string(given), "status", status, "took", time.Since(began).Round(time.Millisecond))
	c.out <- out
}

// called makes a call. It also returns those of the arguments that may be recorded.
func (w *worker) called(e start, c scriptCall) (out steps.Outcome, shown map[string]any) {
	shown = map[string]any{}
	k, err := w.callable(c)
	if err != nil {
		return notCalled(err), shown
	}
	shown = maps.Clone(c.args)
	for _, name := range k.Typed() {
		delete(shown, name)
	}
	ctx, cancel := context.WithTimeoutCause(c.ctx, k.Timeout, steps.Errorf(steps.Timeout, "it took longer than %s", k.Timeout))
	defer cancel()
	if w.needsPlace(k) {
		if err := w.e.Lease.Acquire(ctx, w.id, w.claim); err != nil {
			return notCalled(steps.Ended(ctx)), shown
		}
	}
	if err := w.confirm(k); err != nil {
		return notCalled(err), shown
	}
	w.noDesktop = nil
	env, err := w.env(ctx, start{path: e.path, index: e.index, node: &workflows.Node{Kind: k}, try: e.try})
	if err != nil {
		return notCalled(err), shown
	}
	env.KeepFocus, env.Effects = false, false // calls build on the focus that the call before left
	env.NoTerminals = env.NoTerminals || env.Sandbox
	out = k.Run(ctx, env, c.args)
	if !k.Reads {
		w.e.lastAct.Mark()
	}
	if out.Abandoned && env.Desktop != nil {
		w.desk().Drop(env.Desktop)
	}
	if env.Typed() == steps.TypedOpenly {
		shown = c.args
	}
	return out, shown
}

// callable returns the kind that a script calls, unless the run may not use it, or the
// script, which is confined, would escape by it: what these kinds start is not confined,
// and neither is a shell in a terminal.
func (w *worker) callable(c scriptCall) (*steps.Kind, error) {
	k, ok := steps.Find(w.e.Kinds, c.kind)
	switch {
	case !ok || k.Touches == steps.None || k.Asks:
		return nil, steps.Errorf(steps.Invalid, "a script can use the kinds that look at the desktop or act on it").WithNext("make it a step of its own")
	case k.Beyond != nil && w.s.Created.Sandbox:
		return nil, steps.Errorf(steps.Denied, "a script that is confined starts no programs").WithNext("make it a step of its own")
	case k.Beyond != nil && w.secrets.in(fmt.Sprint(c.args[k.Beyond.Argument])):
		return nil, steps.Errorf(steps.Invalid, "%s: %s", k.Beyond.Argument, steps.SecretExposed).WithNext(steps.SecretElsewhere)
	}
	return &k, w.may.use(&k)
}

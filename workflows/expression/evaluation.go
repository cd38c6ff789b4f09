package expression

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/expr-lang/expr/file"
	"github.com/expr-lang/expr/vm"
)

// What one evaluation may use.
const (
	maxTime   = time.Second // of computing; looking at the desktop does not count
	maxBytes  = 16 << 20    // of values made by functions and operators
	maxValues = 250_000     // in lists and objects that the expression writes
	workCheck = 4096        // units of work between two looks at the clock
)

// evaluation is one evaluation of a compiled expression. It is the environment
// that the bytecode sees: every function of ours gets it first.
type evaluation struct {
	vm       vm.VM
	ctx      context.Context
	scope    *Scope
	probe    Probe
	bytes    int
	work     int
	depth    int // of the value that is walked through
	deadline time.Time
}

var evaluations = sync.Pool{New: func() any { return new(evaluation) }}

var noScope Scope

// run evaluates a program; the values that it used are forgotten afterwards.
func run(ctx context.Context, e *Expr, s *Scope, p Probe, use func(*evaluation, any) error) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if e.program == nil {
		return &EvalError{Expr: e.text, Err: errors.New("it was not compiled")}
	}
	if s == nil {
		s = &noScope
	}
	ev := evaluations.Get().(*evaluation)
	ev.ctx, ev.scope, ev.probe = ctx, s, p
	defer ev.release()
	ev.vm.MemoryBudget = maxValues
	value, err := ev.vm.Run(e.program, ev)
	if err == nil {
		err = use(ev, value)
	}
	return e.failed(err)
}

func (e *evaluation) release() {
	if cap(e.vm.Stack) > 1024 || len(e.vm.Scopes) > 0 {
		*e = evaluation{}
	} else {
		stack := e.vm.Stack[:cap(e.vm.Stack)]
		clear(stack)
		clear(e.vm.Variables)
		e.ctx, e.scope, e.probe = nil, nil, nil
		e.bytes, e.work, e.depth, e.deadline = 0, 0, 0, time.Time{}
	}
	evaluations.Put(e)
}

// spend counts work, and ends the evaluation when its time is over.
func (e *evaluation) spend(units int) error {
	e.work += units
	if e.work < workCheck {
		return nil
	}
	e.work = 0
	if e.ctx.Err() != nil {
		return context.Cause(e.ctx)
	}
	now := time.Now()
	if e.deadline.IsZero() {
		e.deadline = now.Add(maxTime)
	}
	if now.After(e.deadline) {
		return fmt.Errorf("it takes longer than %v; make it work on less", maxTime)
	}
	return nil
}

// charge counts the bytes of a value before it is made.
func (e *evaluation) charge(bytes int) error {
	if bytes < 0 || bytes > maxBytes-e.bytes {
		return fmt.Errorf("it needs more than %d MiB; make it work on less", maxBytes>>20)
	}
	e.bytes += bytes
	return e.spend(1 + bytes>>6)
}

// maxDepth bounds how deep values nest.
const maxDepth = 500

// enter goes one level into a value; leave goes back.
func (e *evaluation) enter() error {
	if e.depth++; e.depth > maxDepth {
		return fmt.Errorf("the value nests deeper than %d levels", maxDepth)
	}
	return nil
}

func (e *evaluation) leave() { e.depth-- }

// looking runs a look at the desktop; its time is not the expression's.
func (e *evaluation) looking(look func() error) error {
	began := time.Now()
	err := look()
	if !e.deadline.IsZero() {
		e.deadline = e.deadline.Add(time.Since(began))
	}
	return err
}

// bytesOfStep is what an object made of a step takes, roughly.
const bytesOfStep = 640

// fetch gives the value of a name, and counts what is made for it.
func (e *evaluation) fetch(s *source) (any, error) {
	size := 0
	switch s.place {
	case allSteps:
		size = bytesOfStep * (1 + len(e.scope.Steps))
	case oneStep, theRun:
		size = bytesOfStep
	}
	if size > 0 {
		if err := e.charge(size); err != nil {
			return nil, err
		}
	}
	return e.load(s), nil
}

func (e *evaluation) load(s *source) any {
	switch s.place {
	case allInputs:
		return orEmpty(e.scope.Inputs)
	case oneInput:
		return e.scope.Inputs[s.key]
	case allEnv:
		return orEmpty(e.scope.Env)
	case oneEnv:
		return e.scope.Env[s.key]
	case allSelectors:
		return orEmpty(e.scope.Selectors)
	case oneSelector:
		return e.scope.Selectors[s.key]
	case theRun:
		r := e.scope.Run
		return map[string]any{"id": r.ID, "attempt": float64(r.Attempt), "workflow": r.Workflow}
	case loopValue, loopIndex:
		return e.loop(s)
	}
	return e.step(s)
}

func orEmpty(object map[string]any) map[string]any {
	if object == nil {
		return map[string]any{}
	}
	return object
}

func (e *evaluation) loop(s *source) any {
	for i := len(e.scope.Loops) - 1; i >= 0; i-- {
		l := e.scope.Loops[i]
		if s.place == loopIndex {
			return float64(l.Index)
		}
		if l.As == s.key {
			return l.Value
		}
	}
	return nil
}

func (e *evaluation) step(s *source) any {
	if s.place == allSteps {
		all := make(map[string]any, len(e.scope.Steps))
		for id, step := range e.scope.Steps {
			all[id] = step.object()
		}
		return all
	}
	step, ok := e.scope.Steps[s.key]
	if !ok {
		return nil
	}
	switch s.place {
	case stepResult:
		return step.Result
	case stepStatus:
		return step.Status
	case stepError:
		return step.Error
	case stepAttempts:
		return float64(step.Attempts)
	}
	return step.object()
}

func (s StepScope) object() map[string]any {
	return map[string]any{"result": s.Result, "status": s.Status, "error": s.Error, "attempts": float64(s.Attempts)}
}

// EvalError says why an expression gave no value.
type EvalError struct {
	Expr string
	Err  error
}

func (e *EvalError) Error() string { return fmt.Sprintf("%s: %v", e.Expr, e.Err) }

func (e *EvalError) Unwrap() error { return e.Err }

// ValueError says that an expression has no value where one is needed.
type ValueError struct{ Expr string }

func (e *ValueError) Error() string {
	return fmt.Sprintf("%s has no value; write `%s ?? default` to allow it", e.Expr, e.Expr)
}

// failed names the expression in an error of its evaluation, once.
func (e *Expr) failed(err error) error {
	if err == nil {
		return nil
	}
	var missing *ValueError
	if errors.As(err, &missing) {
		return missing
	}
	if f := (*file.Error)(nil); errors.As(err, &f) {
		err = cause(f)
	}
	return &EvalError{Expr: e.text, Err: err}
}

package engine

import (
	"cmp"
	"reflect"

	"understudy/steps"
	"understudy/workflows"
	"understudy/workflows/expression"
)

// maxKept is how many bytes of values a run may keep in memory: its env and the results,
// lists, inputs and outputs that expressions see.
const maxKept = workflows.MaxValues

// keptPerByte is by how much a byte of an event can grow what is kept, at most: the shortest
// values, and the commas after them, are smaller there than in memory.
const keptPerByte = expression.ValueSize

// kept returns how much a run keeps.
func (x *stack) kept() (n int) {
	for _, c := range x.Scopes {
		n += expression.Size(c.Inputs) + expression.Size(c.Selectors) + expression.Size(c.Output)
		for k, v := range c.Env {
			if c.changed(k) {
				n += expression.ValueSize + len(k) + expression.Size(v)
			}
		}
		for _, s := range c.Steps {
			n += expression.Size(s.Result) + expression.Size(s.Error)
		}
	}
	for _, f := range x.Frames {
		if f.Cur != nil {
			n += expression.Size(f.Cur.Items)
		}
	}
	return n
}

// changed reports whether a value in env is not one of the inputs, with which env begins.
func (c *Scope) changed(name string) bool {
	in, ok := c.Inputs[name]
	return !ok || !reflect.DeepEqual(in, c.Env[name])
}

// mayKeep returns an error if a run would keep too much with more bytes. What it keeps is
// measured only when it may be too much by what the events since then hold.
func (j *journal) mayKeep(more int) error {
	if more <= max(0, j.room) {
		return nil
	}
	have := j.s.kept()
	most := cmp.Or(j.e.keeps, maxKept)
	if j.room = most - have; more <= max(0, j.room) {
		return nil
	}
	return steps.Errorf(steps.Invalid, "the run would keep %s of values in its env and the results of its steps; the limit is %s", megabytes(int64(have+more)), megabytes(int64(most))).
		WithNext("put large values into files, and empty those in env that are no longer needed with set_env")
}

// mayKeepResult is like mayKeep for the outcome of a step and what it sets, which replace
// earlier ones.
func (j *journal) mayKeepResult(id string, o Outcome, sets map[string]any) error {
	c := j.s.scope()
	more := 0
	if id != "" {
		more = expression.Size(o.Result) - expression.Size(c.Steps[id].Result)
	}
	if o.Error != nil {
		more += len(o.Error.Message)
	}
	for k, v := range sets {
		more += expression.ValueSize + len(k) + expression.Size(v)
		if old, ok := c.Env[k]; ok && c.changed(k) {
			more -= expression.ValueSize + len(k) + expression.Size(old)
		}
	}
	return j.mayKeep(more)
}

// mayKeepEvaluated is like mayKeep for what an expression gave.
func (j *journal) mayKeepEvaluated(e Evaluated) error {
	more := 0
	if e.Value != nil {
		more = expression.Size(e.Value)
	}
	if e.Error != nil {
		more += len(e.Error.Message)
	}
	return j.mayKeep(more)
}

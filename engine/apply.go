package engine

import (
	"fmt"
	"maps"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/workflows/expression"
)

// apply folds an event into the state.
func apply(s *State, ev Event) error {
	if ev.Seq != s.Seq+1 {
		return fmt.Errorf("event %d follows event %d", ev.Seq, s.Seq)
	}
	s.Seq = ev.Seq
	sort, ok := sorts[ev.Type]
	if !ok {
		return fmt.Errorf("event %d has the unknown type %q: it was written by a newer version", ev.Seq, ev.Type)
	}
	return sort.fold(s, ev)
}

// An eventSort decodes the data of events of one type and folds it into the state.
type eventSort struct {
	read func(Event) (any, error)
	fold func(*State, Event) error
}

// sorts holds an entry for each type of event.
var sorts = map[EventType]eventSort{
	EvCreated:   with((*State).created),
	EvEvaluated: with((*State).evaluated),
	EvStarted:   with((*State).started),
	EvEnded:     with((*State).ended),
	EvSkipped:   with((*State).skipped),
	EvEntered:   with((*State).entered),
	EvLeft:      with((*State).left),
	EvMoved:     with((*State).moved),
	EvWaited:    with((*State).waited),
	EvSettled:   with((*State).settled),
	EvCleared:   with((*State).cleared),
	EvExpired:   with((*State).expired),
	EvAsked:     with((*State).asked),
	EvAnswered:  with((*State).answered),
	EvPaused:    with(func(s *State, ev Event, _ struct{}) { s.stopClock(Paused, ev) }),
	EvContinued: with(func(s *State, ev Event, _ struct{}) { s.restartClock(ev) }),
	EvUnwound:   with((*State).unwound),
	EvStopping:  with((*State).stopping),
	EvFinished:  with((*State).finished),
	EvResumed:   with((*State).resumed),
	EvCaptured:  with(func(*State, Event, Captured) {}),
	EvLogged:    with(func(*State, Event, Logged) {}),
	EvLocated:   with(func(s *State, _ Event, d desktop.Info) { s.Desktop = &d }),
	EvTaken:     with(func(*State, Event, Taken) {}),
	EvReturned:  with(func(*State, Event, Returned) {}),
	EvAssigned:  with(func(s *State, _ Event, a Assigned) { s.Worker, s.Lost = a.Worker, a.Lost }),
}

// with returns the sort of events whose data is a T.
func with[T any](fold func(*State, Event, T)) eventSort {
	return eventSort{
		read: func(ev Event) (any, error) { return factOf[T](ev) },
		fold: func(s *State, ev Event) error {
			data, err := factOf[T](ev)
			if err == nil {
				s.Tally = s.Tally.add(ev, data)
				fold(s, ev, data)
			}
			return err
		},
	}
}

func (s *State) created(ev Event, c Created) {
	s.Attempt, s.Status, s.Since = ev.Attempt, Running, ev.At
	scope := c.Scope
	scope.init()
	s.Scopes, s.Last = map[int]*Scope{1: &scope}, 1
	s.Frames = keep(c.Start)
	s.resetClocks(ev.At)
	c.Start, c.Scope = nil, Scope{}
	s.Created = c
	if !c.DryRun {
		s.Tally = &Tally{}
	}
}

func (c *Scope) init() {
	c.Inputs, c.Env, c.Steps, c.Lists = orEmpty(c.Inputs), orEmpty(c.Env), orEmpty(c.Steps), orEmpty(c.Lists)
}

// orEmpty returns a map that can be written to: m itself, unless it is nil.
func orEmpty[M ~map[K]V, K comparable, V any](m M) M {
	if m == nil {
		return M{}
	}
	return m
}

// at puts the cursor of the innermost list on a node, and returns its execution.
func (x *stack) at(index int) *Step {
	f := x.top()
	if f.Cur == nil || f.Next != index || f.Cur.Settled != "" {
		f.Cur = &Step{Phase: ready}
	}
	f.Next = index
	return f.Cur
}

// begin puts the cursor on a node that is executed anew.
func (x *stack) begin(index int) *Step {
	f := x.top()
	f.Next, f.Cur = index, &Step{Phase: ready}
	return f.Cur
}

func (x *stack) evaluated(_ Event, e Evaluated) {
	switch e.Purpose {
	case TheSelectors, TheOutput:
		x.evaluatedDocument(e)
		return
	case TheIf:
		x.begin(e.Index)
	}
	c := x.at(e.Index)
	if e.Error != nil {
		x.undecided(e, c)
		return
	}
	switch e.Purpose {
	case TheIf:
		if !e.Holds {
			x.outcome(e.ID, Outcome{Status: Skipped})
		}
	case TheBefore:
		c.Held = &e.Holds
	case TheExpect:
		c.Phase = checked
	case TheRecheck:
		if c.Phase = asking; e.Holds {
			x.outcome(e.ID, Outcome{Status: Success, Acted: steps.ActedYes, Result: map[string]any{"checked": "yes"}})
			c.Phase = checked
		}
	case TheList:
		c.Items, _ = e.Value.([]any)
		c.Phase = inside
		if len(c.Items) == 0 {
			x.outcome(e.ID, rounds(0))
		}
	case TheWhile:
		c.Phase = inside
		if !e.Holds {
			x.outcome(e.ID, rounds(c.Round))
		}
	case TheInputs:
		c.Inputs, _ = e.Value.(map[string]any)
		c.Phase = inside
	case TheJump:
		c.Taken = e.Holds
		if !e.Holds {
			c.Jump++
		}
	}
}

// undecided folds an expression that could not be evaluated: the step has failed,
// after whatever it did so far.
func (x *stack) undecided(e Evaluated, c *Step) {
	switch e.Purpose {
	case TheRecheck: // whether the interrupted try did anything is unknown
		c.Phase = asking
		return
	case TheArguments:
		c.Tries++
	}
	x.outcome(e.ID, Outcome{Status: Errored, Acted: c.acted(), Error: e.Error})
	if e.Purpose == TheJump { // the try succeeded, so another one would not help
		c.Phase, c.Tries = checked, maxTries
	}
}

func (c *Step) acted() steps.Acted {
	if c.Outcome == nil {
		return steps.ActedNo
	}
	return c.Outcome.Acted
}

// evaluatedDocument folds an expression of the document. If it has no value, the
// innermost list fails where it stands.
func (x *stack) evaluatedDocument(e Evaluated) {
	c := x.scope()
	if e.Purpose == TheOutput {
		c.HasOutput, c.Output = true, e.Value
	} else {
		named, _ := e.Value.(map[string]any)
		c.Selectors = orEmpty(named)
	}
	if e.Error != nil {
		x.top().Failure = &Failure{Error: *e.Error, At: keep(x.Frames)}
	}
}

// outcome records the outcome of the step under the cursor, and makes it visible to
// expressions.
func (x *stack) outcome(id string, o Outcome) {
	f := x.top()
	c := f.Cur
	c.Outcome, c.Phase = &o, ended
	if o.Status == Skipped {
		c.Phase = checked
	}
	if id == "" {
		return
	}
	out := expression.StepScope{Status: o.Status, Result: o.Result, Attempts: c.Tries}
	if o.Error != nil {
		out.Error = map[string]any{"code": string(o.Error.Code), "message": o.Error.Message}
	}
	scope := x.scope()
	scope.Steps[id], scope.Lists[id] = out, f.List
}

func (s *State) started(_ Event, st Started) {
	var c *Step
	if st.Try == 1 {
		held := (*bool)(nil)
		if f := s.top(); f.Cur != nil && f.Next == st.Index && f.Cur.Phase == ready {
			held = f.Cur.Held
		}
		c = s.begin(st.Index)
		c.Held = held
	} else {
		c = s.at(st.Index)
	}
	c.Phase, c.Tries = trying, st.Try
	s.shiftClocks(st.Queued)
	s.Executed++
	s.Budget++
}

func (s *State) ended(_ Event, e Ended) {
	if e.Outcome.Error != nil && s.top().Cur.acted() != steps.ActedNo && e.Outcome.Acted == steps.ActedNo {
		e.Outcome.Acted = steps.ActedMaybe // an earlier try of this execution acted
	}
	s.outcome(e.ID, e.Outcome)
	if e.Args != nil && s.Created.Call != "" {
		s.Created.Args = e.Args
	}
	maps.Copy(s.scope().Env, e.Sets)
}

func (x *stack) skipped(_ Event, e SkippedStep) {
	x.at(e.Index)
	x.outcome(e.ID, Outcome{Status: Skipped})
}

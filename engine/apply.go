package engine

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"understudy/steps"
	"understudy/workflows/expression"
)

// apply folds an event into the state.
func apply(s *State, ev Event) error {
	if ev.Seq != s.Seq+1 {
		return fmt.Errorf("event %d follows event %d", ev.Seq, s.Seq)
	}
	s.Seq = ev.Seq
	f, ok := folds[ev.Type]
	if !ok {
		return fmt.Errorf("event %d has the unknown type %q: it was written by a newer version", ev.Seq, ev.Type)
	}
	return f(s, ev)
}

// folds says, for each sort of event, what it does to the state.
var folds = map[EventType]func(*State, Event) error{
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
	EvPaused:    with((*State).paused),
	EvContinued: with((*State).continued),
	EvUnwound:   with((*State).unwound),
	EvStopping:  with((*State).stopping),
	EvFinished:  with((*State).finished),
	EvResumed:   with((*State).resumed),
	EvCaptured:  func(*State, Event) error { return nil },
	EvLogged:    func(*State, Event) error { return nil },
}

// with makes a fold of a method on typed data.
func with[T any](f func(*State, Event, T)) func(*State, Event) error {
	return func(s *State, ev Event) error {
		data, err := factOf[T](ev)
		if err != nil {
			return err
		}
		f(s, ev, data)
		return nil
	}
}

func (s *State) created(ev Event, c Created) {
	s.Attempt, s.Status, s.Since = ev.Attempt, Running, ev.At
	scope := c.Scope
	scope.init()
	s.Scopes, s.Last = map[int]*Scope{1: &scope}, 1
	s.Frames = keep(c.Start)
	s.renew(ev.At)
	c.Start, c.Scope = nil, Scope{}
	s.Created = c
}

func (c *Scope) init() {
	if c.Inputs == nil {
		c.Inputs = map[string]any{}
	}
	if c.Env == nil {
		c.Env = map[string]any{}
	}
	if c.Steps == nil {
		c.Steps = map[string]expression.StepScope{}
	}
	if c.Lists == nil {
		c.Lists = map[string]string{}
	}
}

// at puts the cursor of the innermost list on a node, and gives its execution.
func (s *State) at(index int) *Step {
	f := s.top()
	if f.Cur == nil || f.Next != index || f.Cur.Settled != "" {
		f.Cur = &Step{Phase: ready}
	}
	f.Next = index
	return f.Cur
}

// begin puts the cursor on a node that is executed anew.
func (s *State) begin(index int) *Step {
	f := s.top()
	f.Next, f.Cur = index, &Step{Phase: ready}
	return f.Cur
}

func (s *State) evaluated(_ Event, e Evaluated) {
	switch e.What {
	case TheSelectors:
		s.selectors(e)
		return
	case TheOutput:
		s.output(e)
		return
	case TheIf:
		s.begin(e.Index)
	}
	c := s.at(e.Index)
	if e.Error != nil {
		s.undecided(e, c)
		return
	}
	switch e.What {
	case TheIf:
		if !e.Holds {
			s.outcome(e.ID, Outcome{Status: Skipped})
		}
	case TheBefore:
		c.Held = &e.Holds
	case TheExpect:
		c.Phase = checked
	case TheRecheck:
		s.recheck(e)
	case TheList:
		c.Items, _ = e.Value.([]any)
		c.Phase = inside
		if len(c.Items) == 0 {
			s.outcome(e.ID, rounds(0))
		}
	case TheWhile:
		c.Phase = inside
		if !e.Holds {
			s.outcome(e.ID, rounds(c.Round))
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

// undecided is what follows when an expression has no value: a failure, with
// what the execution did so far.
func (s *State) undecided(e Evaluated, c *Step) {
	switch e.What {
	case TheRecheck: // nothing is known of the try that was cut short
		c.Phase = asking
		return
	case TheArguments:
		c.Tries++
	}
	s.outcome(e.ID, Outcome{Status: Errored, Acted: c.acted(), Error: e.Error})
	if e.What == TheJump { // the try succeeded: another would mend nothing
		c.Phase, c.Tries = checked, maxTries
	}
}

// acted says whether the execution may have acted so far.
func (c *Step) acted() steps.Acted {
	if c.Outcome == nil {
		return steps.ActedNo
	}
	return c.Outcome.Acted
}

func (s *State) selectors(e Evaluated) {
	c := s.scope()
	c.Selectors = map[string]any{}
	if m, ok := e.Value.(map[string]any); ok {
		c.Selectors = m
	}
	if e.Error != nil {
		s.fail(*e.Error)
	}
}

func (s *State) output(e Evaluated) {
	c := s.scope()
	c.HasOutput, c.Output = true, e.Value
	if e.Error != nil {
		s.fail(*e.Error)
	}
}

// fail makes the innermost list fail where it stands.
func (s *State) fail(e ErrorRecord) {
	at := keep(s.Frames)
	s.top().Failure = &Failure{Error: e, At: at}
}

func (s *State) recheck(e Evaluated) {
	c := s.top().Cur
	if e.Holds {
		s.outcome(e.ID, Outcome{Status: Success, Acted: steps.ActedYes, Result: map[string]any{"verified": true}})
		c.Phase = checked
		return
	}
	c.Phase = asking
}

// outcome says what came of the step under the cursor, and makes it known to
// expressions.
func (s *State) outcome(id string, o Outcome) {
	f := s.top()
	c := f.Cur
	c.Outcome, c.Phase = &o, ended
	if o.Status == Skipped {
		c.Phase = checked
	}
	s.publish(id)
}

func (s *State) publish(id string) {
	if id == "" {
		return
	}
	f := s.top()
	o, scope := f.Cur.Outcome, s.scope()
	out := expression.StepScope{Status: o.Status, Result: o.Result, Attempts: f.Cur.Tries}
	if o.Error != nil {
		out.Error = map[string]any{"code": string(o.Error.Code), "message": o.Error.Message}
	}
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
	s.pass(st.Queued)
	s.Executed++
	s.Budget++
}

func (s *State) ended(_ Event, e Ended) {
	if e.Outcome.Error != nil && s.top().Cur.acted() != steps.ActedNo && e.Outcome.Acted == steps.ActedNo {
		e.Outcome.Acted = steps.ActedMaybe // an earlier try of this execution did
	}
	s.outcome(e.ID, e.Outcome)
	scope := s.scope()
	maps.Copy(scope.Env, e.Sets)
}

func (s *State) skipped(_ Event, e SkippedStep) {
	s.at(e.Index)
	s.outcome(e.ID, Outcome{Status: Skipped})
}

func (s *State) entered(ev Event, e Entered) {
	switch e.Frame.Sort {
	case FinallyFrame:
		c := s.scope()
		c.Finally, c.Whole = Begun, s.Stop == nil && s.top().Failure == nil
	case BeforeFrame:
	default:
		s.at(e.Index).Phase = inside
	}
	if e.Clear != "" {
		s.scope().clear(e.Clear)
	}
	frame := e.Frame
	if e.Scope != nil {
		scope := *e.Scope
		scope.init()
		s.Last++
		s.Scopes[s.Last], frame.Scope = &scope, s.Last
	}
	frame.Since = ev.At
	if frame.Sort == LoopFrame {
		frame.Since = s.top().Cur.begin(ev.At)
	}
	s.Frames = append(slices.Clip(s.Frames), frame)
}

// begin is when a loop began, which is now if it did not before.
func (c *Step) begin(now time.Time) time.Time {
	if c.Began.IsZero() {
		c.Began = now
	}
	return c.Began
}

// clear forgets the results of the steps in a list, and in the lists within.
func (c *Scope) clear(list string) {
	for id, in := range c.Lists {
		if in == list || strings.HasPrefix(in, list+".") || strings.HasPrefix(in, list+"!") {
			delete(c.Lists, id)
			delete(c.Steps, id)
		}
	}
}

func (s *State) left(_ Event, l Left) {
	f, whole := *s.top(), s.Frames
	scope := s.scope()
	s.Frames = slices.Clip(s.Frames[:len(s.Frames)-1])
	defer s.sweep()
	if len(s.Frames) == 0 { // the run's own list is left by finished, never here
		return
	}
	p := s.top()
	switch f.Sort {
	case FinallyFrame:
		scope.Finally, s.Budget = Done, f.Spent
		if f.Failure != nil && scope.FinallyError == nil {
			scope.FinallyError = &f.Failure.Error
		}
	case BeforeFrame:
		if f.Failure != nil {
			p.Cur.Phase, p.Cur.Tries = checked, maxTries
			return
		}
		p.Cur.Phase = anew
	case TroubleFrame:
		s.leftTrouble(f, l)
	default:
		failure := f.Failure
		if f.Scope != 0 && failure == nil && scope.FinallyError != nil { // only finally is to be done again
			failure = &Failure{Error: *scope.FinallyError, At: keep(whole)}
		}
		s.leftList(f, l, failure)
	}
}

// maxTries marks a step that must not be tried again.
const maxTries = 1 << 30

func (s *State) leftTrouble(f Frame, l Left) {
	p := s.top()
	if p.Failure = f.Origin; p.Failure == nil {
		p.Failure = f.Failure
	}
	p.Lost, p.Ending = p.Failure != nil, p.Failure == nil || l.Ending
	if p.Cur != nil {
		p.Cur.Settled = Failing
	}
}

func (s *State) leftList(f Frame, l Left, failure *Failure) {
	p := s.top()
	c := p.Cur
	p.Ending = p.Ending || l.Ending
	switch {
	case failure != nil:
		s.outcome(l.ID, Outcome{Status: Errored, Error: &failure.Error, Result: l.Result})
		c.Failure, c.Phase = failure, checked
		if l.Lost {
			c.Settled, p.Failure, p.Lost = Failing, failure, true
		}
	case f.Sort == LoopFrame && !l.Ending:
		s.nextRound(l)
	default:
		s.outcome(l.ID, Outcome{Status: Success, Result: l.Result})
		c.Phase = checked
	}
}

// nextRound counts a round of a loop that is over.
func (s *State) nextRound(l Left) {
	c := s.top().Cur
	c.Round++
	switch {
	case c.Items == nil: // while: its condition is looked at again
		c.Phase = ready
	case c.Round < len(c.Items):
		c.Phase = inside
	default:
		s.outcome(l.ID, rounds(c.Round))
		c.Phase = checked
	}
}

// rounds is the outcome of a loop.
func rounds(n int) Outcome {
	return Outcome{Status: Success, Result: map[string]any{"rounds": float64(n)}}
}

// sweep forgets the scopes that no frame needs any more.
func (s *State) sweep() {
	if len(s.Scopes) == 1 {
		return
	}
	used := map[int]bool{}
	mark(s.Frames, used)
	mark(s.Resume, used)
	for n := range s.Scopes {
		if !used[n] {
			delete(s.Scopes, n)
		}
	}
}

func mark(frames []Frame, used map[int]bool) {
	for _, f := range frames {
		used[f.Scope] = true
		for _, x := range []*Failure{f.Failure, f.Origin} {
			if x != nil {
				mark(x.At, used)
			}
		}
		if f.Cur != nil && f.Cur.Failure != nil {
			mark(f.Cur.Failure.At, used)
		}
	}
}

func (s *State) moved(ev Event, m Moved) {
	s.Budget++ // so that a jump in a circle ends, also when it passes no step
	var origin *Failure
	if c := s.top().Cur; m.Why == "fallback" && c != nil && c.Outcome != nil && c.Outcome.Error != nil {
		origin = c.Failure
		if origin == nil {
			origin = &Failure{Error: *c.Outcome.Error, At: keep(s.Frames)}
		}
		s.Errors++
	}
	s.Frames = slices.Clip(s.Frames[:m.Depth])
	s.top().Failure = nil
	if m.Frame != nil {
		frame := *m.Frame
		frame.Since, frame.Origin = ev.At, origin
		s.Frames = append(s.Frames, frame)
	}
	f := s.top()
	f.Next, f.Cur = m.Index, nil
	s.sweep()
}

func (s *State) waited(_ Event, w Waited) {
	c := s.top().Cur
	if w.Why == "retry" {
		c.Phase = again
		return
	}
	c.Rested = true
}

func (s *State) settled(_ Event, e Settled) {
	f := s.top()
	f.Cur.Settled = e.How
	if f.Sort == FinallyFrame && e.How == Failing {
		if c := s.scope(); c.FinallyError == nil {
			c.FinallyError = &e.Error
		}
		return
	}
	s.Errors++
	if e.How == Failing && f.Failure == nil {
		f.Failure = f.Cur.Failure
		if f.Failure == nil {
			at := keep(s.Frames)
			at[len(at)-1].Cur.Settled = ""
			f.Failure = &Failure{Error: e.Error, At: at}
		}
	}
}

func (s *State) cleared(Event, Cleared) {
	s.top().Cur = &Step{Phase: ready}
}

func (s *State) expired(_ Event, e Expired) {
	at := keep(s.Frames)
	s.Frames = slices.Clip(s.Frames[:e.Depth])
	f := s.top()
	f.Limit = 0
	f.Failure = &Failure{Error: e.Error, At: at}
	if f.Cur != nil {
		f.Cur.Settled = Failing
	}
	s.sweep()
}

func (s *State) asked(ev Event, q Question) {
	s.Question, s.Status = &q, Waiting
	s.rest(ev)
	if q.Sort != AskSecret {
		s.at(q.Index).Phase = asking
	}
}

// The sorts of questions.
const (
	AskUser   = "ask_user"
	AskSecret = "secret"
	AskDoubt  = "doubt"
)

func (s *State) answered(ev Event, a Answered) {
	q := s.Question
	s.goOn(ev)
	if q == nil {
		return
	}
	switch q.Sort {
	case AskDoubt:
		s.decide(a.Choice, q.ID)
	case AskUser:
		result := map[string]any{"answer": a.Value}
		if q.Fields != nil {
			result = map[string]any{"answer": "", "fields": a.Value}
		}
		s.outcome(q.ID, Outcome{Status: Success, Result: result})
	}
}

// The choices for a doubtful step.
const (
	Redo     = "redo"
	SkipStep = "skip"
)

func (s *State) decide(choice, id string) {
	switch choice {
	case Redo:
		s.cleared(Event{}, Cleared{})
	case SkipStep:
		s.outcome(id, Outcome{Status: Skipped})
	}
}

// rest stops the clock of the attempt.
func (s *State) rest(ev Event) {
	if !s.Since.IsZero() {
		s.Used += ev.At.Sub(s.Since)
	}
	s.Since = ev.At
}

func (s *State) paused(ev Event, _ struct{}) {
	s.Status = Paused
	s.rest(ev)
}

func (s *State) continued(ev Event, _ struct{}) {
	s.goOn(ev)
}

// goOn starts the clocks again after the run stood still.
func (s *State) goOn(ev Event) {
	s.pass(ev.At.Sub(s.Since))
	s.Question, s.Status, s.Since = nil, Running, ev.At
}

// pass lets time pass that counts for no limit.
func (s *State) pass(d time.Duration) {
	if d <= 0 {
		return
	}
	s.Since = s.Since.Add(d)
	for i := range s.Frames {
		f := &s.Frames[i]
		if f.Limit > 0 {
			f.Since = f.Since.Add(d)
		}
		if f.Cur != nil && !f.Cur.Began.IsZero() {
			f.Cur.Began = f.Cur.Began.Add(d)
		}
	}
}

func (s *State) unwound(_ Event, u Unwound) {
	if s.Resume == nil {
		s.Resume = standing(s.Frames)
	}
	s.Frames = slices.Clip(s.Frames[:u.Depth])
	s.sweep()
}

func (s *State) stopping(_ Event, e Stopping) {
	if s.Stop != nil {
		e.Late = s.Stop.Late
	} else {
		e.Late = s.Scopes[1].Finally == Begun
	}
	if s.Resume == nil && (!s.finishing() || e.Abort) { // else it is known when finally is over
		s.Resume = standing(s.Frames)
	}
	s.Stop = &e
}

func (s *State) finished(ev Event, e Finished) {
	if s.Resume == nil && (e.Status != Succeeded || failureIn(s.Frames) != nil) {
		s.Resume = standing(s.Frames)
	}
	s.Output = s.Scopes[1].Output
	s.Status, s.Error, s.Question = e.Status, e.Error, nil
	s.rest(ev)
}

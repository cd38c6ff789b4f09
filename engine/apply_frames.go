package engine

import (
	"slices"
	"strings"
	"time"
)

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

// begin returns when a loop began, and starts its clock on the first call.
func (c *Step) begin(now time.Time) time.Time {
	if c.Began.IsZero() {
		c.Began = now
	}
	return c.Began
}

// clear removes the results of the steps in a list and in the lists nested in it.
func (c *Scope) clear(list string) {
	for id, in := range c.Lists {
		if in == list || strings.HasPrefix(in, list+".") {
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
	if len(s.Frames) == 0 { // the outermost list ends with EvFinished, never with EvLeft
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
		if f.Scope != 0 && failure == nil && scope.FinallyError != nil { // only finally has to be done again
			failure = &Failure{Error: *scope.FinallyError, At: keep(whole)}
		}
		s.leftList(f, l, failure)
	}
}

// maxTries marks a step that must not be tried again.
const maxTries = 1 << 30

func (x *stack) leftTrouble(f Frame, l Left) {
	p := x.top()
	if p.Failure = f.Origin; p.Failure == nil {
		p.Failure = f.Failure
	}
	p.Lost, p.Ending = p.Failure != nil, p.Failure == nil || l.Ending
	if p.Cur != nil {
		p.Cur.Settled = Failing
	}
}

func (x *stack) leftList(f Frame, l Left, failure *Failure) {
	p := x.top()
	c := p.Cur
	p.Ending = p.Ending || l.Ending
	if f.Sort == GroupFrame {
		c.Tries++
	}
	switch {
	case failure != nil:
		x.outcome(l.ID, Outcome{Status: Errored, Error: &failure.Error, Result: l.Result})
		c.Failure, c.Phase = failure, checked
		if l.Lost {
			c.Settled, p.Failure, p.Lost = Failing, failure, true
		}
	case f.Sort == LoopFrame && !l.Ending:
		x.nextRound(l)
	default:
		x.outcome(l.ID, Outcome{Status: Success, Result: l.Result})
		c.Phase = checked
	}
}

// nextRound counts a finished round of a loop.
func (x *stack) nextRound(l Left) {
	c := x.top().Cur
	c.Round++
	switch {
	case c.Items == nil: // a while loop evaluates its condition again
		c.Phase = ready
	case c.Round < len(c.Items):
		c.Phase = inside
	default:
		x.outcome(l.ID, rounds(c.Round))
		c.Phase = checked
	}
}

func rounds(n int) Outcome {
	return Outcome{Status: Success, Result: map[string]any{"rounds": float64(n)}}
}

// sweep removes the scopes that no frame refers to any more.
func (x *stack) sweep() {
	if len(x.Scopes) == 1 {
		return
	}
	used := map[int]bool{}
	mark(x.Frames, used)
	mark(x.Resume, used)
	for n := range x.Scopes {
		if !used[n] {
			delete(x.Scopes, n)
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

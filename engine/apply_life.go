package engine

import (
	"cmp"
	"slices"
	"time"

	"understudy/steps"
)

func (s *State) moved(ev Event, m Moved) {
	s.Budget++ // ends jumps in a circle, also those that pass no step
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

func (x *stack) waited(_ Event, w Waited) {
	switch c := x.top().Cur; w.Why {
	case "retry":
		c.Phase = again
	case forGroup:
		c.Phase, c.Failure = due, nil
	default:
		c.Rested = true
	}
}

// forGroup is why a run waits that will repeat a group from its start.
const forGroup = "group"

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

func (x *stack) cleared(Event, Cleared) {
	x.top().Cur = &Step{Phase: ready}
}

func (x *stack) expired(_ Event, e Expired) {
	at := keep(x.Frames)
	x.Frames = slices.Clip(x.Frames[:e.Depth])
	f := x.top()
	f.Limit = 0
	f.Failure = &Failure{Error: e.Error, At: at}
	if f.Cur != nil {
		f.Cur.Settled = Failing
	}
	x.sweep()
}

func (s *State) asked(ev Event, q Question) {
	s.Question = &q
	s.stopClock(Waiting, ev)
	if q.Sort != AskSecret {
		s.at(q.Index).Phase = asking
	}
}

// The kinds of questions.
const (
	AskUser   = "ask_user"
	AskSecret = "secret"
	AskDoubt  = "doubt"
)

func (s *State) answered(ev Event, a Answered) {
	q := s.Question
	s.restartClock(ev)
	s.Created.restrict(a.Within)
	s.Mandate = cmp.Or(a.Mandate, s.Mandate)
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
		s.Executed++ // the question was all that the step did
		s.outcome(q.ID, Outcome{Status: Success, Result: result})
	}
}

// The choices for a doubtful step.
const (
	Redo     = "redo"
	SkipStep = "skip"
	// DoneByHand fits any step at which a run continues: a person has done it.
	DoneByHand = "done"
)

func (x *stack) decide(choice, id string) {
	switch choice {
	case Redo:
		x.cleared(Event{}, Cleared{})
	case SkipStep:
		x.outcome(id, Outcome{Status: Skipped})
	case DoneByHand:
		x.begin(x.top().Next)
		x.outcome(id, Outcome{Status: Success, Acted: steps.ActedYes, Result: map[string]any{"by_hand": true}})
		x.top().Cur.Phase = checked
	}
}

// stopClock stops the clock of a run that comes to rest, or ends.
func (s *State) stopClock(st Status, ev Event) {
	if !s.Since.IsZero() {
		s.Used += ev.At.Sub(s.Since)
	}
	s.Status, s.Since = st, ev.At
}

// restartClock restarts the clocks after the run was at rest.
func (s *State) restartClock(ev Event) {
	s.shiftClocks(ev.At.Sub(s.Since))
	s.Question, s.Status, s.Since = nil, Running, ev.At
}

// shiftClocks excludes a period from all limits.
func (s *State) shiftClocks(d time.Duration) {
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

func (x *stack) unwound(_ Event, u Unwound) {
	if x.Resume == nil {
		x.Resume = resumePoint(x.Frames)
	}
	x.Frames = slices.Clip(x.Frames[:u.Depth])
	x.sweep()
}

func (s *State) stopping(_ Event, e Stopping) {
	if s.Stop != nil {
		e.Late = s.Stop.Late
	} else {
		e.Late = s.Scopes[1].Finally == Begun
	}
	if s.Resume == nil && (!s.finishing() || e.Abort) { // otherwise it is set when finally has ended
		s.Resume = resumePoint(s.Frames)
	}
	s.Stop = &e
}

func (s *State) finished(ev Event, e Finished) {
	if s.Resume == nil && (e.Status != Succeeded || failureIn(s.Frames) != nil) {
		s.Resume = resumePoint(s.Frames)
	}
	s.Output = s.Scopes[1].Output
	s.Error, s.Question = e.Error, nil
	if e.Deaths > 0 {
		s.Deaths = &Deaths{Times: e.Deaths}
	}
	s.stopClock(e.Status, ev)
}

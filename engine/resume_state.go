package engine

import (
	"maps"
	"path/filepath"
	"slices"
	"time"

	"understudy/steps"
)

// resumePoint is where frames stand: at what failed, as long as its failure has
// not been dealt with, else where they are.
func resumePoint(frames []Frame) []Frame {
	if f := failureIn(frames); f != nil {
		return resumePoint(f.At)
	}
	if c := frames[len(frames)-1].Cur; c != nil && c.Failure != nil && c.Settled == "" {
		return resumePoint(c.Failure.At)
	}
	return keep(frames)
}

func (s *State) resumed(ev Event, r Resumed) {
	died := s.Status == Running
	s.Attempt, s.Status, s.Since, s.Used, s.Budget = ev.Attempt, Running, ev.At, 0, 0
	if r.Lost {
		s.Desktop = nil
	}
	s.resumeAt(r)
	s.countDeath(died, r.Auto)
	s.Question, s.Error, s.Output = nil, nil, nil
	if r.Base == 0 || !s.finishing() { // what finally follows stays as it is
		s.Resume, s.Stop = nil, nil
	}
	if r.From != "" {
		s.Scopes[1].Whole = false
	}
	s.resetClocks(ev.At)
	maps.Copy(s.Scopes[1].Inputs, r.Inputs)
	if r.Document != "" {
		s.Created.Document = r.Document
	}
	s.Created.keepWithin(r.Within)
	s.goOnFor(r.Mandate)
	if r.Base == 0 && r.From == "" {
		s.retryOrDoubt()
		doubtful := s.top().Cur != nil && (s.top().Cur.Phase == doubt || s.top().Cur.Phase == asking)
		if r.Decision == DoneByHand || doubtful {
			s.decide(r.Decision, r.ID)
		}
	}
	s.sweep()
}

// keepWithin leaves a run the folders that it has and that are also those of who
// continues it: nobody reaches more by continuing the run of another, and the run
// gains nothing by it. Nil leaves all.
func (c *Created) keepWithin(b *Bounds) {
	if b == nil {
		return
	}
	var both []string
	for _, mine := range c.Roots {
		for _, theirs := range b.Roots {
			switch {
			case within(mine, theirs):
				both = append(both, mine)
			case within(theirs, mine):
				both = append(both, theirs)
			}
		}
	}
	c.Roots = slices.Compact(both)
	if b.Storage != (Storage{}) {
		c.Storage = b.Storage
	}
	for _, p := range b.Private {
		if !slices.Contains(c.Private, p) {
			c.Private = append(slices.Clone(c.Private), p)
		}
	}
}

// within says whether a folder is another one or below it, by their names.
func within(folder, other string) bool {
	rel, err := filepath.Rel(other, folder)
	return err == nil && filepath.IsLocal(rel)
}

// resumeAt puts the cursor where the attempt goes on.
func (s *State) resumeAt(r Resumed) {
	switch {
	case r.From != "":
		s.Frames = keep(r.Frames)
	case r.Base > 0:
	case s.Resume != nil:
		s.Frames = resumePoint(s.Resume)
	default:
		s.Frames = resumePoint(s.Frames)
	}
}

// resetClocks makes the frames those of an attempt that begins now: it has the whole
// time and nothing has failed in it, except what a finally list follows.
func (s *State) resetClocks(now time.Time) {
	finally := s.finally()
	for i := range s.Frames {
		f := &s.Frames[i]
		f.Spent = 0
		if f.Limit > 0 {
			f.Since = now
		}
		if f.Cur != nil && !f.Cur.Began.IsZero() {
			f.Cur.Began = now
		}
		if i >= finally {
			f.Failure, f.Lost = nil, false
		}
		if f.Scope != 0 && !s.complete(i) {
			c := s.Scopes[f.Scope]
			c.Finally, c.Whole, c.FinallyError, c.HasOutput, c.Output = "", false, nil, false, nil
		}
	}
}

// complete says whether nothing of a document is left to do but its finally,
// or not even that.
func (s *State) complete(i int) bool {
	if i+1 < len(s.Frames) {
		return s.Frames[i+1].Sort == FinallyFrame
	}
	c := s.Scopes[s.Frames[i].Scope]
	return c.Whole && c.Finally == Done && c.FinallyError == nil
}

// retryOrDoubt looks at the step that did not succeed: it begins anew, unless
// it may have acted.
func (s *State) retryOrDoubt() {
	f := s.top()
	c := f.Cur
	switch {
	case c == nil || c.Settled == Tolerated || c.Settled == Failing && f.Sort == FinallyFrame:
	case c.Phase == trying, c.Phase == doubt, c.Phase == asking && c.Tries > 0:
		// The outcome, if there is one, is of the try before: it does not say
		// that this one did nothing.
		c.Phase = doubt
	case c.Outcome == nil || c.Outcome.Error == nil:
	case c.Outcome.Acted != "" && c.Outcome.Acted != steps.ActedNo:
		c.Phase, c.Settled = doubt, ""
	case c.Round > 0: // of a loop, whose condition is looked at again
		f.Cur = &Step{Phase: ready, Round: c.Round, First: c.Round, Began: c.Began}
	default:
		f.Cur = nil
	}
}

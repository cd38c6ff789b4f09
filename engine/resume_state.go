package engine

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"time"

	"understudy/steps"
)

// resumePoint returns the frames at which a run continues: at the failure, if it has
// not been dealt with, else where the run is.
func resumePoint(frames []Frame) []Frame {
	if f := failureIn(frames); f != nil {
		return resumePoint(f.At)
	}
	if c := frames[len(frames)-1].Cur; c != nil && c.Failure != nil && c.Settled == "" {
		return resumePoint(c.Failure.At)
	}
	return keep(frames)
}

// resumeFrames returns the frames at which the run continues.
func (x *stack) resumeFrames() []Frame {
	switch {
	case x.Resume != nil:
		return resumePoint(x.Resume)
	case len(x.Frames) == 0:
		return nil
	}
	return resumePoint(x.Frames)
}

func (s *State) resumed(ev Event, r Resumed) {
	died := s.Status == Running
	s.Attempt, s.Status, s.Since, s.Used, s.Budget = ev.Attempt, Running, ev.At, 0, 0
	if r.Lost {
		s.Desktop = nil
	}
	s.resumeAt(r)
	switch {
	case !r.Auto: // a person resumes the run
		s.Deaths = nil
	case died:
		s.Deaths = s.Deaths.another(pathOf(s.top()))
	}
	s.Question, s.Error, s.Output = nil, nil, nil
	if r.Base == 0 || !s.finishing() { // what finally reacts to stays as it is
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
	s.Created.restrict(r.Within)
	s.Mandate = cmp.Or(r.Mandate, s.Mandate)
	here := r.Base == 0 && r.From == ""
	if here {
		s.retryOrDoubt()
	}
	switch c := s.top().Cur; {
	case r.Done != nil:
		s.top().Next = *r.Done
		s.decide(DoneByHand, r.ID)
	case here && (r.Decision == DoneByHand || c != nil && (c.Phase == doubt || c.Phase == asking)):
		s.decide(r.Decision, r.ID)
	}
	s.sweep()
}

// restrict restricts the folders of a run to those that the client who continues it
// may use too. Neither gains access to files by a continuation. Nil restricts
// nothing.
func (c *Created) restrict(b *Bounds) {
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

// within reports whether a folder is the same as another or below it, by name.
func within(folder, other string) bool {
	rel, err := filepath.Rel(other, folder)
	return err == nil && filepath.IsLocal(rel)
}

// resumeAt puts the cursor where the attempt starts.
func (x *stack) resumeAt(r Resumed) {
	switch {
	case r.From != "":
		x.Frames = keep(r.Frames)
	case r.Base == 0:
		x.Frames = x.resumeFrames()
	}
}

// resetClocks prepares the frames for a new attempt, which has the full time and no
// failures, except those that finally reacts to.
func (x *stack) resetClocks(now time.Time) {
	finally := x.finally()
	for i := range x.Frames {
		f := &x.Frames[i]
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
		if f.Scope != 0 && !x.complete(i) {
			c := x.Scopes[f.Scope]
			c.Finally, c.Whole, c.FinallyError, c.HasOutput, c.Output = "", false, nil, false, nil
		}
	}
}

// complete reports whether at most the finally of a document is left to do.
func (x *stack) complete(i int) bool {
	if i+1 < len(x.Frames) {
		return x.Frames[i+1].Sort == FinallyFrame
	}
	c := x.Scopes[x.Frames[i].Scope]
	return c.Whole && c.Finally == Done && c.FinallyError == nil
}

// retryOrDoubt repeats the step that did not succeed, unless it may have acted.
func (x *stack) retryOrDoubt() {
	f := x.top()
	c := f.Cur
	switch {
	case c == nil || c.Settled == Tolerated || c.Settled == Failing && f.Sort == FinallyFrame:
	case c.Phase == trying, c.Phase == doubt, c.Phase == asking && c.Tries > 0:
		// An outcome is that of the try before: it does not tell that this try did
		// nothing.
		c.Phase = doubt
	case c.Outcome == nil || c.Outcome.Error == nil:
	case c.Outcome.Acted != "" && c.Outcome.Acted != steps.ActedNo:
		c.Phase, c.Settled = doubt, ""
	case c.Round > 0: // a loop: its condition is evaluated again
		f.Cur = &Step{Phase: ready, Round: c.Round, First: c.Round, Began: c.Began}
	default:
		f.Cur = nil
	}
}

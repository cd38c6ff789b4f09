package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"
)

// fold is the state that the events of a run add up to. It starts from the
// last snapshot, when there is one.
func fold(ctx context.Context, st Store, run string, snap *Snapshot) (State, error) {
	if snap != nil {
		if s, err := snap.restore(); err == nil && s.Seq == snap.Seq {
			return foldOn(ctx, st, run, s, math.MaxUint64)
		}
	}
	return foldTo(ctx, st, run, math.MaxUint64)
}

// foldTo is the state after the event with a number.
func foldTo(ctx context.Context, st Store, run string, last uint64) (State, error) {
	return foldOn(ctx, st, run, State{}, last)
}

func foldOn(ctx context.Context, st Store, run string, s State, last uint64) (State, error) {
	for ev, err := range st.Events(ctx, run, s.Seq+1) {
		if err != nil {
			return s, err
		}
		if ev.Seq > last {
			break
		}
		if ev.Type == EvResumed {
			if s, err = rewind(ctx, st, run, s, ev); err != nil {
				return s, err
			}
		}
		if s, err = apply(s, ev); err != nil {
			return s, fmt.Errorf("run %s: %w", run, err)
		}
	}
	return s, nil
}

// rewind is the state that a resumption starts from: the one that the run
// had, or an earlier one with the numbers of the present.
func rewind(ctx context.Context, st Store, run string, s State, ev Event) (State, error) {
	r, err := factOf[Resumed](ev)
	if err != nil || r.Base == 0 {
		return s, err
	}
	return rewindTo(ctx, st, run, s, r.Base)
}

func rewindTo(ctx context.Context, st Store, run string, s State, base uint64) (State, error) {
	earlier, err := foldTo(ctx, st, run, base)
	if err != nil {
		return s, err
	}
	earlier.Seq, earlier.Attempt = s.Seq, s.Attempt
	earlier.Executed, earlier.Errors = s.Executed, s.Errors
	earlier.Created.Document = s.Created.Document
	return earlier, nil
}

func snapshot(s *State) (*Snapshot, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("snapshot of the state: %w", err)
	}
	return &Snapshot{Seq: s.Seq, State: raw}, nil
}

// restore is the state that a snapshot holds.
func (x *Snapshot) restore() (State, error) {
	var s State
	err := json.Unmarshal(x.State, &s)
	for _, c := range s.Scopes {
		c.init() // what was empty is not written
	}
	return s, err
}

// headerOf is the header of a run in a state. What does not change is taken
// from the header that it had.
func headerOf(s *State, h Header, l *layout) Header {
	c := s.Created
	h.Workflow, h.Document, h.Parent, h.Call, h.Client = c.Workflow, c.Document, c.Parent, c.Call, c.Client
	h.WorkflowID, h.TraceID, h.ExecutionID = c.WorkflowID, c.TraceID, c.ExecutionID
	h.Status, h.Attempt, h.Seq = s.Status, s.Attempt, s.Seq
	h.Executed, h.Total, h.Errors = s.Executed, l.total, s.Errors
	h.Error, h.Question, h.Stopping = s.Error, s.Question, s.Stop != nil
	h.UpdatedAt = time.Now().UTC()
	if s.Status.Ended() {
		h.EndedAt = h.UpdatedAt
	}
	h.ResumeFrom = ""
	if s.Status != Succeeded && s.Status != Running {
		h.ResumeFrom = resumeFrom(s, l)
	}
	return h
}

// resumeFrom is the step that a resumption would go on with.
func resumeFrom(s *State, l *layout) string {
	frames := s.Frames
	if s.Resume != nil {
		frames = s.Resume
	} else if f := failureIn(frames); f != nil {
		frames = f.At
	}
	if len(frames) == 0 {
		return ""
	}
	f := frames[len(frames)-1]
	n, err := l.node(&f)
	if err != nil {
		return ""
	}
	return name(n, pathOf(&f))
}

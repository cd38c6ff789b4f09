package engine

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"math"
	"time"

	"understudy/workflows"
)

// fold returns the state that the events of a run add up to. It starts from the last
// snapshot, if there is one.
func fold(ctx context.Context, st Store, run string, snap *Snapshot) (State, error) {
	if snap != nil {
		if s, err := snap.restore(); err == nil && s.Seq == snap.Seq {
			return (&folder{store: st, run: run}).on(ctx, s, math.MaxUint64)
		}
	}
	return foldTo(ctx, st, run, math.MaxUint64)
}

// foldTo returns the state after the event with the given number.
func foldTo(ctx context.Context, st Store, run string, last uint64) (State, error) {
	return (&folder{store: st, run: run}).on(ctx, State{}, last)
}

// folder folds the events of one run. It caches the states to which resumptions went
// back, so that each is folded once.
type folder struct {
	store interface {
		Events(ctx context.Context, run string, from uint64) iter.Seq2[Event, error]
	}
	run   string
	bases map[uint64]*Snapshot
}

func (f *folder) on(ctx context.Context, s State, last uint64) (State, error) {
	for ev, err := range f.store.Events(ctx, f.run, s.Seq+1) {
		if err != nil {
			return s, err
		}
		if ev.Seq > last {
			break
		}
		if ev.Type == EvResumed {
			if s, err = f.rewind(ctx, s, ev); err != nil {
				return s, err
			}
		}
		if err := apply(&s, ev); err != nil {
			return s, fmt.Errorf("run %s: %w", f.run, err)
		}
	}
	return s, nil
}

// rewind returns the state that a resumption starts from: the current one, or an
// earlier one with the counters of the current one.
func (f *folder) rewind(ctx context.Context, s State, ev Event) (State, error) {
	r, err := factOf[Resumed](ev)
	if err != nil || r.Base == 0 {
		return s, err
	}
	if f.bases[r.Base] == nil {
		earlier, err := f.on(ctx, State{}, r.Base)
		if err != nil {
			return s, err
		}
		f.bases = orEmpty(f.bases)
		if f.bases[r.Base], err = snapshot(&earlier); err != nil {
			return s, err
		}
	}
	earlier, err := f.bases[r.Base].restore()
	return s.goBack(earlier), err
}

// goBack returns an earlier state with the counters that cover all attempts.
func (s *State) goBack(earlier State) State {
	earlier.Seq, earlier.Attempt = s.Seq, s.Attempt
	earlier.Executed, earlier.Errors, earlier.Tally = s.Executed, s.Errors, s.Tally
	earlier.Created.Args, earlier.Created.Document, earlier.Desktop = s.Created.Args, s.Created.Document, s.Desktop
	earlier.Worker, earlier.Lost = s.Worker, s.Lost
	return earlier
}

func snapshot(s *State) (*Snapshot, error) {
	raw, err := json.Marshal(s)
	if err != nil {
		return nil, fmt.Errorf("snapshot of the state: %w", err)
	}
	return &Snapshot{Seq: s.Seq, State: raw}, nil
}

func (x *Snapshot) restore() (State, error) {
	var s State
	err := json.Unmarshal(x.State, &s)
	for _, c := range s.Scopes {
		c.init() // empty maps are not encoded
	}
	return s, err
}

// round returns the round of the outermost loop over a list that is being executed, from
// 1, and the number of its rounds.
func (x *stack) round() (at, of int) {
	for _, f := range x.Frames {
		if f.Cur != nil && f.Cur.Round < len(f.Cur.Items) {
			return f.Cur.Round + 1, len(f.Cur.Items)
		}
	}
	return 0, 0
}

// headerOf returns the header of a run in a state. What the state does not determine
// is taken from the previous header.
func headerOf(s *State, h Header, l *layout) Header {
	c := s.Created
	h.Workflow, h.Document, h.Parent, h.Call, h.Client = c.Workflow, c.Document, c.Parent, c.Call, c.Client
	h.Owner, h.Labels, h.Worker, h.Needs, h.Priority = c.Owner, c.Labels, s.Worker, c.Needs, c.Priority
	h.WorkflowID, h.TraceID, h.ExecutionID, h.Schedule, h.TraceParent = c.WorkflowID, c.TraceID, c.ExecutionID, c.Schedule, c.TraceParent
	h.Status, h.Attempt, h.Seq = s.Status, s.Attempt, s.Seq
	h.Executed, h.Total, h.Errors, h.Tally = s.Executed, l.total, s.Errors, s.Tally
	h.Round, h.Rounds = s.round()
	h.Error, h.Question, h.Stopping = s.Error, s.Question, s.Stop != nil
	h.UpdatedAt, h.Desktop, h.Auto = time.Now().UTC(), s.Desktop, l.lists[bodyKey].program.Options.ResumesItself
	h.Notify = l.lists[bodyKey].program.Options.Notify
	if s.Status.Ended() && h.EndedAt.IsZero() {
		h.EndedAt = h.UpdatedAt
	}
	h.AskedAt, h.ResumeFrom = time.Time{}, ""
	if s.Question != nil {
		h.AskedAt = s.Since
	}
	if n, f := resumeNode(s, l); n != nil && s.Status != Succeeded { // also while it runs, because the process may be killed
		n, f = upcoming(n, f, l)
		h.ResumeFrom = name(n, pathOf(f))
	}
	return h
}

// resumeNode returns the node at which a run continues, and its frame; nil: there is
// none.
func resumeNode(s *State, l *layout) (*workflows.Node, *Frame) {
	frames := s.resumeFrames()
	if len(frames) == 0 {
		return nil, nil
	}
	f := frames[len(frames)-1]
	n, err := l.node(&f)
	if err != nil {
		return nil, nil
	}
	return n, &f
}

// upcoming returns the node that a run executes next, and its frame, given the node under its
// cursor. Between two steps the cursor is still at the first.
func upcoming(n *workflows.Node, f *Frame, l *layout) (*workflows.Node, *Frame) {
	nodes := l.lists[f.List].nodes
	if f.Cur == nil || !f.Cur.succeeded(n) || n.Type != workflows.StepNode || len(n.Jumps) > 0 || f.Ending || f.Next+1 >= len(nodes) {
		return n, f
	}
	next := *f
	next.Next++
	return nodes[next.Next], &next
}

// succeeded reports whether the execution of a node has succeeded, and what the node
// expects holds.
func (c *Step) succeeded(n *workflows.Node) bool {
	return c.Outcome != nil && c.Outcome.Error == nil && (c.Phase == checked || c.Phase == ended && !n.Proven())
}

package engine

import (
	"cmp"
	"context"

	"understudy/steps"
)

// Plan says what a resumption would do, and does nothing.
type Plan struct {
	RunID  string     `json:"run_id"`
	From   string     `json:"from"`   // the step it goes on with
	Doubt  bool       `json:"doubt"`  // that step may have acted: a decision is needed
	Kept   []PlanStep `json:"kept"`   // what is not done again
	Again  []PlanStep `json:"again"`  // what was executed and is done again
	Undone []PlanStep `json:"undone"` // what finally did after the last attempt
	// Desktop is the lasting desktop that it was on, and Gone why that is no
	// more: then From is the step at which it can begin again.
	Desktop string `json:"desktop,omitempty"`
	Gone    string `json:"gone,omitempty"`
}

// PlanStep is a step in a plan.
type PlanStep struct {
	Path   string `json:"path"`
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Acts   bool   `json:"acts"` // repeating it acts on the world
}

// Plan tells what Resume would do with the same request.
func (e *Engine) Plan(ctx context.Context, id string, r ResumeRequest) (Plan, error) {
	e.open()
	w, err := e.revive(ctx, id, r.Bundle, r.Force)
	if err != nil {
		return Plan{}, err
	}
	if err := resumable(w, r); err != nil {
		return Plan{}, err
	}
	last := w.s.Seq
	p := Plan{RunID: id, Kept: []PlanStep{}, Again: []PlanStep{}, Undone: []PlanStep{}}
	if d := w.s.Desktop; d != nil {
		p.Desktop = d.Name
	}
	if r, err = w.plannedDesktop(ctx, &p, r); err != nil {
		return Plan{}, err
	}
	ev, err := w.resumption(ctx, r)
	if err != nil {
		return Plan{}, err
	}
	if err := w.record(EvResumed, "", ev); err != nil {
		return Plan{}, err
	}
	if n, err := w.layout.node(w.s.top()); err == nil {
		c := w.s.top().Cur
		p.From = name(n, pathOf(w.s.top()))
		p.Doubt = c != nil && (c.Phase == doubt || c.Phase == asking) && !n.Repeatable()
	}
	base := cmp.Or(ev.Base, last)
	return p, w.divide(ctx, &p, base)
}

// plannedDesktop says in a plan what became of the desktop, and makes it the
// plan of what can be done without.
func (w *worker) plannedDesktop(ctx context.Context, p *Plan, r ResumeRequest) (ResumeRequest, error) {
	gone := w.goneDesktop(ctx)
	if gone == nil {
		return r, nil
	}
	p.Gone = gone.Error()
	if r.From != "" {
		return r, nil
	}
	var err error
	r.From, err = w.firstOnDesktop(ctx)
	return r, err
}

// divide sorts what was executed by whether it will be done again.
func (j *journal) divide(ctx context.Context, p *Plan, base uint64) error {
	nodes := executedNodes(j.layout)
	kept, again, undone := onePerPath{}, onePerPath{}, onePerPath{}
	for ev, err := range j.e.Store.Events(ctx, j.id, 1) {
		if err != nil {
			return err
		}
		if ev.Type != EvEnded {
			continue
		}
		end, err := factOf[Ended](ev)
		if err != nil {
			return err
		}
		step := PlanStep{Path: ev.Path, ID: end.ID, Status: end.Outcome.Status}
		if n := nodes[plain(ev.Path)]; n != nil && n.Kind != nil {
			step.Kind, step.Acts = n.Kind.Name, !n.Kind.Reads
		}
		switch {
		case inFinally(ev.Path):
			if step.Acts && end.Outcome.Acted != steps.ActedNo {
				undone.put(step)
			}
		case ev.Seq > base:
			again.put(step)
		case end.Outcome.Status != Success && name(nodes[plain(ev.Path)], ev.Path) == p.From:
			again.put(step)
		default:
			kept.put(step)
		}
	}
	p.Kept, p.Again, p.Undone = append(p.Kept, kept.steps...), append(p.Again, again.steps...), append(p.Undone, undone.steps...)
	return nil
}

// onePerPath lists steps in the order in which they were first executed, each
// as its last execution left it: attempts and jumps execute some again.
type onePerPath struct {
	steps []PlanStep
	at    map[string]int
}

func (l *onePerPath) put(s PlanStep) {
	if i, ok := l.at[s.Path]; ok {
		l.steps[i] = s
		return
	}
	if l.at == nil {
		l.at = map[string]int{}
	}
	l.at[s.Path] = len(l.steps)
	l.steps = append(l.steps, s)
}

func inFinally(path string) bool {
	for i := range path {
		if (i == 0 || path[i-1] == '/') && len(path) >= i+8 && path[i:i+8] == "finally." {
			return true
		}
	}
	return false
}

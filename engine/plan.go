package engine

import (
	"cmp"
	"context"
	"fmt"
	"strings"
	"time"

	"understudy/steps"
	"understudy/workflows"
)

// Plan describes what a resumption would do.
type Plan struct {
	RunID  string     `json:"run_id"`
	From   string     `json:"from"`   // the step with which the run continues
	Doubt  bool       `json:"doubt"`  // that step may have acted, so a decision is needed
	Holds  bool       `json:"holds"`  // what that step expects holds already, so it may count as done
	Kept   []PlanStep `json:"kept"`   // is not repeated
	Again  []PlanStep `json:"again"`  // was executed and is repeated
	Undone []PlanStep `json:"undone"` // what finally did after the last attempt
	// Desktop is the lasting desktop of the run, and Gone why it no longer exists. In
	// that case From is the step at which the run can begin again.
	Desktop string `json:"desktop,omitempty"`
	Gone    string `json:"gone,omitempty"`
	// Lost is what happens to the run if its desktop is gone: a person has to name
	// From (ask), the run begins again there (restart), or it cannot continue (fail).
	Lost workflows.LostDesktop `json:"lost,omitempty"`
}

// Summary describes in one sentence where a run would continue, and on which desktop.
func (p Plan) Summary() string {
	switch {
	case p.Lost == workflows.FailWithoutDesktop:
		return fmt.Sprintf("run %s cannot be resumed, as its document says on_lost_desktop: fail: %s", p.RunID, p.Gone)
	case p.Lost == workflows.RestartWithoutDesktop:
		return fmt.Sprintf("run %s would begin again at %s, on a new desktop: %s", p.RunID, p.From, p.Gone)
	case p.Gone != "":
		return fmt.Sprintf("run %s can only begin again, with --from %s: %s", p.RunID, p.From, p.Gone)
	case p.Desktop != "":
		return fmt.Sprintf("run %s would continue at %s, on its desktop %s", p.RunID, p.From, p.Desktop)
	}
	return fmt.Sprintf("run %s would continue at %s", p.RunID, p.From)
}

// PlanStep is a step in a plan.
type PlanStep struct {
	Path   string `json:"path"`
	ID     string `json:"id"`
	Kind   string `json:"kind"`
	Status string `json:"status"`
	Acts   bool   `json:"acts"` // repeating it changes something
}

// Plan returns what Resume would do with the same request.
func (e *Engine) Plan(ctx context.Context, id string, r ResumeRequest) (Plan, error) {
	w, err := e.load(ctx, id, r.Bundle, r.Force)
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
		n, f := upcoming(n, w.s.top(), w.layout)
		c := w.s.top().Cur
		p.From = cmp.Or(r.From, name(n, pathOf(f)))
		p.Doubt = c != nil && (c.Phase == doubt || c.Phase == asking) && !n.Repeatable()
		p.Holds = p.Gone == "" && p.Desktop != "" && w.holdsNow(ctx, n)
	}
	base := cmp.Or(ev.Base, last)
	return p, w.divide(ctx, &p, base)
}

// holdsTime bounds how long a plan may look at the desktop.
const holdsTime = 5 * time.Second

// holdsNow reports whether what a step expects holds already.
func (w *worker) holdsNow(ctx context.Context, n *workflows.Node) bool {
	if n.Expect == nil {
		return false
	}
	ctx, cancel := context.WithTimeout(ctx, holdsTime)
	defer cancel()
	defer w.releaseDesktop(w.s.Status == Succeeded)
	ok, err := w.holds(ctx, n.Expect)
	return err == nil && ok
}

// plannedDesktop puts the state of the desktop into a plan. If the desktop is gone,
// the plan is for a resumption without it.
func (x *runDesktop) plannedDesktop(ctx context.Context, p *Plan, r ResumeRequest) (ResumeRequest, error) {
	gone := x.goneDesktop(ctx)
	if gone == nil {
		return r, nil
	}
	p.Gone, p.Lost = gone.Error(), cmp.Or(x.program.Options.OnLostDesktop, workflows.AskWithoutDesktop)
	if r.From != "" {
		if p.Lost == workflows.AskWithoutDesktop {
			p.Lost = workflows.RestartWithoutDesktop // as the caller asks
		}
		return r, nil
	}
	var err error
	r.From, err = x.firstOnDesktop(ctx)
	return r, err
}

// divide sorts what was executed by whether it would be repeated.
func (j *journal) divide(ctx context.Context, p *Plan, base uint64) error {
	kept, again, undone := onePerPath{steps: p.Kept}, onePerPath{steps: p.Again}, onePerPath{steps: p.Undone}
	err := endings(ctx, j.e.Store, j.id, func(ev Event, end Ended) {
		step := PlanStep{Path: ev.Path, ID: end.ID, Status: end.Outcome.Status}
		n := j.layout.nodeAt(ev.Path)
		if n != nil && n.Kind != nil {
			step.Kind, step.Acts = n.Kind.Name, !n.Kind.Reads
		}
		switch {
		case inFinally(ev.Path):
			if step.Acts && end.Outcome.Acted != steps.ActedNo {
				undone.put(step)
			}
		case ev.Seq > base:
			again.put(step)
		case end.Outcome.Status != Success && name(n, ev.Path) == p.From:
			again.put(step)
		default:
			kept.put(step)
		}
	})
	p.Kept, p.Again, p.Undone = kept.steps, again.steps, undone.steps
	return err
}

// onePerPath lists steps in the order of their first execution, each as its last
// execution left it: attempts and jumps repeat steps.
type onePerPath struct {
	steps []PlanStep
	at    map[string]int
}

func (l *onePerPath) put(s PlanStep) {
	if i, ok := l.at[s.Path]; ok {
		l.steps[i] = s
		return
	}
	l.at = orEmpty(l.at)
	l.at[s.Path] = len(l.steps)
	l.steps = append(l.steps, s)
}

func inFinally(path string) bool {
	return strings.HasPrefix(path, "finally.") || strings.Contains(path, "/finally.")
}

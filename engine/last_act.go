package engine

import (
	"understudy/steps"
	"understudy/workflows"
)

// tellsEffects reports whether a step is to report what happened after it: a call of its
// own, and the last act of a document that a client runs, which would look otherwise.
func (w *worker) tellsEffects(n *workflows.Node) bool {
	c := w.s.Created
	if c.Call != "" {
		return true
	}
	return c.Client != "" && c.Client != CommandLine && c.Schedule == "" && n == lastAct(w.program)
}

// lastAct returns the last step of a document that acts, if no other step can act after it;
// else nil.
func lastAct(p *workflows.Program) *workflows.Node {
	if len(p.Finally) > 0 {
		return nil
	}
	for i := len(p.Steps) - 1; i >= 0; i-- {
		n := p.Steps[i]
		switch {
		case n.Type != workflows.StepNode:
			return nil
		case n.Kind.Touches == steps.Act:
			return n
		}
	}
	return nil
}

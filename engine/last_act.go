package engine

import (
	"slices"

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
	n, _ := lastActOf(p.Steps)
	return n
}

// lastActOf reports unsure if it is not known which step of a list acts last.
func lastActOf(list []*workflows.Node) (n *workflows.Node, unsure bool) {
	for _, n := range slices.Backward(list) {
		switch n.Type {
		case workflows.StepNode:
			if n.Kind.Touches == steps.Act {
				return n, false
			}
		case workflows.GroupNode:
			if last, unsure := lastActOf(n.Steps); last != nil || unsure {
				return last, unsure
			}
		default:
			return nil, true
		}
	}
	return nil, false
}

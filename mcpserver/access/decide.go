package access

import (
	"errors"
	"fmt"
	"slices"

	"understudy/steps"
	"understudy/workflows"
)

// Tool is what a policy has to know of a tool or a kind.
type Tool struct {
	Name    string
	Toolset steps.Toolset
	Reads   bool
	Always  bool // whatever the mode: the tool asks about each step by itself
	Risk    steps.Risk
}

// Of is what a policy has to know of a kind.
func Of(k steps.Kind) Tool {
	return Tool{Name: k.Name, Toolset: k.Toolset, Reads: k.Reads, Risk: k.Risk}
}

// A Refusal says why a tool may not be used, and what would change that.
type Refusal struct{ Tool, Why, Next string }

func (r *Refusal) Error() string { return fmt.Sprintf("%s is not allowed: %s", r.Tool, r.Why) }

// Denied is the error of a step that may not be used.
func (r *Refusal) Denied() error {
	return &steps.Error{Code: steps.Denied, Err: errors.New(r.Error()), Next: r.Next}
}

// refusedUnlessChosen are the risks of what reaches beyond the desktop.
var refusedUnlessChosen = []steps.Risk{steps.RunsShell, steps.WritesFiles, steps.ReadsPrivate}

// Refuses says why a tool may not be used; nil: it may.
func (p Policy) Refuses(t Tool) *Refusal {
	switch {
	case t.Always && !slices.Contains(p.Exclude, t.Name):
		return nil
	case slices.Contains(p.Exclude, t.Name):
		return &Refusal{t.Name, "it is excluded by --exclude-tools", "ask the operator, or do without it"}
	case p.Mode == Ask && !t.Reads:
		return &Refusal{t.Name, "this client is in ask mode, in which it may only look", "ask the user to switch to act mode"}
	case p.ReadOnly && !t.Reads:
		return &Refusal{t.Name, "this server is read-only", "ask the operator to start it without --read-only"}
	case slices.Contains(refusedUnlessChosen, t.Risk) && !p.chooses(t):
		return &Refusal{
			t.Name, fmt.Sprintf("the toolset %s is off", t.Toolset),
			fmt.Sprintf("ask the operator to start the server with --toolsets core,%s", t.Toolset),
		}
	}
	return nil
}

// Offers says whether a tool is listed.
func (p Policy) Offers(t Tool) bool { return p.chooses(t) && p.Refuses(t) == nil }

func (p Policy) chooses(t Tool) bool {
	return t.Toolset == steps.Runs || slices.Contains(p.Tools, t.Name) ||
		slices.Contains(p.Toolsets, All) || slices.Contains(p.Toolsets, t.Toolset)
}

// RefusesProgram says why a program, or one that it calls, may not be run: the
// first step that its caller could not do on its own. A dry run only does what
// reads.
func (p Policy) RefusesProgram(program *workflows.Program) (why *Refusal) {
	program.Walk(func(n *workflows.Node) {
		if why == nil && n.Call != nil {
			why = p.RefusesProgram(n.Call)
		}
		if why != nil || n.Kind == nil {
			return
		}
		if why = p.Refuses(Of(*n.Kind)); why != nil {
			why.Why = fmt.Sprintf("%s (step %s)", why.Why, nodeName(n))
		}
	})
	return why
}

func nodeName(n *workflows.Node) string {
	if n.ID != "" {
		return n.ID
	}
	return "at " + n.Path
}

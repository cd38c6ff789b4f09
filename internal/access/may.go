package access

import (
	"errors"
	"fmt"
	"slices"

	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// Tool holds the properties of a tool or a kind that a policy examines.
type Tool struct {
	Name    string
	Toolset steps.Toolset
	Reads   bool
	Always  bool // allowed in every mode, because the tool checks each step itself
	Risk    steps.Risk
}

// Of returns the properties of a kind that a policy examines.
func Of(k steps.Kind) Tool {
	return Tool{Name: k.Name, Toolset: k.Toolset, Reads: k.Reads, Risk: k.Risk}
}

// Kind returns a kind with the fields of the tool.
func (t Tool) Kind() steps.Kind {
	return steps.Kind{Name: t.Name, Toolset: t.Toolset, Reads: t.Reads, Risk: t.Risk}
}

// A Subject is the holder of a credential or the person at the machine, with its
// current rights.
type Subject struct {
	Policy        // of the server, narrowed by the credential, mode, path and headers
	Owner  string // the credential, which owns what the subject makes; "" is the person at the machine
	All    bool   // it may see and change what others made, as the person at the machine may
	Gone   error  // why the credential is no longer valid; nil if it is
}

// Thing is an object that a tool is used on, such as a run or a saved workflow.
type Thing struct {
	Name   string // in messages
	Owner  string // "" is the person at the machine
	Change bool   // it is to be changed, continued or ended, not only read
}

// A Refusal is the reason why a tool may not be used, with advice.
type Refusal struct {
	Tool, Why, Next string
	hidden          bool // reported as NotFound, so that the existence of the thing is not disclosed
}

func (r *Refusal) Error() string { return fmt.Sprintf("%s is not allowed: %s", r.Tool, r.Why) }

// Denied returns the refusal as an error, or nil if there is none.
func (r *Refusal) Denied() error {
	if r == nil {
		return nil
	}
	code := steps.Denied
	if r.hidden {
		code = steps.NotFound
	}
	return &steps.Error{Code: code, Err: errors.New(r.Error()), Next: r.Next}
}

// May decides whether a subject may use a tool, and act on the given things; it returns
// nil if so. Nothing else decides this. Every access to a kind, a run, a picture or a
// workflow calls it: a tool by its name, a step of a sequence or of a document that it
// calls, a run that continues, a resource, a prompt, a page.
func (s Subject) May(t Tool, on ...Thing) *Refusal {
	if s.Gone != nil {
		return &Refusal{Tool: t.Name, Why: s.Gone.Error(), Next: "the operator can make a new token: understudy token add NAME"}
	}
	if why := s.refusal(t); why != nil {
		return why
	}
	for _, x := range on {
		if why := s.thingRefusal(x); why != nil {
			return why
		}
	}
	return nil
}

// thingRefusal is the part of May about the owner of a thing.
func (s Subject) thingRefusal(x Thing) *Refusal {
	switch {
	case s.Owner == "", x.Owner == s.Owner:
		return nil
	case !s.All:
		return &Refusal{Tool: x.Name, Why: "this client has none", Next: "list the existing ones", hidden: true}
	case x.Change && s.Mode == Ask:
		return &Refusal{Tool: x.Name, Why: "it belongs to another client, and this client is in ask mode, which only allows looking", Next: "ask the user to switch to act mode"}
	}
	return nil
}

// restrictedRisks lists the risks that reach beyond the desktop.
var restrictedRisks = []steps.Risk{steps.RunsShell, steps.RunsScripts, steps.WritesFiles, steps.ReadsPrivate}

// refusal is the part of May about the tool itself.
func (p Policy) refusal(t Tool) *Refusal {
	switch {
	case names(p.Exclude, t):
		return &Refusal{Tool: t.Name, Why: "it is excluded by --exclude-tools", Next: "ask the operator to allow it"}
	case p.Mode == Ask && names(p.Blocked, t):
		return &Refusal{Tool: t.Name, Why: "it is blocked for this client in ask mode", Next: "ask the user to switch to act mode"}
	case t.Always:
		return nil
	case p.Mode == Ask && !t.Reads:
		return &Refusal{Tool: t.Name, Why: "this client is in ask mode, which only allows looking", Next: "ask the user to switch to act mode"}
	case p.ReadOnly && !t.Reads:
		return &Refusal{Tool: t.Name, Why: "this server is read-only", Next: "ask the operator to start it without --read-only"}
	case slices.Contains(restrictedRisks, t.Risk) && !p.selects(t):
		return &Refusal{
			Tool: t.Name, Why: fmt.Sprintf("the toolset %s is off", t.Toolset),
			Next: fmt.Sprintf("ask the operator to start the server with --toolsets core,%s", t.Toolset),
		}
	}
	return nil
}

// names reports whether a list names a tool, by its name or by one that it had or has elsewhere.
func names(list []string, t Tool) bool {
	return slices.ContainsFunc(list, func(name string) bool { return name == t.Name || workflows.ToolName(name) == t.Name })
}

// Offers reports whether a tool is listed.
func (s Subject) Offers(t Tool) bool { return s.selects(t) && s.May(t) == nil }

func (p Policy) selects(t Tool) bool {
	return t.Toolset == steps.Runs || names(p.Tools, t) ||
		slices.Contains(p.Toolsets, All) || slices.Contains(p.Toolsets, t.Toolset)
}

// MayRun returns why a program, or one that it calls, may not be run: the first step
// that the subject could not do on its own, or nil. A dry run executes only steps that
// read.
func (s Subject) MayRun(program *workflows.Program) (why *Refusal) {
	program.Walk(func(n *workflows.Node) {
		if why == nil && n.Call != nil {
			why = s.MayRun(n.Call)
		}
		if why != nil || n.Kind == nil {
			return
		}
		if why = s.May(Of(*n.Kind)); why != nil {
			why.Why = fmt.Sprintf("%s (step %s)", why.Why, nodeName(n))
		}
	})
	return why
}

// MaySave returns why a program may not be saved, or nil. Others will run it with their
// own rights, so it may do nothing that its saver could not do. An argument that is
// computed during the run counts as the most dangerous value that it could have.
func (s Subject) MaySave(program *workflows.Program, kinds []steps.Kind) (why *Refusal) {
	if why = s.MayRun(program); why != nil {
		return why
	}
	program.Walk(func(n *workflows.Node) {
		if why == nil && n.Call != nil {
			why = s.MaySave(n.Call, kinds)
		}
		if why != nil || n.Kind == nil || n.Kind.Beyond == nil || n.Args == nil {
			return
		}
		b := n.Kind.Beyond
		if value, ok := n.Args.ConstantOf(b.Argument); ok {
			if text, _ := value.(string); b.Harmless(text) {
				return
			}
		}
		if why = s.MayAll(kinds, HasRisk(b.Risk)); why != nil {
			why.Why = fmt.Sprintf("%s (step %s: %s)", why.Why, nodeName(n), b.Argument)
		}
	})
	return why
}

// MayAll refuses unless every kind that has a trait may be used. It also refuses if no
// kind has the trait, because then nothing determines the right.
func (s Subject) MayAll(kinds []steps.Kind, has func(steps.Kind) bool) *Refusal {
	known := false
	for _, k := range kinds {
		if has(k) {
			if why := s.May(Of(k)); why != nil {
				return why
			}
			known = true
		}
	}
	if !known {
		return &Refusal{Tool: "this", Why: "no tool of this server grants it", Next: "ask the operator to allow it"}
	}
	return nil
}

// HasRisk returns a predicate for kinds with a risk.
func HasRisk(r steps.Risk) func(steps.Kind) bool {
	return func(k steps.Kind) bool { return k.Risk == r }
}

func nodeName(n *workflows.Node) string {
	if n.ID != "" {
		return string(words.Quoted(n.ID))
	}
	return "at " + n.Path
}

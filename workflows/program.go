package workflows

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"understudy/steps"
	"understudy/workflows/expression"
)

// Program is a compiled document: a tree of nodes with every expression compiled.
// It is immutable, so any number of runs may share it.
type Program struct {
	Source          Source
	Hash            string // of the source and of all documents that it calls
	Name            string
	Description     string
	Variables       []Variable
	Inputs          map[string]any // the values that the document gives
	Selectors       *Template      // an object: name → selector
	Steps           []*Node
	Troubleshooting []*Node
	Finally         []*Node
	Output          *Output // nil when the document names none
	Options         Options
	Loaded          []Loaded // of the outermost document only: all that are called, directly or not
	// Notes are what is likely a mistake, or has another spelling here; of the outermost
	// document only, and nothing that stops a run.
	Notes []Problem

	ids  map[string]*Node
	size int // the number of its nodes and of those of every call
}

// Options are the document's settings of a run.
type Options struct {
	StopOnError      bool // a failed step ends the run
	Timeout          time.Duration
	Screenshots      Policy
	StartFrom, EndAt string // step ids
	FollowFallback   bool
	JumpsAtEnd       bool
	Verbosity        Verbosity
	WorkflowID       string
	TraceID          string
	ExecutionID      string
	MaxSteps         int // never 0 in a compiled program
	Durability       Durability
	ResumesItself    bool // an interrupted run is resumed when the server starts again
	OnLostDesktop    LostDesktop
	OnDisconnect     string // "", "cancel" or "continue"
	Notify           string // who is told how a run goes
	Labels           []string
	ScriptsBasePath  string
	WindowManagement map[string]any // arguments of every step that takes them and does not set them
	RestoreFocus     bool           // the focus is given back to the user at the end
	InputsAreOpen    bool           // no variables are declared, so any input is accepted
}

// Policy says when pictures of a step are taken.
type Policy string

// The policies. Empty means the policy of the kind.
const (
	Around    Policy = "around"
	After     Policy = "after"
	OnFailure Policy = "failure"
	NoPicture Policy = "none"
)

// Verbosity says how much comes back to a caller.
type Verbosity string

// The verbosities.
const (
	Quiet Verbosity = "quiet"
	Usual Verbosity = "normal"
	Wordy Verbosity = "verbose"
)

// Durability says when events are synced to the disk.
type Durability string

// Always syncs after each step; Interval syncs periodically, and before each step that
// must not be repeated.
const (
	Always   Durability = "always"
	Interval Durability = "interval"
)

// LostDesktop says what a resume does if the desktop of the run is gone.
type LostDesktop string

// The choices of a resume without the desktop. Empty means ask.
const (
	AskWithoutDesktop     LostDesktop = "ask"
	RestartWithoutDesktop LostDesktop = "restart"
	FailWithoutDesktop    LostDesktop = "fail"
)

// Node is one entry of a list of steps. Its Type says which fields are used.
type Node struct {
	Type NodeType
	Path string // its place in its document, such as "3.0" or "finally.1"
	ID   string
	Line int
	// Digest is a hash of what the node does, without the nodes inside its lists. It
	// is the same for the same step in another document.
	Digest string

	// Of every node:
	If              *expression.Expr // nil: always
	Timeout         time.Duration    // of one attempt; 0: the kind's own
	Fallback        string           // a step id
	Jumps           []Jump
	ContinueOnError bool
	Note            string

	// Of a step:
	Kind        *steps.Kind
	Args        *Template
	Retry       Retry
	Delay       time.Duration
	Expect      *expression.Expr
	Effect      *TextEdit // nil: it is not known
	Watched     bool      // an effect counts from its beginning
	Idempotent  bool
	OnInterrupt Interrupt
	Screenshots Policy

	// Of a group, a loop:
	GroupName string
	Steps     []*Node
	Each      *Template        // of foreach: the list
	As        string           // of foreach: the name of the element
	While     *expression.Expr // of while
	Max       int              // of while: the maximum of rounds; never 0

	// Of a call:
	Call   *Program
	Inputs *Template // an object
}

// NodeType is the type of a node.
type NodeType string

// The types of nodes.
const (
	StepNode    NodeType = "step"
	GroupNode   NodeType = "group"
	ForeachNode NodeType = "foreach"
	WhileNode   NodeType = "while"
	CallNode    NodeType = "call"
)

// TextEdit is how a step changed the text of its field when it was recorded.
type TextEdit struct {
	Inserted *Template // a text
	Deleted  int       // characters
	At       string    // start, end, or "" for anywhere
	Since    *Node     // the step from whose beginning on it counts
}

// Proven reports whether something is compared after the step.
func (n *Node) Proven() bool { return n.Expect != nil || n.Effect != nil }

// Jump says where the run continues after a success.
type Jump struct {
	If     *expression.Expr
	To     string
	Reason string
}

// Retry says how often and when a failed step is tried again.
type Retry struct {
	Attempts int // the first included; at least 1
	Delay    time.Duration
	Backoff  float64 // the factor from one delay to the next; at least 1
	MaxDelay time.Duration
	Jitter   float64      // the share of the delay that is added or taken away at random
	On       []steps.Code // the codes to retry; empty: all
	NotOn    []steps.Code
	Before   []*Node // run before the next attempt
}

// Retries reports whether a failure with a code is retried.
func (r Retry) Retries(c steps.Code) bool {
	return !slices.Contains(r.NotOn, c) && (len(r.On) == 0 || slices.Contains(r.On, c))
}

// Pause returns how long to wait after a number of tries. Each wait is Backoff times
// as long as the last, up to MaxDelay, and then spread by Jitter.
func (r Retry) Pause(tries int) time.Duration {
	d := float64(r.Delay) * math.Pow(max(1, r.Backoff), float64(tries-1))
	if r.MaxDelay > 0 {
		d = min(d, float64(r.MaxDelay))
	}
	d = min(d, float64(steps.MaxDuration))
	return time.Duration(d * (1 + r.Jitter*(2*rand.Float64()-1)))
}

// Interrupt says what a resume does with an interrupted step.
type Interrupt string

// The choices for an interrupted step. Empty means ask, unless the step is repeatable.
const (
	Rerun Interrupt = "rerun"
	Skip  Interrupt = "skip"
	AskIt Interrupt = "ask"
)

// Repeatable reports whether the step may be repeated without asking.
func (n *Node) Repeatable() bool {
	return n.Idempotent || n.OnInterrupt == Rerun || n.Kind != nil && n.Kind.Repeatable()
}

// Output is the result of a run: one value, or named values.
type Output struct {
	Value *expression.Expr
	Named map[string]*expression.Expr
}

// Node returns the node of this document with an id.
func (p *Program) Node(id string) (*Node, bool) {
	n, ok := p.ids[id]
	return n, ok
}

// Walk calls f for every node of the document, but not of the documents that it calls.
func (p *Program) Walk(f func(*Node)) {
	var list func([]*Node)
	list = func(nodes []*Node) {
		for _, n := range nodes {
			f(n)
			list(n.Steps)
			list(n.Retry.Before)
		}
	}
	list(p.Steps)
	list(p.Troubleshooting)
	list(p.Finally)
}

// WalkAll calls f for every node of the program and of the programs that it calls. A
// program that is called several times is walked once.
func (p *Program) WalkAll(f func(*Node)) {
	seen := map[*Program]bool{}
	var visit func(*Program)
	visit = func(p *Program) {
		if seen[p] {
			return
		}
		seen[p] = true
		p.Walk(func(n *Node) {
			f(n)
			if n.Call != nil {
				visit(n.Call)
			}
		})
	}
	visit(p)
}

// Single returns the program of a single call: one step, with arguments in any spelling,
// which are not evaluated.
func Single(k steps.Kind, args map[string]any) *Program {
	if args = CallArguments(&k, args); args == nil {
		args = map[string]any{}
	}
	n := &Node{Type: StepNode, Path: "0", Kind: &k, Args: &Template{constant{args}}, Retry: Retry{Attempts: 1, Backoff: 1}}
	return &Program{
		Name: k.Name, Steps: []*Node{n}, ids: map[string]*Node{},
		Options: Options{StopOnError: true, FollowFallback: true, MaxSteps: 1000},
	}
}

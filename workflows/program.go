package workflows

import (
	"math"
	"math/rand/v2"
	"slices"
	"time"

	"understudy/steps"
	"understudy/workflows/expression"
)

// Program is a document that was read and checked: a tree of nodes with every
// expression compiled. It is never changed after Compile, so any number of
// runs may share it.
type Program struct {
	Source          Source
	Hash            string // of the source and of all that it calls
	Name            string
	Description     string
	Variables       []Variable
	Inputs          map[string]any // values that the document itself gives
	Selectors       *Template      // an object: name → selector
	Steps           []*Node
	Troubleshooting []*Node
	Finally         []*Node
	Output          *Output // nil when the document names none
	Options         Options
	Loaded          []Loaded // the documents that it calls, and those that they call; only of the outermost

	ids  map[string]*Node
	size int // its nodes, and those of every call
}

// Options are the document's settings of a run.
type Options struct {
	StopOnError      bool // a failed step ends the run
	Timeout          time.Duration
	Screenshots      Policy
	StartFrom, EndAt string // step ids
	FollowFallback   bool
	JumpsAtEnd       bool
	DetailedResults  bool
	Verbosity        Verbosity
	WorkflowID       string
	TraceID          string
	ExecutionID      string
	MaxSteps         int // never 0 in a compiled program
	Durability       Durability
	ResumesItself    bool // it goes on by itself when it was cut short
	OnLostDesktop    LostDesktop
	OnDisconnect     string // "", "cancel" or "continue"
	ScriptsBasePath  string
	WindowManagement map[string]any // arguments of every step that takes them and does not say otherwise
	RestoreFocus     bool           // the user's focus is given back at the end
	InputsAreOpen    bool           // no variables are declared: any input is accepted
}

// Policy says when pictures of a step are taken.
type Policy string

// The policies; an empty one is the one of the kind.
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

// Always syncs each step; Interval syncs now and then, and before each step
// that must not be repeated.
const (
	Always   Durability = "always"
	Interval Durability = "interval"
)

// LostDesktop says what a resume does when the desktop of the run is gone.
type LostDesktop string

// What a resume may do without the desktop; nothing said is ask.
const (
	AskWithoutDesktop     LostDesktop = "ask"
	RestartWithoutDesktop LostDesktop = "restart"
	FailWithoutDesktop    LostDesktop = "fail"
)

// Node is one entry of a list of steps. Type says which of its fields count.
type Node struct {
	Type NodeType
	Path string // its position in its own document, such as "3.0" or "finally.1"
	ID   string
	Line int
	// Digest tells whether a node is the same as one in another document: a
	// hash of what it does, without what stands inside its lists.
	Digest string

	// Of every node:
	If              *expression.Expr // nil: always
	Timeout         time.Duration    // of one attempt; 0: the kind's own
	Fallback        string           // a step id
	Jumps           []Jump
	ContinueOnError bool // or skippable

	// Of a step:
	Kind        *steps.Kind
	Args        *Template
	Retry       Retry
	Delay       time.Duration
	Expect      *expression.Expr
	Idempotent  bool
	OnInterrupt Interrupt
	Screenshots Policy
	Note        string

	// Of a group, a loop:
	GroupName string
	Steps     []*Node
	Each      *Template        // of foreach: gives the list
	As        string           // of foreach: the name of the element
	While     *expression.Expr // of while
	Max       int              // of while: rounds at most; never 0

	// Of a call:
	Call   *Program
	Inputs *Template // an object
}

// NodeType is the sort of a node.
type NodeType string

// The sorts of nodes.
const (
	StepNode    NodeType = "step"
	GroupNode   NodeType = "group"
	ForeachNode NodeType = "foreach"
	WhileNode   NodeType = "while"
	CallNode    NodeType = "call"
)

// Jump says where to go on after a success.
type Jump struct {
	If     *expression.Expr
	To     string
	Reason string
}

// Retry says how often and when a failed step is tried again.
type Retry struct {
	Attempts int // in all; 1 means no retry, and is the least
	Delay    time.Duration
	Backoff  float64 // each delay is this much longer than the last; at least 1
	MaxDelay time.Duration
	Jitter   float64      // a share of the delay, up or down
	On       []steps.Code // only these; empty: all
	NotOn    []steps.Code
	Before   []*Node // done before the next attempt
}

// Retries reports whether a failure with a code is tried again.
func (r Retry) Retries(c steps.Code) bool {
	in := func(list []steps.Code) bool {
		return slices.Contains(list, c)
	}
	return !in(r.NotOn) && (len(r.On) == 0 || in(r.On))
}

// Pause is how long to wait after a number of tries. Each wait is Backoff
// times as long as the last, up to MaxDelay, and then spread by Jitter.
func (r Retry) Pause(tries int) time.Duration {
	d := float64(r.Delay) * math.Pow(max(1, r.Backoff), float64(tries-1))
	if r.MaxDelay > 0 {
		d = min(d, float64(r.MaxDelay))
	}
	d = min(d, float64(steps.MaxDuration))
	return time.Duration(d * (1 + r.Jitter*(2*rand.Float64()-1)))
}

// Interrupt says what a resume does with a step that was cut short.
type Interrupt string

// What can be done with a step that was cut short. The empty one asks, unless
// the step may be repeated by nature.
const (
	Rerun Interrupt = "rerun"
	Skip  Interrupt = "skip"
	AskIt Interrupt = "ask"
)

// Repeatable reports whether the step may be repeated without asking.
func (n *Node) Repeatable() bool {
	return n.Idempotent || n.OnInterrupt == Rerun || n.Kind != nil && n.Kind.Repeatable()
}

// Output is what a run returns: one value, or named values.
type Output struct {
	Value *expression.Expr
	Named map[string]*expression.Expr
}

// Node is the node with an id, in this document.
func (p *Program) Node(id string) (*Node, bool) {
	n, ok := p.ids[id]
	return n, ok
}

// Walk calls f for every node of the document, but not of those it calls.
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

// WalkAll calls f for every node of the program and of those that it calls, of
// each once, however often it is called.
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

// Single is the program of a single call: one step, with arguments that are
// taken as they are.
func Single(k steps.Kind, args map[string]any) *Program {
	if args == nil {
		args = map[string]any{}
	}
	n := &Node{Type: StepNode, Path: "0", Kind: &k, Args: &Template{constant{args}}, Retry: Retry{Attempts: 1, Backoff: 1}}
	return &Program{
		Name: k.Name, Steps: []*Node{n}, ids: map[string]*Node{},
		Options: Options{StopOnError: true, FollowFallback: true, MaxSteps: 1000},
	}
}

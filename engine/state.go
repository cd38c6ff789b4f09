package engine

import (
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/workflows/expression"
)

// State is what the events of a run add up to.
type State struct {
	Seq     uint64 `json:"seq"`
	Attempt int    `json:"attempt"`
	Status  Status `json:"status"`

	Created Created `json:"created"`
	stack
	Stop     *Stopping     `json:"stop,omitempty"`
	Question *Question     `json:"question,omitempty"`
	Error    *ErrorRecord  `json:"error,omitempty"`
	Output   any           `json:"output,omitempty"`
	Desktop  *desktop.Info `json:"desktop,omitempty"` // the lasting desktop of the run
	Deaths   *Deaths       `json:"deaths,omitempty"`  // since a person last continued the run
	Worker   string        `json:"worker,omitempty"`  // in a fleet: the worker that executes the run, or did last
	Lost     int           `json:"lost,omitempty"`    // number of workers lost since a person last continued the run
	Mandate  *Mandate      `json:"mandate,omitempty"` // in a fleet: of the client that continued the run; nil: the one that began it
	Errors   int           `json:"errors,omitempty"`  // number of failures that did not end the run
	Tally    *Tally        `json:"tally,omitempty"`
	Executed int           `json:"executed"`       // number of step executions in all attempts
	Budget   int           `json:"budget"`         // number of step executions in this attempt
	Used     time.Duration `json:"used"`           // running time of this attempt, until Since
	Since    time.Time     `json:"since,omitzero"` // when the clock was last started
}

// stack is where the run is: the lists that it executes, and what the expressions in
// them see.
type stack struct {
	Frames []Frame        `json:"frames"` // the innermost last
	Scopes map[int]*Scope `json:"scopes"`
	Last   int            `json:"last"`             // number of the newest scope
	Resume []Frame        `json:"resume,omitempty"` // where the run continues, if not at Frames
}

// Frame is a list that is being executed.
type Frame struct {
	List    string        `json:"list"` // its key in the layout
	Sort    FrameSort     `json:"sort"`
	Base    string        `json:"base,omitempty"`  // prefix of the paths of its steps
	Next    int           `json:"next"`            // index of the current or next node
	Cur     *Step         `json:"cur,omitempty"`   // nil: not begun
	Scope   int           `json:"scope,omitempty"` // for the body of a document: its key in State.Scopes
	Loop    *LoopRound    `json:"loop,omitempty"`
	Failure *Failure      `json:"failure,omitempty"`
	Origin  *Failure      `json:"origin,omitempty"` // for troubleshooting: the failure that led here
	Limit   time.Duration `json:"limit,omitempty"`
	Since   time.Time     `json:"since,omitzero"`   // when Limit began to count
	Spent   int           `json:"spent,omitempty"`  // for finally: State.Budget when it began
	Ending  bool          `json:"ending,omitempty"` // the last step has been reached
	Lost    bool          `json:"lost,omitempty"`   // the failure cannot be mended in this document
}

// FrameSort tells why a list is executed.
type FrameSort string

// The kinds of frames.
const (
	BodyFrame    FrameSort = "body" // a document's steps
	GroupFrame   FrameSort = "group"
	LoopFrame    FrameSort = "loop"
	TroubleFrame FrameSort = "troubleshooting"
	FinallyFrame FrameSort = "finally"
	BeforeFrame  FrameSort = "before" // the steps before a retry
)

// LoopRound is the current round of a loop.
type LoopRound struct {
	As    string `json:"as,omitempty"`
	Value any    `json:"value,omitempty"`
	Index int    `json:"index"`
}

// Scope is what the expressions of a document see.
type Scope struct {
	Inputs    map[string]any                  `json:"inputs"`
	Env       map[string]any                  `json:"env"`
	Selectors map[string]any                  `json:"selectors"`
	Steps     map[string]expression.StepScope `json:"steps,omitempty"`
	// Lists maps the id of each step to the key of its list, so that a loop can clear
	// the results of its last round.
	Lists     map[string]string `json:"lists,omitempty"`
	Output    any               `json:"output,omitempty"`
	HasOutput bool              `json:"has_output,omitempty"`
	// Finally is the progress of the finally list.
	Finally      Progress     `json:"finally,omitempty"`
	Whole        bool         `json:"whole,omitempty"` // finally follows a success, rather than a failure or a stop
	FinallyError *ErrorRecord `json:"finally_error,omitempty"`
}

// Progress is how far something is: not begun, begun, done.
type Progress string

// Begun and Done; the empty Progress is not begun.
const (
	Begun Progress = "begun"
	Done  Progress = "done"
)

// Step is one execution of a node.
type Step struct {
	Phase   Phase          `json:"phase"`
	Tries   int            `json:"tries,omitempty"`
	Held    *bool          `json:"held,omitempty"` // whether expect held before the first try
	Items   []any          `json:"items,omitempty"`
	Round   int            `json:"round,omitempty"`
	First   int            `json:"first,omitempty"`  // the round from which Max counts
	Began   time.Time      `json:"began,omitzero"`   // for a loop: when its time limit began to count
	Inputs  map[string]any `json:"inputs,omitempty"` // for a call
	Outcome *Outcome       `json:"outcome,omitempty"`
	Jump    int            `json:"jump,omitempty"`  // index of the next jump to evaluate
	Taken   bool           `json:"taken,omitempty"` // that jump is taken
	Rested  bool           `json:"rested,omitempty"`
	Failure *Failure       `json:"failure,omitempty"` // of the list that made a group, loop or call fail
	Settled Settling       `json:"settled,omitempty"`
}

// Phase is how far the execution of a node is.
type Phase string

// The phases, in order.
const (
	ready   Phase = "ready"   // its condition holds
	trying  Phase = "trying"  // a try has started
	inside  Phase = "inside"  // its own list is being executed
	ended   Phase = "ended"   // the try has ended; expect has not been evaluated
	checked Phase = "checked" // the outcome is final
	due     Phase = "due"     // a group is repeated after a pause
	again   Phase = "again"   // the pause before a retry is over
	anew    Phase = "anew"    // the steps before a retry are done
	doubt   Phase = "doubt"   // interrupted, or failed, after it may have acted
	asking  Phase = "asking"  // a person is asked
)

// Settling tells what a failure leads to that is not retried.
type Settling string

// Tolerated failures let the run continue. Failing ones end their list.
const (
	Tolerated Settling = "tolerated"
	Failing   Settling = "failing"
)

// Outcome is the result of a step.
type Outcome struct {
	Status string       `json:"status"` // success, error, skipped, cancelled
	Result any          `json:"result,omitempty"`
	Acted  steps.Acted  `json:"acted,omitempty"`
	Error  *ErrorRecord `json:"error,omitempty"`
}

// The values of Outcome.Status.
const (
	Success = "success"
	Errored = "error"
	Skipped = "skipped"
	Stopped = "cancelled"
)

// Failure is why a list fails, and where the run stood when it began to fail.
type Failure struct {
	Error ErrorRecord `json:"error"`
	At    []Frame     `json:"at"`
}

func (x *stack) top() *Frame { return &x.Frames[len(x.Frames)-1] }

// document returns the index of the frame of the innermost document.
func (x *stack) document() int {
	i := len(x.Frames) - 1
	for x.Frames[i].Scope == 0 {
		i--
	}
	return i
}

// scope returns the scope that expressions see.
func (x *stack) scope() *Scope { return x.Scopes[x.Frames[x.document()].Scope] }

func (x *stack) finishing() bool { return x.finally() >= 0 }

// finally returns the index of the innermost finally list, or -1.
func (x *stack) finally() int {
	for i := len(x.Frames) - 1; i >= 0; i-- {
		if x.Frames[i].Sort == FinallyFrame {
			return i
		}
	}
	return -1
}

// failing reports whether the current list has failed, or one around it in the same
// document.
func (s *State) failing() bool {
	if s.Stop != nil && !s.Stop.Late {
		return true
	}
	return failureIn(s.Frames[s.document():]) != nil
}

// keep returns a copy of the frames that later events do not change: frames and steps
// are copied, scopes and results are shared.
func keep(frames []Frame) []Frame {
	out := slices.Clone(frames)
	for i := range out {
		if c := out[i].Cur; c != nil {
			step := *c
			out[i].Cur = &step
		}
	}
	return out
}

// failureIn returns the outermost failure in the frames.
func failureIn(frames []Frame) *Failure {
	for i := range frames {
		if f := frames[i].Failure; f != nil {
			return f
		}
	}
	return nil
}

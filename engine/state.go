package engine

import (
	"slices"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/workflows/expression"
)

// State is what the events of a run add up to.
type State struct {
	Seq     uint64 `json:"seq"`
	Attempt int    `json:"attempt"`
	Status  Status `json:"status"`

	Created  Created        `json:"created"`
	Frames   []Frame        `json:"frames"` // the innermost last
	Scopes   map[int]*Scope `json:"scopes"`
	Last     int            `json:"last"` // the number of the newest scope
	Resume   []Frame        `json:"resume,omitempty"`
	Stop     *Stopping      `json:"stop,omitempty"`
	Question *Question      `json:"question,omitempty"`
	Error    *ErrorRecord   `json:"error,omitempty"`
	Output   any            `json:"output,omitempty"`
	Desktop  *desktop.Info  `json:"desktop,omitempty"` // the lasting one that it is on
	Deaths   *Deaths        `json:"deaths,omitempty"`  // since somebody last had a hand in it
	Worker   string         `json:"worker,omitempty"`  // of a fleet, that executes it or did last
	Lost     int            `json:"lost,omitempty"`    // workers, since somebody last had a hand in it
	Mandate  *Mandate       `json:"mandate,omitempty"` // of a fleet: of who continued it; nil: of who began it
	Errors   int            `json:"errors,omitempty"`  // failures that did not end the run
	Executed int            `json:"executed"`          // step executions, in all attempts
	Budget   int            `json:"budget"`            // step executions in this attempt
	Used     time.Duration  `json:"used"`              // running time of this attempt, until Since
	Since    time.Time      `json:"since,omitzero"`    // when the clock was last started
}

// Frame is one list that is being executed.
type Frame struct {
	List    string        `json:"list"` // its key in the layout
	Sort    FrameSort     `json:"sort"`
	Base    string        `json:"base,omitempty"`  // what the paths of its steps begin with
	Next    int           `json:"next"`            // the node that is executed, or will be
	Cur     *Step         `json:"cur,omitempty"`   // nil: not begun
	Scope   int           `json:"scope,omitempty"` // of a document's own list: its number in State.Scopes
	Loop    *LoopRound    `json:"loop,omitempty"`
	Failure *Failure      `json:"failure,omitempty"`
	Origin  *Failure      `json:"origin,omitempty"` // of troubleshooting: what led here
	Limit   time.Duration `json:"limit,omitempty"`
	Since   time.Time     `json:"since,omitzero"`   // when the limit began to count
	Spent   int           `json:"spent,omitempty"`  // of finally: State.Budget when it began
	Ending  bool          `json:"ending,omitempty"` // the last step was reached: nothing follows
	Lost    bool          `json:"lost,omitempty"`   // nothing in this document may mend the failure
}

// FrameSort says why a list is executed.
type FrameSort string

// The sorts of frames.
const (
	BodyFrame    FrameSort = "body" // a document's steps
	GroupFrame   FrameSort = "group"
	LoopFrame    FrameSort = "loop"
	TroubleFrame FrameSort = "troubleshooting"
	FinallyFrame FrameSort = "finally"
	BeforeFrame  FrameSort = "before" // the steps before a further try
)

// LoopRound is the round of a loop that a frame executes.
type LoopRound struct {
	As    string `json:"as,omitempty"`
	Value any    `json:"value,omitempty"`
	Index int    `json:"index"`
}

// Scope is what a document's expressions see.
type Scope struct {
	Inputs    map[string]any                  `json:"inputs"`
	Env       map[string]any                  `json:"env"`
	Selectors map[string]any                  `json:"selectors"`
	Steps     map[string]expression.StepScope `json:"steps,omitempty"`
	// Lists says in which list the step with an id stands, so that a loop can
	// clear the results of its last round.
	Lists     map[string]string `json:"lists,omitempty"`
	Output    any               `json:"output,omitempty"`
	HasOutput bool              `json:"has_output,omitempty"`
	// Finally says how far the finally list is.
	Finally      Progress     `json:"finally,omitempty"`
	Whole        bool         `json:"whole,omitempty"` // finally follows a success, not a failure or a stop
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
	First   int            `json:"first,omitempty"`  // the round from which the bound counts
	Began   time.Time      `json:"began,omitzero"`   // of a loop: its limit counts from here
	Inputs  map[string]any `json:"inputs,omitempty"` // of a call
	Outcome *Outcome       `json:"outcome,omitempty"`
	Jump    int            `json:"jump,omitempty"`  // the next jump to look at
	Taken   bool           `json:"taken,omitempty"` // that jump is taken
	Rested  bool           `json:"rested,omitempty"`
	Failure *Failure       `json:"failure,omitempty"` // what made a group, loop or call fail
	Settled Settling       `json:"settled,omitempty"`
}

// Phase is how far the execution of a node is.
type Phase string

// The phases, in their order.
const (
	ready   Phase = "ready"   // its condition holds
	trying  Phase = "trying"  // a try is under way, or was when the run was cut short
	inside  Phase = "inside"  // its own list is executed
	ended   Phase = "ended"   // the try is over; expect is not looked at yet
	checked Phase = "checked" // the outcome stands
	again   Phase = "again"   // the pause before a further try is over
	anew    Phase = "anew"    // what is done before a further try is done
	doubt   Phase = "doubt"   // cut short, or failed, after it may have acted
	asking  Phase = "asking"  // a person is asked
)

// Settling says what became of a failure that nothing retried.
type Settling string

// Tolerated failures let the run go on. Failing ones end their list.
const (
	Tolerated Settling = "tolerated"
	Failing   Settling = "failing"
)

// Outcome is what came of a step.
type Outcome struct {
	Status string       `json:"status"` // success, error, skipped, cancelled
	Result any          `json:"result,omitempty"`
	Acted  steps.Acted  `json:"acted,omitempty"`
	Error  *ErrorRecord `json:"error,omitempty"`
}

// The words for what came of a step.
const (
	Success = "success"
	Errored = "error"
	Skipped = "skipped"
	Stopped = "cancelled"
)

// Failure is why a list fails, and where the run stood when it began to.
type Failure struct {
	Error ErrorRecord `json:"error"`
	At    []Frame     `json:"at"`
}

func (s *State) top() *Frame { return &s.Frames[len(s.Frames)-1] }

// scopeAt is the scope that a frame's expressions see.
func (s *State) scopeAt(i int) *Scope {
	for s.Frames[i].Scope == 0 {
		i--
	}
	return s.Scopes[s.Frames[i].Scope]
}

func (s *State) scope() *Scope { return s.scopeAt(len(s.Frames) - 1) }

func (s *State) finishing() bool { return s.finally() >= 0 }

// finally is the place of the innermost finally list that is executed, or -1.
func (s *State) finally() int {
	for i := len(s.Frames) - 1; i >= 0; i-- {
		if s.Frames[i].Sort == FinallyFrame {
			return i
		}
	}
	return -1
}

// failing says whether the list that is executed, or one around it in the
// same document, has failed.
func (s *State) failing() bool {
	if s.Stop != nil && !s.Stop.Late {
		return true
	}
	for i := len(s.Frames) - 1; i >= 0; i-- {
		if s.Frames[i].Failure != nil {
			return true
		}
		if s.Frames[i].Scope != 0 {
			break
		}
	}
	return false
}

// keep is a copy of the frames that later events leave alone: the lists and
// steps are copied, the scopes and their results are shared.
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

// failureIn is the first failure in the frames, the outermost first.
func failureIn(frames []Frame) *Failure {
	for i := range frames {
		if f := frames[i].Failure; f != nil {
			return f
		}
	}
	return nil
}

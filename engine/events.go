package engine

import (
	"encoding/json"
	"fmt"
	"time"

	"understudy/steps"
)

// Event is a stored fact about a run. Events are appended, never changed.
type Event struct {
	Seq     uint64          `json:"seq"` // 1 for the first
	Attempt int             `json:"attempt"`
	At      time.Time       `json:"at"`
	Type    EventType       `json:"type"`
	Path    string          `json:"path,omitempty"` // of the step it is about
	Data    json.RawMessage `json:"data,omitempty"`

	fact any // Data before encoding, in the process that made the event
}

// EventType is the type of an event.
type EventType string

// Question is what a waiting run asks.
type Question struct {
	Sort    string         `json:"sort"`         // ask_user, secret or doubt
	ID      string         `json:"id,omitempty"` // of the step, if it has one
	Step    string         `json:"step"`
	Index   int            `json:"index"` // of the step in its list
	Text    string         `json:"text"`
	Choices []string       `json:"choices,omitempty"`
	Context string         `json:"context,omitempty"`
	Fields  map[string]any `json:"fields,omitempty"` // to ask for several values: schemas by name
}

// The types of events, each with the type of its data.
const (
	EvCreated   EventType = "created"   // Created
	EvEvaluated EventType = "evaluated" // Evaluated
	EvStarted   EventType = "started"   // Started
	EvEnded     EventType = "ended"     // Ended
	EvSkipped   EventType = "skipped"   // SkippedStep
	EvEntered   EventType = "entered"   // Entered
	EvLeft      EventType = "left"      // Left
	EvMoved     EventType = "moved"     // Moved
	EvWaited    EventType = "waited"    // Waited
	EvSettled   EventType = "settled"   // Settled
	EvCleared   EventType = "cleared"   // Cleared
	EvExpired   EventType = "expired"   // Expired
	EvAsked     EventType = "asked"     // Question
	EvAnswered  EventType = "answered"  // Answered
	EvPaused    EventType = "paused"    // nothing
	EvContinued EventType = "continued" // nothing
	EvUnwound   EventType = "unwound"   // Unwound
	EvStopping  EventType = "stopping"  // Stopping
	EvFinished  EventType = "finished"  // Finished
	EvResumed   EventType = "resumed"   // Resumed
	EvCaptured  EventType = "captured"  // Captured
	EvLogged    EventType = "logged"    // Logged
	EvLocated   EventType = "located"   // desktop.Info
	EvTaken     EventType = "taken"     // Taken
	EvReturned  EventType = "returned"  // Returned
	EvAssigned  EventType = "assigned"  // Assigned
)

// Created is the first event of a run.
type Created struct {
	Workflow    string `json:"workflow"`
	Document    string `json:"document"` // hash of the stored document
	From        string `json:"from,omitempty"`
	To          string `json:"to,omitempty"`
	Fallbacks   bool   `json:"fallbacks"` // follow fallback_id
	JumpsAtEnd  bool   `json:"jumps_at_end,omitempty"`
	DryRun      bool   `json:"dry_run,omitempty"`
	StepThrough bool   `json:"step_through,omitempty"`
	Parent      string `json:"parent,omitempty"`
	Call        string `json:"call,omitempty"`
	Args        any    `json:"args,omitempty"` // of a run of a single kind
	Terms
	// Start is where the run begins, and Scope its initial scope.
	Start []Frame `json:"start"`
	Scope Scope   `json:"scope"`
}

// Purpose says what an expression was evaluated for.
type Purpose string

// The purposes.
const (
	TheSelectors Purpose = "selectors"
	TheIf        Purpose = "if"
	TheBefore    Purpose = "expect_before" // does expect hold before the step acts?
	TheExpect    Purpose = "expect"
	TheRecheck   Purpose = "expect_after" // does expect hold after an interruption?
	TheArguments Purpose = "arguments"
	TheList      Purpose = "foreach"
	TheWhile     Purpose = "while"
	TheInputs    Purpose = "inputs" // of a call
	TheJump      Purpose = "jump"
	TheOutput    Purpose = "output"
)

// Evaluated is the value of an expression, and thereby the branch taken.
type Evaluated struct {
	Purpose Purpose      `json:"what"`
	Index   int          `json:"index"`
	Value   any          `json:"value,omitempty"`
	Holds   bool         `json:"holds,omitempty"`
	Unknown bool         `json:"unknown,omitempty"` // nothing could be compared, which is no error
	Error   *ErrorRecord `json:"error,omitempty"`
	ID      string       `json:"id,omitempty"`
}

// Started begins a try of a step. It is durable before the step acts.
type Started struct {
	Index int    `json:"index"`
	ID    string `json:"id,omitempty"`
	Kind  string `json:"kind"`
	Try   int    `json:"try"`
	Args  any    `json:"args,omitempty"`
	// Reads and Checks are as in steps.Kind.
	Reads  bool `json:"reads,omitempty"`
	Checks bool `json:"checks,omitempty"`
	// Queued is how long the step waited for the desktop. It counts for no limit.
	Queued time.Duration `json:"queued,omitempty"`
}

// Ended is the outcome of a try.
type Ended struct {
	Index    int            `json:"index"`
	ID       string         `json:"id,omitempty"`
	Outcome  Outcome        `json:"outcome"`
	Sets     map[string]any `json:"sets,omitempty"`
	Duration time.Duration  `json:"duration,omitempty"`
	// Args are the arguments, if Started withheld a text that the step types.
	Args any `json:"args,omitempty"`
}

// SkippedStep is a step that was skipped, and why.
type SkippedStep struct {
	Index int    `json:"index"`
	ID    string `json:"id,omitempty"`
	Why   string `json:"why"`
}

// Entered begins a list.
type Entered struct {
	Index int    `json:"index"` // of the node that owns the new list, in its own list
	ID    string `json:"id,omitempty"`
	Frame Frame  `json:"frame"`
	Scope *Scope `json:"scope,omitempty"` // of a call
	Clear string `json:"clear,omitempty"` // clear the results of this list and those nested in it
}

// Left ends a list.
type Left struct {
	ID     string `json:"id,omitempty"`
	Result any    `json:"result,omitempty"`
	Ending bool   `json:"ending,omitempty"`
	Lost   bool   `json:"lost,omitempty"`
}

// Moved moves the cursor to another step.
type Moved struct {
	Why    string `json:"why"` // jump or fallback
	To     string `json:"to"`
	Reason string `json:"reason,omitempty"`
	Depth  int    `json:"depth"` // number of frames that stay
	Index  int    `json:"index"`
	Frame  *Frame `json:"frame,omitempty"` // pushed on top of them, for troubleshooting
}

// Waited is a pause that has ended.
type Waited struct {
	Why string        `json:"why"` // delay or retry
	For time.Duration `json:"for"`
}

// Settled tells what a failure leads to.
type Settled struct {
	How   Settling    `json:"how"`
	Error ErrorRecord `json:"error"`
}

// Cleared permits the repetition of a doubtful step, and tells why.
type Cleared struct {
	Why string `json:"why"`
}

// Expired ends a list that exceeded its time limit.
type Expired struct {
	Depth int         `json:"depth"` // number of frames that stay
	Error ErrorRecord `json:"error"`
}

// Answered is the answer to the question of a waiting run.
type Answered struct {
	Value  any    `json:"value,omitempty"`
	Choice string `json:"choice,omitempty"` // for a doubtful step: redo or skip
	By     string `json:"by,omitempty"`

	Within *Bounds `json:"within,omitempty"` // of the person who answers

	Mandate *Mandate `json:"mandate,omitempty"` // in a fleet
}

// Stopping begins to stop the run.
type Stopping struct {
	Cause Cause       `json:"cause"`
	Error ErrorRecord `json:"error"`
	Abort bool        `json:"abort,omitempty"` // finally is abandoned too
	// Late means that only finally was left to do. apply sets it from the state.
	Late bool `json:"late,omitempty"`
}

// Unwound removes the innermost lists of a run that is to stop.
type Unwound struct {
	Depth int `json:"depth"` // number of frames that stay
}

// Cause tells why a run is stopped.
type Cause string

// The causes of a stop.
const (
	ByUser      Cause = "user"
	ByClient    Cause = "client gone"
	ByTimeout   Cause = "timeout"
	ByShutdown  Cause = "shutdown"
	ByLoopLimit Cause = "loop limit"
	BySpace     Cause = "space"
)

// Finished ends an attempt.
type Finished struct {
	Status Status       `json:"status"`
	Error  *ErrorRecord `json:"error,omitempty"`
	// Deaths is how often the process died at one step, if that is why the run no
	// longer continues by itself.
	Deaths int `json:"deaths,omitempty"`
}

// Resumed begins another attempt.
type Resumed struct {
	// Base is the number of the event whose state the attempt starts from; 0: the
	// last.
	Base uint64 `json:"base,omitempty"`
	// From is a step that was never reached, and Frames its position.
	From     string         `json:"from,omitempty"`
	Frames   []Frame        `json:"frames,omitempty"`
	Inputs   map[string]any `json:"inputs,omitempty"`   // replaced inputs only
	Decision string         `json:"decision,omitempty"` // redo, skip or done
	ID       string         `json:"id,omitempty"`       // of the step that Decision is about
	Done     *int           `json:"done,omitempty"`     // index in its list of the step that a person has done; nil: that under the cursor
	Document string         `json:"document,omitempty"` // hash of the document that replaces the old one
	By       string         `json:"by,omitempty"`
	Within   *Bounds        `json:"within,omitempty"`  // of the client that continues the run
	Mandate  *Mandate       `json:"mandate,omitempty"` // in a fleet
	// Lost means that the desktop is gone, so the run continues on a new one.
	Lost bool `json:"lost_desktop,omitempty"`
	// Auto means that the run continued by itself.
	Auto bool `json:"auto,omitempty"`
}

// Bounds limit the files that steps may use after a client has continued a run: only
// those in the roots of both the run and the client, without what either excludes.
type Bounds struct {
	Roots   []string `json:"roots"`
	Private []string `json:"private,omitempty"`
	Storage Storage  `json:"storage,omitzero"` // of the client's credential
}

// Captured is a stored picture of a step.
type Captured struct {
	Try     int       `json:"try"`
	When    string    `json:"when"` // before or after
	Hash    string    `json:"hash"`
	Bytes   int       `json:"bytes,omitempty"`
	TakenAt time.Time `json:"taken_at"`
}

// Logged is a message of a step.
type Logged struct {
	Level   string         `json:"level"`
	Message string         `json:"message"`
	Attrs   map[string]any `json:"attrs,omitempty"`
}

// newEvent returns an event that carries its data encoded and as a value.
func newEvent(t EventType, path string, data any) (Event, error) {
	raw, err := json.Marshal(data)
	if err != nil {
		return Event{}, steps.Errorf(steps.Internal, "event %s: %w", t, err)
	}
	return Event{Type: t, Path: path, Data: raw, fact: data}, nil
}

func factOf[T any](ev Event) (T, error) {
	if f, ok := ev.fact.(T); ok {
		return f, nil
	}
	var f T
	if len(ev.Data) == 0 {
		return f, nil
	}
	if err := json.Unmarshal(ev.Data, &f); err != nil {
		return f, fmt.Errorf("event %d (%s): %w", ev.Seq, ev.Type, err)
	}
	return f, nil
}

// Fact returns the data of an event as a value of its type; nil: the event has no
// data.
func Fact(ev Event) (any, error) {
	if s, ok := sorts[ev.Type]; ok {
		return s.read(ev)
	}
	return nil, nil
}

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

	fact any // the data before it was encoded, in the process that made it
}

// EventType is the sort of an event.
type EventType string

// Question is what a waiting run wants to know.
type Question struct {
	Sort    string         `json:"sort"`         // ask_user, secret or doubt
	ID      string         `json:"id,omitempty"` // the step, when it has one
	Step    string         `json:"step"`
	Index   int            `json:"index"` // of the step in its list
	Text    string         `json:"text"`
	Choices []string       `json:"choices,omitempty"`
	Context string         `json:"context,omitempty"`
	Fields  map[string]any `json:"fields,omitempty"` // several values: a name and a schema each
}

// The sorts of events, with what their data is.
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

// Created begins a run.
type Created struct {
	Workflow    string        `json:"workflow"`
	Document    string        `json:"document"` // hash of the stored text
	From        string        `json:"from,omitempty"`
	To          string        `json:"to,omitempty"`
	Fallbacks   bool          `json:"fallbacks"` // follow fallback_id
	JumpsAtEnd  bool          `json:"jumps_at_end,omitempty"`
	DryRun      bool          `json:"dry_run,omitempty"`
	StepThrough bool          `json:"step_through,omitempty"`
	Parent      string        `json:"parent,omitempty"`
	Call        string        `json:"call,omitempty"`
	Args        any           `json:"args,omitempty"` // of a single call
	Client      string        `json:"client,omitempty"`
	Owner       string        `json:"owner,omitempty"` // the credential that it belongs to; empty: the person at the machine
	Dir         string        `json:"dir,omitempty"`
	Desktop     DesktopChoice `json:"desktop,omitzero"`
	Roots       []string      `json:"roots,omitempty"`
	Private     []string      `json:"private,omitempty"` // out of bounds inside the roots
	Sandbox     bool          `json:"sandbox,omitempty"`
	Storage     Storage       `json:"storage,omitzero"`
	Needs       []string      `json:"needs,omitempty"` // labels of the worker that executes it
	Priority    int           `json:"priority,omitempty"`
	// Rights are what who began it may do, as the server that asked keeps it, and
	// Server is which one that is, in a fleet.
	Rights      json.RawMessage `json:"rights,omitempty"`
	Server      string          `json:"server,omitempty"`
	WorkflowID  string          `json:"workflow_id,omitempty"`
	TraceID     string          `json:"trace_id,omitempty"`
	ExecutionID string          `json:"execution_id,omitempty"`
	Schedule    string          `json:"schedule,omitempty"`     // that began it
	TraceParent string          `json:"trace_parent,omitempty"` // of who asked for it
	// Start is where the run begins, and Scope what it starts with.
	Start []Frame `json:"start"`
	Scope Scope   `json:"scope"`
}

// What says what an expression was evaluated for.
type What string

// What expressions are evaluated for.
const (
	TheSelectors What = "selectors"
	TheIf        What = "if"
	TheBefore    What = "expect_before" // whether expect holds before the step acts
	TheExpect    What = "expect"
	TheRecheck   What = "expect_after" // whether expect holds after an interruption
	TheArguments What = "arguments"
	TheList      What = "foreach"
	TheWhile     What = "while"
	TheInputs    What = "inputs" // of a call
	TheJump      What = "jump"
	TheOutput    What = "output"
)

// Evaluated is the value of an expression, and so the branch taken.
type Evaluated struct {
	What  What         `json:"what"`
	Index int          `json:"index"`
	Value any          `json:"value,omitempty"`
	Holds bool         `json:"holds,omitempty"`
	Error *ErrorRecord `json:"error,omitempty"`
	ID    string       `json:"id,omitempty"`
}

// Started says that a try of a step begins. It is durable before the step acts.
type Started struct {
	Index int    `json:"index"`
	ID    string `json:"id,omitempty"`
	Kind  string `json:"kind"`
	Try   int    `json:"try"`
	Args  any    `json:"args,omitempty"`
	// Queued is how long it waited for the desktop, which counts for no limit.
	Queued time.Duration `json:"queued,omitempty"`
}

// Ended says what came of a try.
type Ended struct {
	Index    int            `json:"index"`
	ID       string         `json:"id,omitempty"`
	Outcome  Outcome        `json:"outcome"`
	Sets     map[string]any `json:"sets,omitempty"`
	Duration time.Duration  `json:"duration,omitempty"`
	// Args are the arguments, if the event before the step held back what it types.
	Args any `json:"args,omitempty"`
}

// SkippedStep says that a step was left out, and why.
type SkippedStep struct {
	Index int    `json:"index"`
	ID    string `json:"id,omitempty"`
	Why   string `json:"why"`
}

// Entered begins a list.
type Entered struct {
	Index int    `json:"index"` // of the node in its list that owns the new one
	ID    string `json:"id,omitempty"`
	Frame Frame  `json:"frame"`
	Scope *Scope `json:"scope,omitempty"` // of a call
	Clear string `json:"clear,omitempty"` // forget the results of this list and those in it
}

// Left ends a list.
type Left struct {
	ID     string `json:"id,omitempty"`
	Result any    `json:"result,omitempty"`
	Ending bool   `json:"ending,omitempty"`
	Lost   bool   `json:"lost,omitempty"`
}

// Moved takes the run to another step.
type Moved struct {
	Why    string `json:"why"` // jump or fallback
	To     string `json:"to"`
	Reason string `json:"reason,omitempty"`
	Depth  int    `json:"depth"` // how many frames stay
	Index  int    `json:"index"`
	Frame  *Frame `json:"frame,omitempty"` // entered on top of them: troubleshooting
}

// Waited says that a pause is over.
type Waited struct {
	Why string        `json:"why"` // delay or retry
	For time.Duration `json:"for"`
}

// Settled says what became of a failure.
type Settled struct {
	How   Settling    `json:"how"`
	Error ErrorRecord `json:"error"`
}

// Cleared says that a doubtful step may be repeated, and by what right.
type Cleared struct {
	Why string `json:"why"`
}

// Expired says that a list took longer than it may.
type Expired struct {
	Depth int         `json:"depth"` // how many frames stay
	Error ErrorRecord `json:"error"`
}

// Answered is the answer to the question of a waiting run.
type Answered struct {
	Value  any    `json:"value,omitempty"`
	Choice string `json:"choice,omitempty"` // of a doubtful step: redo or skip
	By     string `json:"by,omitempty"`

	Within *Bounds `json:"within,omitempty"` // of who answers

	Mandate *Mandate `json:"mandate,omitempty"` // in a fleet
}

// Stopping says that the run is to end before its time.
type Stopping struct {
	Cause Cause       `json:"cause"`
	Error ErrorRecord `json:"error"`
	Abort bool        `json:"abort,omitempty"` // finally too
	// Late says that only finally was left to do. It is told by the state.
	Late bool `json:"late,omitempty"`
}

// Unwound ends the lists of a run that is to stop.
type Unwound struct {
	Depth int `json:"depth"` // how many frames stay
}

// Cause is why a run is stopped.
type Cause string

// The causes.
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
	// Deaths is how often its process died at one step, when it does not go on
	// by itself any more for that.
	Deaths int `json:"deaths,omitempty"`
}

// Resumed begins a further attempt.
type Resumed struct {
	// Base is the number of events that the attempt starts from; 0: all.
	Base uint64 `json:"base,omitempty"`
	// From is a step that was never reached, and Frames the place of it.
	From     string         `json:"from,omitempty"`
	Frames   []Frame        `json:"frames,omitempty"`
	Inputs   map[string]any `json:"inputs,omitempty"`   // replaced ones
	Decision string         `json:"decision,omitempty"` // redo, skip or done
	ID       string         `json:"id,omitempty"`       // of the step that it is about
	Document string         `json:"document,omitempty"` // when it is another one
	By       string         `json:"by,omitempty"`
	Within   *Bounds        `json:"within,omitempty"`  // of who continues it
	Mandate  *Mandate       `json:"mandate,omitempty"` // in a fleet
	// Lost says that the desktop is gone, so that it goes on with a new one.
	Lost bool `json:"lost_desktop,omitempty"`
	// Auto says that nobody asked for it.
	Auto bool `json:"auto,omitempty"`
}

// Bounds are the folders in which the steps of who continues a run may use files,
// and what is out of bounds inside them. A run keeps what is in its own too.
type Bounds struct {
	Roots   []string `json:"roots"`
	Private []string `json:"private,omitempty"`
	Storage Storage  `json:"storage,omitzero"` // of their credential
}

// Captured says that a picture of a step is stored.
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

// newEvent makes an event that carries its data in both forms.
func newEvent(t EventType, path string, data any) (Event, error) {
	ev := Event{Type: t, Path: path, fact: data}
	if data == nil {
		return ev, nil
	}
	raw, err := json.Marshal(data)
	if err != nil {
		return Event{}, steps.Errorf(steps.Internal, "event %s: %w", t, err)
	}
	ev.Data = raw
	return ev, nil
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

// Fact is the data of an event, as a value of its type; nil when it has none.
func Fact(ev Event) (any, error) {
	if s, ok := sorts[ev.Type]; ok && s.read != nil {
		return s.read(ev)
	}
	return nil, nil
}

package engine

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
)

// A Store keeps the events of runs. Every store passes storetest.
type Store interface {
	// Append adds a batch to a run, whole and durable, or not at all. It fails
	// with a StaleError when the run is not at the position that the batch
	// expects: another worker was there. After any other error nobody may know
	// whether the batch was added: look where the run is.
	//
	// A batch without events that is accepted proves that the run still stands
	// where the batch says.
	Append(ctx context.Context, run string, b Batch) error
	// Events yields the events of a run from a sequence number on, in order.
	Events(ctx context.Context, run string, from uint64) iter.Seq2[Event, error]
	// Run is the header of one run, and its last snapshot if it has one.
	Run(ctx context.Context, run string) (Header, *Snapshot, error)
	// Runs yields the headers of runs, the newest first.
	Runs(ctx context.Context, q Query) iter.Seq2[Header, error]
}

// Files keeps what is too large for events, by the hash of its content.
type Files interface {
	// Put stores content, durable when it returns; equal content is kept once.
	Put(ctx context.Context, sort FileSort, content []byte) (hash string, err error)
	// Get reads content, and fails with ErrNoFile when there is none.
	Get(ctx context.Context, sort FileSort, hash string) ([]byte, error)
}

// FileSort says what a stored file is.
type FileSort string

// The sorts of stored files.
const (
	Documents FileSort = "documents" // the exact text that a run started with
	Captures  FileSort = "captures"  // pictures, PNG
	Artifacts FileSort = "artifacts" // results that are too large for events
)

// Batch is what one Append adds: events that follow one another, the header
// as it is after them, and now and then the folded state.
type Batch struct {
	// Attempt and Seq are where the run must be: its attempt, or the one
	// before it when the batch begins a new attempt, and the number of events
	// that it has.
	Attempt  int
	Seq      uint64
	Events   []Event
	Header   Header
	Snapshot *Snapshot
	// Lazy says that the batch may be lost in a crash: it need not be synced.
	Lazy bool
	// Wanted says that the run wants a worker from here on. It is stored with
	// the batch, or neither is. A store that is no Queue refuses it.
	Wanted *Wanted
}

// Wanted says which worker a run wants.
type Wanted struct {
	Needs    []string // labels that the worker has
	Priority int      // 0 goes first
	// For is whose the run is: among runs that are alike, those of each take turns.
	For string
}

// A Queue hands out runs that want a worker.
type Queue interface {
	// Take waits for the most urgent run that a worker with these labels can
	// execute. It is this worker's until the lease passes.
	Take(ctx context.Context, labels []string) (Entry, error)
}

// An Entry is a run that was handed out. Who loses the run to another worker
// calls none of its methods any more.
type Entry interface {
	Run() string
	// Renew begins the lease anew. It returns when the store has done so.
	Renew(ctx context.Context) error
	// Done says that the run wants no worker any more. It is called only after
	// an append was accepted with which the run ended, asked or paused.
	Done(ctx context.Context) error
	// Later gives the run back, to be handed out again after a while.
	Later(ctx context.Context, after time.Duration) error
}

// A Teller is a store that other processes write to as well.
type Teller interface {
	// News calls tell with the id of each run that got events, until the
	// context ends; it returns once it listens. What was missed while the store
	// was out of reach is told as news of the run "".
	News(ctx context.Context, tell func(run string)) error
}

// Snapshot is the folded state after the event with number Seq.
type Snapshot struct {
	Seq   uint64 `json:"seq"`
	State []byte `json:"state"`
}

// Header is the summary of a run: what a list of runs shows.
type Header struct {
	ID          string        `json:"run_id"`
	Workflow    string        `json:"workflow"`
	Document    string        `json:"document,omitempty"` // hash of the text
	Status      Status        `json:"status"`
	Attempt     int           `json:"attempt"`
	Seq         uint64        `json:"seq"`
	StartedAt   time.Time     `json:"started_at"`
	UpdatedAt   time.Time     `json:"updated_at"`
	EndedAt     time.Time     `json:"ended_at,omitzero"`
	Executed    int           `json:"executed"`
	Total       int           `json:"total"`
	Errors      int           `json:"errors,omitempty"`
	Parent      string        `json:"parent,omitempty"`
	Error       *ErrorRecord  `json:"error,omitempty"`
	ResumeFrom  string        `json:"resume_from,omitempty"`
	TakenBy     string        `json:"taken_by,omitempty"` // the person who has its desktop now; never stored
	Question    *Question     `json:"question,omitempty"`
	Stopping    bool          `json:"stopping,omitempty"` // a stop is recorded; finally may go on
	Call        string        `json:"call,omitempty"`     // the kind, of a run of one step
	Reads       bool          `json:"reads,omitempty"`
	Client      string        `json:"client,omitempty"`
	Owner       string        `json:"owner,omitempty"` // empty: the person at the machine
	Key         string        `json:"key,omitempty"`   // of the request that last continued it
	WorkflowID  string        `json:"workflow_id,omitempty"`
	TraceID     string        `json:"trace_id,omitempty"`
	ExecutionID string        `json:"execution_id,omitempty"`
	TraceParent string        `json:"traceparent,omitempty"` // the span of who began it
	Schedule    string        `json:"schedule,omitempty"`    // that began it
	Desktop     *desktop.Info `json:"desktop,omitempty"`
	Bytes       int64         `json:"bytes,omitempty"`       // stored, with its pictures and large results
	Auto        bool          `json:"resume_auto,omitempty"` // its document says that it goes on by itself
	Position    int           `json:"position,omitempty"`    // in the queue for a desktop, from 1
	Waits       string        `json:"waits,omitempty"`       // for which worker of a fleet it is queued; never stored
	Worker      string        `json:"worker,omitempty"`      // of a fleet, that executes it or did last
	Needs       []string      `json:"needs,omitempty"`       // labels of the worker that executes it
	Priority    int           `json:"priority,omitempty"`
}

// ErrorRecord is an error as it is stored and shown.
type ErrorRecord struct {
	Code       steps.Code        `json:"code"`
	Message    string            `json:"message"`
	Step       string            `json:"step,omitempty"`
	Next       string            `json:"next,omitempty"`
	Candidates []steps.Candidate `json:"candidates,omitempty"`
}

// Status is where a run stands.
type Status string

// The statuses of a run. Interrupted is never stored by the process that was
// cut short: it is what a running run is when nobody runs it.
const (
	Queued      Status = "queued"
	Running     Status = "running"
	Waiting     Status = "waiting"
	Paused      Status = "paused"
	Succeeded   Status = "succeeded"
	Failed      Status = "failed"
	Cancelled   Status = "cancelled"
	Interrupted Status = "interrupted"
)

// Statuses are all of them.
func Statuses() []Status {
	return []Status{Queued, Running, Waiting, Paused, Succeeded, Failed, Cancelled, Interrupted}
}

// Ended says whether a run is over, unless someone resumes it.
func (s Status) Ended() bool {
	return s == Succeeded || s == Failed || s == Cancelled || s == Interrupted
}

// Query says which runs to list.
type Query struct {
	Status      []Status
	Workflow    string
	WorkflowID  string
	TraceID     string
	ExecutionID string
	Schedule    string // the name of the one that began them
	Client      string
	Owner       string // whose they are; empty: everybody's
	Text        string // in what a person reads of a run, in any case
	Since       time.Time
	Before      string // only runs that are older than this one
	Calls       bool   // also runs of one step that came from a single call
	Limit       int    // 0: no limit
}

func (q Query) Wants(h *Header) bool {
	same := func(want, have string) bool { return want == "" || want == have }
	return (q.Calls || h.Call == "") &&
		(len(q.Status) == 0 || slices.Contains(q.Status, h.Status)) &&
		same(q.Workflow, h.Workflow) && same(q.WorkflowID, h.WorkflowID) &&
		same(q.TraceID, h.TraceID) && same(q.ExecutionID, h.ExecutionID) && same(q.Schedule, h.Schedule) && same(q.Client, h.Client) && same(q.Owner, h.Owner) &&
		(q.Since.IsZero() || !h.StartedAt.Before(q.Since.Round(0))) &&
		(q.Before == "" || h.ID < q.Before) &&
		(q.Text == "" || h.mentions(strings.ToLower(q.Text)))
}

func (h *Header) mentions(text string) bool {
	words := []string{h.ID, h.Workflow, h.Call, h.Client, h.ResumeFrom}
	if h.Error != nil {
		words = append(words, string(h.Error.Code), h.Error.Message, h.Error.Step)
	}
	return strings.Contains(strings.ToLower(strings.Join(words, "\n")), text)
}

// Error is a constant error of the engine and its stores.
type Error string

func (e Error) Error() string { return string(e) }

const (
	// ErrNoRun says that there is no run with an id.
	ErrNoRun Error = "no such run"
	// ErrNoFile says that nothing is stored under a hash.
	ErrNoFile Error = "no such file"
	// ErrLocked says that another process has the store open.
	ErrLocked Error = "another process has the store open"
	// ErrNoQueue says that no worker can be wanted of a store, for it is no Queue.
	ErrNoQueue Error = "this store hands out no runs; a fleet has one that does"
	// ErrFull says that the disk is full.
	ErrFull Error = "the disk is full"
)

// A StaleError says that a run is further than a batch expects.
type StaleError struct {
	Run                  string
	WantAttempt, Attempt int
	WantSeq, Seq         uint64
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("run %s is at attempt %d with %d events, not at attempt %d with %d: another process continued it",
		e.Run, e.Attempt, e.Seq, e.WantAttempt, e.WantSeq)
}

// Check says whether a batch may follow a run that is at an attempt and has
// seq events; a run that does not exist is at attempt 0 with none. Every store
// asks it before it writes.
//
// The run must be where the batch says: it has Seq events, and its attempt is
// Attempt, or the one before when the first event already belongs to Attempt.
// The events are numbered without a gap, their attempts never fall, and a
// batch begins at most one new attempt. The header names the run, its last
// event and that event's attempt.
func (b Batch) Check(run string, attempt int, seq uint64) error {
	begins := attempt+1 == b.Attempt && len(b.Events) > 0 && b.Events[0].Attempt == b.Attempt
	if seq != b.Seq || (attempt != b.Attempt && !begins) {
		return &StaleError{Run: run, WantAttempt: b.Attempt, Attempt: attempt, WantSeq: b.Seq, Seq: seq}
	}
	if seq == 0 && len(b.Events) == 0 {
		return fmt.Errorf("run %s: its first batch has no events; begin with one", run)
	}
	last, err := b.checkEvents(run, attempt)
	if err != nil {
		return err
	}
	return b.checkHeader(run, last)
}

// checkEvents is the attempt of the last event, or why the events do not
// follow one another.
func (b Batch) checkEvents(run string, attempt int) (int, error) {
	last := attempt
	for i, ev := range b.Events {
		if want := b.Seq + uint64(i) + 1; ev.Seq != want {
			return 0, fmt.Errorf("run %s: wanted event %d, the batch has %d; number events without a gap", run, want, ev.Seq)
		}
		if ev.Attempt < last || ev.Attempt > attempt+1 || ev.Attempt < 1 {
			return 0, fmt.Errorf("run %s: event %d is of attempt %d after attempt %d; an attempt follows the one before it", run, ev.Seq, ev.Attempt, last)
		}
		last = ev.Attempt
	}
	return last, nil
}

func (b Batch) checkHeader(run string, attempt int) error {
	h, seq := b.Header, b.Seq+uint64(len(b.Events))
	if h.ID != run || h.Seq != seq || h.Attempt != attempt {
		return fmt.Errorf("run %s: wanted its header at attempt %d with %d events, the batch has that of run %q at attempt %d with %d",
			run, attempt, seq, h.ID, h.Attempt, h.Seq)
	}
	if b.Snapshot != nil && b.Snapshot.Seq > seq {
		return fmt.Errorf("run %s: the snapshot is of event %d, the run has %d events", run, b.Snapshot.Seq, seq)
	}
	return nil
}

package engine

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// A Store keeps the events of runs. Every implementation passes storetest.
type Store interface {
	// Append adds a batch to a run, atomically and durably. It fails with a
	// StaleError if the run is not at the position that the batch expects: another
	// worker has appended. After any other error it is unknown whether the batch was
	// added; read the run to find out.
	//
	// If a batch without events is accepted, the run is still at the expected
	// position.
	Append(ctx context.Context, run string, b Batch) error
	// Events yields the events of a run from a sequence number on, in order.
	Events(ctx context.Context, run string, from uint64) iter.Seq2[Event, error]
	// Run returns the header of a run, and its last snapshot if there is one.
	Run(ctx context.Context, run string) (Header, *Snapshot, error)
	// Runs yields the headers of runs, the newest first.
	Runs(ctx context.Context, q Query) iter.Seq2[Header, error]
}

// Files stores what is too large for events, by the hash of its content.
type Files interface {
	// Put stores content durably, and equal content only once.
	Put(ctx context.Context, sort FileSort, content []byte) (hash string, err error)
	// Get returns content, or fails with ErrNoFile.
	Get(ctx context.Context, sort FileSort, hash string) ([]byte, error)
}

// FileSort is the kind of a stored file.
type FileSort string

// The kinds of stored files.
const (
	Documents FileSort = "documents" // the documents of a run, as they were when it started
	Captures  FileSort = "captures"  // pictures, PNG
	Artifacts FileSort = "artifacts" // results that are too large for events
)

// Batch is what one Append adds: consecutive events, the header after them, and
// sometimes a snapshot.
type Batch struct {
	// Attempt and Seq are the expected position of the run: its number of events, and
	// its attempt, or the one before if the batch begins a new attempt.
	Attempt  int
	Seq      uint64
	Events   []Event
	Header   Header
	Snapshot *Snapshot
	// Lazy permits the batch to be lost in a crash: it need not be synced.
	Lazy bool
	// Wanted puts the run into the queue, atomically with the append. A store that is
	// not a Queue refuses it.
	Wanted *Wanted
}

// Wanted tells which worker a run wants.
type Wanted struct {
	Needs    []string // that the worker must have
	Priority int      // 0 goes first
	// For identifies the owner: the queue alternates between the owners of runs with
	// equal needs and priority.
	For string
}

// A Queue hands out runs that want a worker.
type Queue interface {
	// Take waits for the most urgent run that a worker with these labels can execute.
	// A run that was accepted a moment ago may be missed. The run is leased to the caller.
	Take(ctx context.Context, labels []string) (Entry, error)
}

// An Entry is a run that was handed out. Once the run is lost to another worker, its
// methods must not be called.
type Entry interface {
	Run() string
	// Renew extends the lease. It returns after the store has done so.
	Renew(ctx context.Context) error
	// Done removes the run from the queue. It must be called only after an append
	// with which the run ended, asked or paused was accepted.
	Done(ctx context.Context) error
	// Later returns the run to the queue, to be handed out again after a delay.
	Later(ctx context.Context, after time.Duration) error
}

// A Teller is a store to which other processes write as well.
type Teller interface {
	// News calls tell with the id of each run that gets events, until the context
	// ends. It returns when the subscription is active. After a time in which the
	// store could not be reached, it calls tell with "".
	News(ctx context.Context, tell func(run string)) error
}

// Snapshot is the folded state after the event with number Seq.
type Snapshot struct {
	Seq   uint64 `json:"seq"`
	State []byte `json:"state"`
}

// Header is the summary of a run, as in lists of runs.
type Header struct {
	ID          string        `json:"run_id"`
	Workflow    string        `json:"workflow"`
	Document    string        `json:"document,omitempty"` // hash of the document
	Status      Status        `json:"status"`
	Attempt     int           `json:"attempt"`
	Seq         uint64        `json:"seq"`
	StartedAt   time.Time     `json:"started_at"`
	UpdatedAt   time.Time     `json:"updated_at"`
	EndedAt     time.Time     `json:"ended_at,omitzero"`
	Executed    int           `json:"executed"`
	Total       int           `json:"total"`
	Round       int           `json:"round,omitempty"`  // of the outermost loop over a list, from 1
	Rounds      int           `json:"rounds,omitempty"` // the length of that list
	Errors      int           `json:"errors,omitempty"`
	Tally       *Tally        `json:"tally,omitempty"` // for its outcome
	Parent      string        `json:"parent,omitempty"`
	Error       *ErrorRecord  `json:"error,omitempty"`
	ResumeFrom  string        `json:"resume_from,omitempty"`
	TakenBy     string        `json:"taken_by,omitempty"` // the person who has its desktop now; not stored
	Question    *Question     `json:"question,omitempty"`
	AskedAt     time.Time     `json:"asked_at,omitzero"`  // when the run asked Question
	Stopping    bool          `json:"stopping,omitempty"` // a stop is recorded; finally may still be executed
	Call        string        `json:"call,omitempty"`     // the kind, for a run of a single kind
	Reads       bool          `json:"reads,omitempty"`
	Client      string        `json:"client,omitempty"`
	Owner       string        `json:"owner,omitempty"` // empty: the person at the machine
	Key         string        `json:"key,omitempty"`   // of the request that last continued the run
	WorkflowID  string        `json:"workflow_id,omitempty"`
	TraceID     string        `json:"trace_id,omitempty"`
	ExecutionID string        `json:"execution_id,omitempty"`
	TraceParent string        `json:"traceparent,omitempty"` // span of the client
	Schedule    string        `json:"schedule,omitempty"`    // name of the schedule that began the run
	Labels      []string      `json:"labels,omitempty"`
	Desktop     *desktop.Info `json:"desktop,omitempty"`
	Bytes       int64         `json:"bytes,omitempty"`       // stored bytes, including pictures and large results
	Auto        bool          `json:"resume_auto,omitempty"` // the document lets the run continue by itself
	Notify      string        `json:"notify,omitempty"`      // who is told how the run goes
	Position    int           `json:"position,omitempty"`    // in the queue, from 1
	Waits       string        `json:"waits,omitempty"`       // why the run is still in the queue of the fleet; not stored
	Worker      string        `json:"worker,omitempty"`      // in a fleet: the worker that executes the run, or did last
	Needs       []string      `json:"needs,omitempty"`       // labels that the worker must have
	Priority    int           `json:"priority,omitempty"`
}

// QuestionID identifies the question of a waiting run, also among equal ones.
func (h Header) QuestionID() string { return h.AskedAt.UTC().Format(time.RFC3339Nano) }

// ErrorRecord is an error in the form that is stored and shown.
type ErrorRecord struct {
	Code       steps.Code        `json:"code"`
	Message    string            `json:"message"`
	Step       string            `json:"step,omitempty"`
	Next       string            `json:"next,omitempty"`
	Candidates []steps.Candidate `json:"candidates,omitempty"`
	Blocker    string            `json:"blocker,omitempty"` // title of the dialog or window in the way
}

// Status is the status of a run.
type Status string

// The statuses of a run. A process that is killed cannot store Interrupted: it is
// also the status of a stored running run that nobody executes.
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

// Statuses returns all statuses.
func Statuses() []Status {
	return []Status{Queued, Running, Waiting, Paused, Succeeded, Failed, Cancelled, Interrupted}
}

// Ended reports whether a run is over, unless somebody resumes it.
func (s Status) Ended() bool {
	return s == Succeeded || s == Failed || s == Cancelled || s == Interrupted
}

// Query selects runs.
type Query struct {
	Status      []Status
	Workflow    string
	WorkflowID  string
	TraceID     string
	ExecutionID string
	Schedule    string // name of the schedule that began them
	Client      string
	Owner       string // empty: all owners
	Where       string // an expression that holds for them, see where.go; a store does not look at it
	Text        string // contained in the visible texts of a run, ignoring case
	Since       time.Time
	Before      string // only runs older than this one
	Calls       bool   // also runs of a single kind
	Troubled    bool   // only runs with failures on their way, which did not end them
	Limit       int    // 0: no limit
}

func (q Query) Wants(h *Header) bool {
	same := func(want, have string) bool { return want == "" || want == have }
	return (q.Calls || h.Call == "") && (!q.Troubled || h.Errors > 0) &&
		(len(q.Status) == 0 || slices.Contains(q.Status, h.Status)) &&
		same(q.Workflow, h.Workflow) && same(q.WorkflowID, h.WorkflowID) &&
		same(q.TraceID, h.TraceID) && same(q.ExecutionID, h.ExecutionID) && same(q.Schedule, h.Schedule) && same(q.Client, h.Client) && same(q.Owner, h.Owner) &&
		(q.Since.IsZero() || !h.StartedAt.Before(q.Since.Round(0))) &&
		(q.Before == "" || h.ID < q.Before) &&
		(q.Text == "" || h.mentions(strings.ToLower(q.Text)))
}

func (h *Header) mentions(text string) bool {
	words := append([]string{h.ID, h.Workflow, h.Call, h.Client, h.ResumeFrom}, h.Labels...)
	if h.Error != nil {
		words = append(words, string(h.Error.Code), h.Error.Message, h.Error.Step)
	}
	return strings.Contains(strings.ToLower(strings.Join(words, "\n")), text)
}

// Error is a constant error of the engine and its stores.
type Error string

func (e Error) Error() string { return string(e) }

const (
	// ErrNoRun means that there is no run with the given id.
	ErrNoRun Error = "no such run"
	// ErrNoFile means that nothing is stored under the given hash.
	ErrNoFile Error = "no such file"
	// ErrLocked means that another process has the store open.
	ErrLocked Error = "another process has the store open"
	// ErrNoQueue means that a batch wanted a worker, but the store is not a Queue.
	ErrNoQueue Error = "this store has no queue of runs; that of a fleet has one"
	// ErrNobody means that no process answers under a name, in a fleet.
	ErrNobody Error = "nobody answers"
	// ErrFull means that the disk is full.
	ErrFull Error = "the disk is full"
)

// A StaleError means that a run has advanced beyond the position that a batch
// expects.
type StaleError struct {
	Run                  string
	WantAttempt, Attempt int
	WantSeq, Seq         uint64
}

func (e *StaleError) Error() string {
	return fmt.Sprintf("run %s is at attempt %d with %d events, not at attempt %d with %d: another process continued it",
		e.Run, e.Attempt, e.Seq, e.WantAttempt, e.WantSeq)
}

// Check returns an error unless the batch may be appended to a run that is at the
// given attempt and has seq events; a run that does not exist is at attempt 0 with
// none. All stores call it before they write.
//
// The run must be at the expected position: it has Seq events, and its attempt is
// Attempt, or the one before if the first event belongs to Attempt. The events are
// numbered without a gap, their attempts never decrease, and a batch begins at most
// one new attempt. The header has the id of the run, the number of its last event and
// the attempt of that event.
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

// checkEvents returns the attempt of the last event, or an error if the events are
// not consecutive.
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

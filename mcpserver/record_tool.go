package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/words"
	"understudy/recorder"
	"understudy/recorder/compile"
	"understudy/steps"
	"understudy/workflows"
)

// A Recording watches a person until it is stopped, or the person stops it.
type Recording interface {
	Status() recorder.Status
	Done() <-chan struct{}
	// Stop ends the recording and returns its events. It may be called again.
	Stop() ([]recorder.Event, error)
}

// Recorder begins a recording, and returns the file in which its events are stored.
// Pictures of what is clicked are stored in a folder, which the first one creates.
type Recorder func(ctx context.Context, keys recorder.Keys, pictures string) (r Recording, file string, err error)

// recordTool makes workflows from recordings of a person, or from single calls of
// tools.
type recordTool struct {
	resources *resources

	mu         sync.Mutex
	inProgress *recording // in progress, or nil; one at a time, because there is one user to watch
}

func (s *recordTool) tool() *tool {
	return define(tool{
		Tool:    access.Tool{Name: "record_workflow", Toolset: steps.Runs, Risk: steps.Normal},
		summary: "Make a workflow by watching the user: start, then stop returns it.",
		details: "With from_runs: of runs, or of your last calls.", result: shallow(schemaFor[recordResult]()),
	}, s.record)
}

// recordAction is what record_workflow is asked to do.
type recordAction string

const (
	recordStart    = "start"
	recordStop     = "stop"
	recordStatus   = "status"
	recordFromRuns = "from_runs"
)

type recordArgs struct {
	Action      recordAction `json:"action"`
	Name        string       `json:"name,omitempty" jsonschema:"save it under this name"`
	Description string       `json:"description,omitempty"`
	Replace     bool         `json:"replace,omitempty"`
	Literal     bool         `json:"literal,omitempty" jsonschema:"make no inputs of typed values"`
	Runs        []string     `json:"runs,omitempty"`
	Last        int          `json:"last,omitempty"`
}

// recordResult is the state of a recording, or its result.
type recordResult struct {
	Recording bool           `json:"recording"`
	Seen      []string       `json:"seen,omitempty"` // descriptions of the last steps
	Steps     int            `json:"steps"`
	Text      string         `json:"text,omitempty"`
	Name      string         `json:"name,omitempty"`
	Notes     []compile.Note `json:"notes,omitempty"`
	File      string         `json:"file,omitempty"`
	Limits    []string       `json:"limits,omitempty"` // input that cannot be recorded
}

func (s *recordTool) record(ctx context.Context, c *call, a recordArgs) (*reply, error) {
	if a.Name != "" {
		if err := checkName(a.Name); err != nil {
			return nil, err
		}
	}
	switch a.Action {
	case recordStart:
		return textReply(s.start(ctx, c))
	case recordStop:
		return textReply(s.stop(ctx, c, a))
	case recordFromRuns:
		return textReply(s.fromRuns(ctx, c, a))
	}
	return textReply(s.status(c))
}

// recording is a recording in progress, and the caller that began it.
type recording struct {
	Recording
	by       string
	owner    string // the credential of the caller that began it
	file     string
	pictures string
}

// begin begins a recording, unless one is in progress.
func (s *recordTool) begin(ctx context.Context, by caller, keys recorder.Keys) (*recording, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r := s.inProgress; r != nil {
		return nil, steps.Errorf(steps.Busy, "a recording that %s began at %s is not stopped yet", r.by, r.Status().Began.Format(time.TimeOnly)).
			WithNext(`record_workflow {"action": "stop"} ends it and gives its workflow`)
	}
	pictures := ""
	if s.resources.o.Pictures != "" {
		pictures = filepath.Join(s.resources.o.Pictures, recorder.NameAt(time.Now()))
	}
	r, file, err := s.resources.o.Record(context.WithoutCancel(ctx), keys, pictures)
	if err != nil {
		return nil, err
	}
	s.inProgress = &recording{r, by.name, by.Owner, file, pictures}
	return s.inProgress, nil
}

func (s *recordTool) end(r *recording) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.inProgress == r {
		s.inProgress = nil
	}
}

func (s *recordTool) current() *recording {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inProgress
}

// currentOf returns the recording in progress, if the caller may see or change it.
func (s *recordTool) currentOf(c *call, change bool) (*recording, error) {
	r := s.current()
	if r == nil {
		return nil, nil
	}
	if why := c.May(c.tool.Tool, access.Thing{Name: "the recording", Owner: r.owner, Change: change}); why != nil {
		return nil, why.Denied()
	}
	return r, nil
}

// close ends the recording in progress. What was recorded is in its file.
func (s *recordTool) close() {
	if r := s.current(); r != nil {
		_, _ = r.Stop()
	}
}

// maxSeen is how many of the last steps a status shows.
const maxSeen = 10

func (s *recordTool) status(c *call) (recordResult, words.Marked, error) {
	r, err := s.currentOf(c, false)
	if err != nil {
		return recordResult{}, "", err
	}
	if r == nil {
		return recordResult{}, `no recording is running; record_workflow {"action": "start"} begins`, nil
	}
	st := r.Status()
	out := recordResult{Recording: !st.Ended, Steps: len(st.Steps), Limits: st.Limits}
	for _, line := range st.Steps[max(0, len(st.Steps)-maxSeen):] {
		out.Seen = append(out.Seen, line.String())
	}
	if st.Ended {
		return out, words.Say(`the recording ended after %d steps; record_workflow {"action": "stop"} gives the workflow`, out.Steps), nil
	}
	text := words.Say("recording for %s, %d steps so far", time.Since(st.Began).Round(time.Second), out.Steps)
	if st.Paused {
		text += ", paused by the user"
	}
	return out, text + "\n" + words.Told(strings.Join(slices.Concat(out.Seen, st.Limits), "\n")), nil
}

// start begins to record, and returns once no input can be missed.
func (s *recordTool) start(ctx context.Context, c *call) (recordResult, words.Marked, error) {
	if s.resources.o.Record == nil {
		return recordResult{}, "", &steps.Error{Code: steps.Unavailable, Err: errors.New("this server cannot record"), Next: "the user runs: understudy record -o FILE"}
	}
	keys := recorder.DefaultKeys()
	r, err := s.begin(ctx, c.caller, keys)
	if err != nil {
		return recordResult{}, "", err
	}
	limits := r.Status().Limits
	done := "say when it is done or press " + words.Quoted(keys[recorder.Stop].String())
	if len(limits) > 0 {
		done = "say when it is done, and what is not recorded: " + words.List(limits)
	}
	text := words.Say(`recording: ask the user to do the task, and to %s; then record_workflow {"action": "stop", "name": ...}`, done)
	return recordResult{Recording: true, Limits: limits}, text, nil
}

// stop ends the recording and makes the workflow. If that fails, as with a name that is
// taken, the recording is kept, and stop can be called again.
func (s *recordTool) stop(ctx context.Context, c *call, a recordArgs) (recordResult, words.Marked, error) {
	r, err := s.currentOf(c, true)
	if err != nil {
		return recordResult{}, "", err
	}
	if r == nil {
		return recordResult{}, "", steps.Errorf(steps.Invalid, "nothing is recorded").WithNext(`record_workflow {"action": "start"} begins`)
	}
	seen, early := r.Stop()
	if len(seen) == 0 {
		s.end(r)
		return recordResult{}, "nothing was recorded, so there is no workflow", early
	}
	o := s.options(a)
	o.Pictures = r.pictures
	text, notes, err := compile.Events(seen, o)
	if err != nil {
		s.end(r)
		return recordResult{}, "", err
	}
	out, said, err := s.finish(ctx, c, a, text, notes)
	if err != nil {
		return out, said, err
	}
	s.end(r)
	if early != nil {
		said += words.Say("\nthe recording ended early: %v", early)
	}
	if out.Limits = r.Status().Limits; len(out.Limits) > 0 {
		said += "\ncheck whether a step is missing: " + words.List(out.Limits)
	}
	if out.File = r.file; r.file != "" {
		said += words.Say("\nthe recording is kept in %s", r.file)
	}
	return out, said, nil
}

func (s *recordTool) options(a recordArgs) compile.Options {
	return compile.Options{Kinds: s.resources.o.Kinds, Name: a.Name, Description: a.Description, Literal: a.Literal}
}

// fromRuns makes a workflow from the calls of runs.
func (s *recordTool) fromRuns(ctx context.Context, c *call, a recordArgs) (recordResult, words.Marked, error) {
	if (len(a.Runs) > 0) == (a.Last > 0) {
		return recordResult{}, "", steps.Errorf(steps.Invalid, "from_runs needs runs or last, and not both").
			WithNext(`record_workflow {"action": "from_runs", "last": 5} takes your last five calls that acted; list_runs {"calls": true} names them`)
	}
	runs, err := s.resources.clients.runsFor(ctx, c.Subject, c.tool.Tool)
	if err != nil {
		return recordResult{}, "", err
	}
	calls, err := s.lastCalls(ctx, c, runs, a.Last)
	if err != nil {
		return recordResult{}, "", err
	}
	for _, id := range a.Runs {
		done, err := CallsOf(ctx, runs, s.resources.o.Kinds, id)
		if err != nil {
			return recordResult{}, "", fmt.Errorf("run %s: %w", id, err)
		}
		calls = append(calls, done...)
	}
	text, notes, err := compile.Calls(calls, s.options(a))
	if err != nil {
		return recordResult{}, "", err
	}
	return s.finish(ctx, c, a, text, notes)
}

// callsPage is how many runs are read at once to find the last calls.
const callsPage = 100

// lastCalls returns the calls of the last n runs of the caller that make steps, the
// oldest first.
func (s *recordTool) lastCalls(ctx context.Context, c *call, runs engine.Runs, n int) (calls []compile.Call, err error) {
	q := engine.Query{Calls: true, Limit: callsPage}
	for n > 0 {
		list, err := runs.List(ctx, q)
		if err != nil || len(list) == 0 {
			return calls, err
		}
		for _, h := range list {
			q.Before = h.ID
			if n == 0 || !c.owns(h) {
				continue
			}
			done, err := CallsOf(ctx, runs, s.resources.o.Kinds, h.ID)
			if err != nil {
				return nil, fmt.Errorf("run %s: %w", h.ID, err)
			}
			if slices.ContainsFunc(done, func(one compile.Call) bool { return one.MakesStep() }) {
				calls, n = slices.Concat(done, calls), n-1
			}
		}
	}
	return calls, nil
}

// CallsOf returns the steps of a run that succeeded, in order.
func CallsOf(ctx context.Context, runs engine.Runs, kinds []steps.Kind, id string) ([]compile.Call, error) {
	var calls []compile.Call
	started := map[string]engine.Started{}
	for ev, err := range engine.History(ctx, runs, id) {
		if err != nil {
			return nil, err
		}
		fact, err := engine.Fact(ev)
		if err != nil {
			return nil, err
		}
		switch f := fact.(type) {
		case engine.Started:
			started[ev.Path] = f
		case engine.Ended:
			b, ok := started[ev.Path]
			if !ok || f.Outcome.Status != engine.Success {
				continue
			}
			args, complete := f.Args.(map[string]any) // where Started withheld a typed text
			if !complete {
				args, _ = b.Args.(map[string]any)
			}
			if k, args, ok := workflows.FindKind(kinds, b.Kind, args); ok {
				calls = append(calls, compile.Call{Kind: k, ID: b.ID, Args: args, Result: f.Outcome.Result})
			}
		}
	}
	return calls, nil
}

// finish checks a new workflow, and saves it if it has a name.
func (s *recordTool) finish(ctx context.Context, c *call, a recordArgs, text []byte, notes []compile.Note) (recordResult, words.Marked, error) {
	_, p, err := s.resources.library.pack("recording", s.resources.o.Folder, text)
	if err != nil {
		return recordResult{}, "", compile.ErrInvalid(err)
	}
	if len(p.Steps) == 0 {
		return recordResult{}, "no action was recorded that makes a step, so there is no workflow", nil
	}
	out := recordResult{Text: string(text), Notes: notes, Steps: len(p.Steps)}
	lines := []words.Marked{words.Fenced(out.Text)}
	if len(notes) > 0 { // each is a comment in the text
		lines = append(lines, "look at the steps with comments")
	}
	if a.Name == "" {
		lines = append(lines, "it is not saved; save_workflow saves it under a name")
		return out, words.Join(lines, "\n"), nil
	}
	if err := c.blockedError(c.MaySave(p, s.resources.o.Kinds)); err != nil {
		return recordResult{}, "", err
	}
	if _, err := s.resources.saveWorkflow(ctx, c.caller, a.Name, text, a.Replace); err != nil {
		return recordResult{}, "", err
	}
	out.Name = a.Name
	lines = append(lines, words.Say("saved; execute_sequence {\"url\": %q} runs it", a.Name))
	return out, words.Join(lines, "\n"), nil
}

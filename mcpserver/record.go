package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"understudy/engine"
	"understudy/recorder"
	"understudy/steps"
)

// Recorder watches a person until the context ends or the person stops it. It
// gives what was seen, and the file in which that is kept.
type Recorder func(ctx context.Context, o recorder.RecordOptions) (seen []recorder.Event, file string, err error)

// recordTools is the tool that makes workflows of what was done: by a person who
// is watched, or by single calls of tools.
func (s *Server) recordTools() []*tool {
	t := tool{
		rule:    rule{name: "record_workflow", toolset: steps.Runs, risk: steps.Normal},
		summary: "Make a workflow by watching the user: start, then stop gives it.",
		details: "Or of what runs did: action from_runs.",
	}
	return []*tool{define(t, s.recordWorkflow)}
}

// recordAction is what record_workflow is to do.
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
	Description string       `json:"description,omitempty" jsonschema:"what it does"`
	Replace     bool         `json:"replace,omitempty" jsonschema:"put it in the place of the one with this name"`
	Literal     bool         `json:"literal,omitempty" jsonschema:"keep typed values instead of making them inputs"`
	Runs        []string     `json:"runs,omitempty" jsonschema:"for from_runs: the run ids, in their order"`
}

// recorded is how a recording is, or what came of it.
type recorded struct {
	Recording bool            `json:"recording"`
	Seen      []string        `json:"seen,omitempty"` // the last steps, in words
	Steps     int             `json:"steps"`
	Text      string          `json:"text,omitempty"`
	Name      string          `json:"name,omitempty"`
	Notes     []recorder.Note `json:"notes,omitempty"`
	File      string          `json:"file,omitempty"`
}

func (s *Server) recordWorkflow(ctx context.Context, c *call, a recordArgs) (recorded, string, error) {
	if a.Name != "" {
		if err := checkName(a.Name); err != nil {
			return recorded{}, "", err
		}
	}
	switch a.Action {
	case recordStart:
		return s.startRecording(ctx, c)
	case recordStop:
		return s.stopRecording(ctx, a)
	case recordFromRuns:
		return s.fromRuns(ctx, a)
	}
	return s.recordings.status()
}

// recordings is the recording that is made, if any: there is one user to watch.
type recordings struct {
	mu  sync.Mutex
	now *recording
}

// recording is one recording.
type recording struct {
	by     string
	began  time.Time
	cancel context.CancelFunc
	done   chan struct{} // closed when nothing more is seen

	mu    sync.Mutex
	lines []string

	// Known when done is closed.
	seen []recorder.Event
	file string
	err  error
}

// say notes a step that was seen, in words.
func (r *recording) say(line string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.lines = append(r.lines, line)
}

// mostSeen is how many of the last steps a status shows.
const mostSeen = 10

func (r *recording) last() (lines []string, all int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.lines[max(0, len(r.lines)-mostSeen):]), len(r.lines)
}

func (r *recording) over() bool {
	select {
	case <-r.done:
		return true
	default:
		return false
	}
}

// begin makes a recording the one that is made.
func (all *recordings) begin(by string) (*recording, context.Context, error) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if r := all.now; r != nil {
		e := steps.Errorf(steps.Busy, "a recording that %s began at %s is not stopped yet", clientName(r.by), r.began.Format(time.TimeOnly))
		e.Next = `record_workflow {"action": "stop"} ends it and gives its workflow`
		return nil, nil, e
	}
	ctx, cancel := context.WithCancel(context.Background())
	all.now = &recording{by: by, began: time.Now(), cancel: cancel, done: make(chan struct{})}
	return all.now, ctx, nil
}

// end forgets a recording.
func (all *recordings) end(r *recording) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.now == r {
		all.now = nil
	}
}

func (all *recordings) current() *recording {
	all.mu.Lock()
	defer all.mu.Unlock()
	return all.now
}

// close ends the recording that is made. What it saw is in its file.
func (all *recordings) close() {
	if r := all.current(); r != nil {
		r.cancel()
		<-r.done
	}
}

func (all *recordings) status() (recorded, string, error) {
	r := all.current()
	if r == nil {
		return recorded{}, `nothing is recorded; record_workflow {"action": "start"} begins`, nil
	}
	lines, n := r.last()
	out := recorded{Recording: !r.over(), Seen: lines, Steps: n}
	if !out.Recording {
		return out, fmt.Sprintf(`the user stopped the recording after %d steps; record_workflow {"action": "stop"} gives the workflow`, n), nil
	}
	text := fmt.Sprintf("recording for %s, %d steps so far", time.Since(r.began).Round(time.Second), n)
	return out, strings.Join(append([]string{text}, lines...), "\n"), nil
}

// startRecording begins to watch, and answers once nothing can be missed.
func (s *Server) startRecording(ctx context.Context, c *call) (recorded, string, error) {
	if s.o.Record == nil {
		return recorded{}, "", &steps.Error{Code: steps.Unavailable, Err: errors.New("this server cannot record"), Next: "the user runs: understudy record -o FILE"}
	}
	r, watching, err := s.recordings.begin(c.id())
	if err != nil {
		return recorded{}, "", err
	}
	keys := recorder.DefaultKeys()
	ready := make(chan struct{})
	go func() {
		defer close(r.done)
		r.seen, r.file, r.err = s.o.Record(watching, recorder.RecordOptions{
			Keys: keys, Tell: r.say, Ready: sync.OnceFunc(func() { close(ready) }),
		})
	}()
	select {
	case <-ready:
		text := fmt.Sprintf(`recording: ask the user to do the task, and to say when it is done or press %s; then record_workflow {"action": "stop", "name": ...}`, keys.Stop)
		return recorded{Recording: true}, text, nil
	case <-r.done:
		s.recordings.end(r)
		if r.err == nil {
			r.err = steps.Errorf(steps.Unavailable, "the recording ended before it began")
		}
		return recorded{}, "", r.err
	case <-ctx.Done():
		r.cancel()
		<-r.done
		s.recordings.end(r)
		return recorded{}, "", ended(ctx)
	}
}

// stopRecording ends the watching, and makes the workflow. When that fails, as
// with a name that is taken, the recording is kept, and stop can be said again.
func (s *Server) stopRecording(ctx context.Context, a recordArgs) (recorded, string, error) {
	r := s.recordings.current()
	if r == nil {
		e := steps.Errorf(steps.Invalid, "nothing is recorded")
		e.Next = `record_workflow {"action": "start"} begins`
		return recorded{}, "", e
	}
	r.cancel()
	select {
	case <-r.done:
	case <-ctx.Done():
		return recorded{}, "", ended(ctx)
	}
	if len(r.seen) == 0 {
		s.recordings.end(r)
		if r.err != nil {
			return recorded{}, "", r.err
		}
		return recorded{}, "nothing was seen, so there is no workflow", nil
	}
	text, notes, err := recorder.Compile(r.seen, a.options())
	if err != nil {
		s.recordings.end(r)
		return recorded{}, "", err
	}
	out, said, err := s.made(ctx, a, text, notes)
	if err != nil {
		return out, said, err
	}
	s.recordings.end(r)
	if r.err != nil {
		said += fmt.Sprintf("\nthe recording ended early: %v", r.err)
	}
	if out.File = r.file; r.file != "" {
		said += "\nwhat was seen is kept in " + r.file
	}
	return out, said, nil
}

func (a *recordArgs) options() recorder.Options {
	return recorder.Options{Name: a.Name, Description: a.Description, Literal: a.Literal}
}

// fromRuns makes a workflow of what runs did.
func (s *Server) fromRuns(ctx context.Context, a recordArgs) (recorded, string, error) {
	if len(a.Runs) == 0 {
		e := steps.Errorf(steps.Invalid, "from_runs needs runs")
		e.Next = `list_runs {"calls": true} names them; then record_workflow {"action": "from_runs", "runs": [...]}`
		return recorded{}, "", e
	}
	runs, err := s.opened(ctx)
	if err != nil {
		return recorded{}, "", err
	}
	var calls []recorder.Call
	for _, id := range a.Runs {
		done, err := CallsOf(ctx, runs, s.o.Kinds, id)
		if err != nil {
			return recorded{}, "", fmt.Errorf("run %s: %w", id, err)
		}
		calls = append(calls, done...)
	}
	text, notes, err := recorder.FromCalls(calls, a.options())
	if err != nil {
		return recorded{}, "", err
	}
	return s.made(ctx, a, text, notes)
}

// CallsOf are the steps of a run that succeeded, in their order.
func CallsOf(ctx context.Context, runs engine.Runs, kinds []steps.Kind, id string) ([]recorder.Call, error) {
	var calls []recorder.Call
	started := map[string]recorder.Call{}
	for seen := uint64(0); ; {
		events, err := runs.Events(ctx, id, seen+1)
		if err != nil || len(events) == 0 {
			return calls, err
		}
		for _, ev := range events {
			seen = ev.Seq
			switch ev.Type {
			case engine.EvStarted:
				st, err := engine.Fact[engine.Started](ev)
				if err != nil {
					return nil, err
				}
				c := recorder.Call{ID: st.ID, Begin: ev.At}
				c.Args, _ = st.Args.(map[string]any)
				c.Kind, _ = steps.Find(kinds, st.Kind)
				started[ev.Path] = c
			case engine.EvEnded:
				end, err := engine.Fact[engine.Ended](ev)
				if err != nil {
					return nil, err
				}
				c, ok := started[ev.Path]
				if !ok || c.Kind.Args == nil || end.Outcome.Status != engine.Success {
					continue
				}
				c.Result, c.End = end.Outcome.Result, ev.At
				calls = append(calls, c)
			}
		}
	}
}

// made checks a workflow that was made, and saves it when it has a name.
func (s *Server) made(ctx context.Context, a recordArgs, text []byte, notes []recorder.Note) (recorded, string, error) {
	_, p, err := s.compiled("recording", string(text))
	if err != nil {
		return recorded{}, "", fmt.Errorf("the workflow that was made is not valid, which is a fault of this program: %w", err)
	}
	if len(p.Steps) == 0 {
		return recorded{}, "nothing was done that makes a step, so there is no workflow", nil
	}
	out := recorded{Text: string(text), Notes: notes, Steps: len(p.Steps)}
	lines := []string{out.Text}
	for _, n := range notes {
		lines = append(lines, fmt.Sprintf("look at step %s: %s", n.Step, n.Text))
	}
	if a.Name == "" {
		lines = append(lines, "it is not saved; save_workflow saves it under a name")
		return out, strings.Join(lines, "\n"), nil
	}
	_, isNew, err := s.library.save(a.Name, text, a.Replace)
	if err != nil {
		return recorded{}, "", err
	}
	out.Name = a.Name
	s.savedNews(ctx, a.Name, isNew)
	lines = append(lines, fmt.Sprintf("saved; execute_sequence {\"url\": %q} runs it", a.Name))
	return out, strings.Join(lines, "\n"), nil
}

package mcpserver

import (
	"context"
	"errors"
	"image/png"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"understudy/internal/access"
	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/testing/byhand"
	"understudy/recorder"
	"understudy/steps"
)

// watched makes a recorder that sees one click, and the channel that stands for the key
// with which the user stops it.
func watched() (Recorder, *scripted) {
	button := &recorder.Seen{
		Element:   desktop.Element{Role: "button", Name: "Save", Process: "notes", Bounds: desktop.Rect{W: 10, H: 10}},
		Selectors: []selector.Candidate{{Selector: "role:button && name:Save"}},
	}
	at := time.Date(2026, 3, 4, 9, 0, 0, 0, time.UTC)
	events := []recorder.Event{
		{Type: recorder.Begun, Time: at},
		{Type: recorder.Pressed, Time: at.Add(time.Second), Button: desktop.Left, Element: button},
		{Type: recorder.Released, Time: at.Add(2 * time.Second), Button: desktop.Left},
		{Type: recorder.Ended, Time: at.Add(3 * time.Second)},
	}
	r := &scripted{events: events, key: make(chan struct{})}
	return func(_ context.Context, _ recorder.Keys, pictures string) (Recording, string, error) {
		r.pictures = pictures
		return r, "seen.events.jsonl", nil
	}, r
}

// scripted is a recording of given events.
type scripted struct {
	events   []recorder.Event
	pictures string        // the folder for pictures
	key      chan struct{} // closed when it ends
	once     sync.Once
}

func (s *scripted) Done() <-chan struct{} { return s.key }

func (s *scripted) Stop() ([]recorder.Event, error) {
	s.once.Do(func() { close(s.key) })
	return s.events, nil
}

func (s *scripted) Status() recorder.Status {
	st := recorder.Status{Began: s.events[0].Time, Steps: []recorder.Line{{Step: 1, Text: "clicked the button Save"}}}
	select {
	case <-s.key:
		st.Ended = true
	default:
	}
	return st
}

func record(action string, more ...byhand.Object) byhand.Object {
	args := byhand.Object{"action": action}
	for _, m := range more {
		maps.Copy(args, m)
	}
	return args
}

func TestRecordWorkflow(t *testing.T) {
	watch, _ := watched()
	st := newStage(t, func(o *Options) { o.Record = watch })
	w, other := st.connect("2025-11-25", byhand.Object{}), st.connect(modern, byhand.Object{})
	if res := w.Call("record_workflow", record("stop")); !byhand.IsError(res) || !strings.Contains(byhand.Said(res), `"start"`) {
		t.Errorf("stopped before it began: %s", byhand.Said(res))
	}
	if res := w.Call("record_workflow", record("start")); byhand.IsError(res) || !strings.Contains(byhand.Said(res), `"stop"`) {
		t.Fatalf("start: %s", byhand.Said(res))
	}
	if res := other.Call("record_workflow", record("start")); code(res) != "busy" {
		t.Errorf("started twice: %s", byhand.Said(res))
	}
	if res := w.Call("record_workflow", record("status")); !strings.Contains(byhand.Said(res), "clicked the button Save") {
		t.Errorf("status: %s", byhand.Said(res))
	}
	if res := w.Call("record_workflow", record("stop", byhand.Object{"name": "no good name"})); code(res) != "invalid" {
		t.Errorf("a bad name: %s", byhand.Said(res))
	}
	res := w.Call("record_workflow", record("stop", byhand.Object{"name": "saved", "description": "What I did."}))
	if byhand.IsError(res) || !strings.Contains(byhand.Said(res), "tool_name: click_element") || !strings.Contains(byhand.Said(res), "seen.events.jsonl") {
		t.Fatalf("stop: %s", byhand.Said(res))
	}
	if res := w.Call("get_workflow", byhand.Object{"name": "saved"}); !strings.Contains(byhand.Said(res), "description: What I did.") {
		t.Errorf("the saved workflow: %s", byhand.Said(res))
	}
	if res := w.Call("record_workflow", record("status")); !strings.Contains(byhand.Said(res), "no recording is running") {
		t.Errorf("status at the end: %s", byhand.Said(res))
	}
}

// TestRecordingThatTheUserStopped checks that such a recording is reported, and kept
// until it is fetched, also when its name is taken.
func TestRecordingThatTheUserStopped(t *testing.T) {
	watch, recording := watched()
	st := newStage(t, func(o *Options) { o.Record = watch })
	w := st.connect("2025-11-25", byhand.Object{})
	w.Call("save_workflow", byhand.Object{"name": "taken", "text": "steps:\n- tool_name: delay\n  arguments: {duration: 1}\n"})
	w.Call("record_workflow", record("start"))
	_, _ = recording.Stop()
	if res := w.Call("record_workflow", record("status")); !strings.Contains(byhand.Said(res), "the recording ended") {
		t.Errorf("status: %s", byhand.Said(res))
	}
	if res := w.Call("record_workflow", record("stop", byhand.Object{"name": "taken"})); !byhand.IsError(res) || !strings.Contains(byhand.Said(res), "replace: true") {
		t.Errorf("a name that is taken: %s", byhand.Said(res))
	}
	if res := w.Call("record_workflow", record("stop", byhand.Object{"name": "taken", "replace": true})); byhand.IsError(res) {
		t.Errorf("in its place: %s", byhand.Said(res))
	}
}

func TestRecordingIsRefused(t *testing.T) {
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	if res := w.Call("record_workflow", record("start")); code(res) != "unavailable" || !strings.Contains(byhand.Said(res), "understudy record") {
		t.Errorf("a server that cannot: %s", byhand.Said(res))
	}
	broken := func(context.Context, recorder.Keys, string) (Recording, string, error) {
		return nil, "", errors.New("no display")
	}
	w = newStage(t, func(o *Options) { o.Record = broken }).connect("2025-11-25", byhand.Object{})
	for range 2 { // the first recording is gone
		if res := w.Call("record_workflow", record("start")); !byhand.IsError(res) || !strings.Contains(byhand.Said(res), "no display") {
			t.Errorf("a recording that cannot begin: %s", byhand.Said(res))
		}
	}
	watch, _ := watched()
	w = newStage(t, func(o *Options) { o.Record, o.Policy.Mode = watch, access.Ask }).connect("2025-11-25", byhand.Object{})
	if res := w.Call("record_workflow", record("start")); byhand.Dig(res, "error", "code") != -32002.0 {
		t.Errorf("in ask mode: %v", res)
	}
}

// TestARecordedPictureIsLookedForWhenItIsPlayed records a click where no element is
// known.
func TestARecordedPictureIsLookedForWhenItIsPlayed(t *testing.T) {
	watch, recording := watched()
	recording.events[1].Element, recording.events[1].Picture = nil, "1.png"
	st := newStage(t, func(o *Options) { o.Record, o.Policy.Toolsets = watch, []steps.Toolset{access.All} })
	w := st.connect("2025-11-25", byhand.Object{})
	w.Call("record_workflow", record("start"))
	box := st.desk.Get(st.desk.Find("role:button && name:Save")).Bounds
	shot, err := st.desk.Capture(t.Context(), box)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(recording.pictures, 0o700); err != nil {
		t.Fatal(err)
	}
	f, err := os.Create(filepath.Join(recording.pictures, "1.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, shot), f.Close()); err != nil {
		t.Fatal(err)
	}
	if res := w.Call("record_workflow", record("stop", byhand.Object{"name": "saved"})); byhand.IsError(res) || !strings.Contains(byhand.Said(res), "image:"+recording.pictures) {
		t.Fatalf("stop: %s", byhand.Said(res))
	}
	if res := w.Call("execute_sequence", byhand.Object{"url": "saved"}); byhand.IsError(res) {
		t.Errorf("played: %s", byhand.Said(res))
	}
	for tool, args := range map[string]byhand.Object{
		"write_file": {"path": filepath.Join(recording.pictures, "1.png"), "content": "another"},
		"read_file":  {"path": filepath.Join(recording.pictures, "1.png")},
	} {
		if res := w.Call("execute_sequence", document(tool, args)); !strings.Contains(byhand.Said(res), "out of bounds") {
			t.Errorf("a step that touches a picture with %s: %v", tool, res)
		}
	}
	if res := w.Call("list_workflows", byhand.Object{}); strings.Contains(byhand.Said(res), "pictures") {
		t.Errorf("the folder of the pictures counts as a workflow: %s", byhand.Said(res))
	}
}

// TestServerEndsWhileItRecords checks that the recording ends with the server.
func TestServerEndsWhileItRecords(t *testing.T) {
	watch, recording := watched()
	st := newStage(t, func(o *Options) { o.Record = watch })
	if res := st.connect("2025-11-25", byhand.Object{}).Call("record_workflow", record("start")); byhand.IsError(res) {
		t.Fatal(byhand.Said(res))
	}
	if err := st.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if !recording.Status().Ended {
		t.Error("it is still made")
	}
}

// TestWorkflowFromCalls makes a workflow of the single calls of a model.
func TestWorkflowFromCalls(t *testing.T) {
	w := newStage(t).connect("2025-11-25", byhand.Object{})
	w.Call("click_element", byhand.Object{"process": "notes", "selector": "role:button && name:Save"})
	w.Call("type_into_element", byhand.Object{"process": "notes", "selector": "role:entry", "text_to_type": "Tuesday", "clear_before_typing": true})
	if said := byhand.Said(w.Call("list_runs", byhand.Object{})); !strings.Contains(said, "calls: true") {
		t.Errorf("the list of runs, without these calls: %s", said)
	}
	list, _ := byhand.Dig(w.Call("list_runs", byhand.Object{"calls": true}), "result", "structuredContent", "runs").([]any)
	if len(list) != 2 {
		t.Fatalf("runs: %v", list)
	}
	ids := []any{byhand.Dig(list[1], "run_id"), byhand.Dig(list[0], "run_id")}
	res := w.Call("record_workflow", record("from_runs", byhand.Object{"runs": ids, "name": "again"}))
	if byhand.IsError(res) || !strings.Contains(byhand.Said(res), "tool_name: click_element") || !strings.Contains(byhand.Said(res), "default: Tuesday") {
		t.Errorf("made of two calls: %s", byhand.Said(res))
	}
	if last := byhand.Said(w.Call("record_workflow", record("from_runs", byhand.Object{"last": 2}))); !strings.Contains(last, "default: Tuesday") || strings.Count(last, "- id:") != 2 || strings.Index(last, "click_element") > strings.Index(last, "type_into_element") {
		t.Errorf("made of the last two calls: %s", last)
	}
	if res := w.Call("execute_sequence", byhand.Object{"url": "again"}); byhand.IsError(res) {
		t.Errorf("run again: %s", byhand.Said(res))
	}
	w.Call("get_window_tree", byhand.Object{"process": "notes"})
	w.Call("click_element", byhand.Object{"process": "notes", "selector": "role:button && name:Nowhere", "timeout_ms": 10})
	if last := byhand.Said(w.Call("record_workflow", record("from_runs", byhand.Object{"last": 2}))); strings.Count(last, "- id:") != 3 || strings.Count(last, "type_into_element") != 2 {
		t.Errorf("made of the sequence and of the call before it: %s", last)
	}
	if res := w.Call("record_workflow", record("from_runs", byhand.Object{"last": 2, "runs": ids})); !byhand.IsError(res) {
		t.Errorf("of both: %s", byhand.Said(res))
	}
	if res := w.Call("record_workflow", record("from_runs")); !byhand.IsError(res) || !strings.Contains(byhand.Said(res), "list_runs") {
		t.Errorf("without runs: %s", byhand.Said(res))
	}
}

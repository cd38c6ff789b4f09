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

	"understudy/recorder"
	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// watched is a recorder that sees one click, and the key with which the user
// stops it.
func watched() (Recorder, *scripted) {
	button := &recorder.Thing{
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

// scripted is a recording of what was seen before.
type scripted struct {
	events   []recorder.Event
	pictures string        // where they are to be kept
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

func record(action string, more ...jsonObject) jsonObject {
	args := jsonObject{"action": action}
	for _, m := range more {
		maps.Copy(args, m)
	}
	return args
}

func TestRecordWorkflow(t *testing.T) {
	watch, _ := watched()
	st := newStage(t, func(o *Options) { o.Record = watch })
	w, other := st.connect("2025-11-25", jsonObject{}), st.connect(modern, jsonObject{})
	if res := w.call("record_workflow", record("stop")); !isError(res) || !strings.Contains(said(res), `"start"`) {
		t.Errorf("stopped before it began: %s", said(res))
	}
	if res := w.call("record_workflow", record("start")); isError(res) || !strings.Contains(said(res), `"stop"`) {
		t.Fatalf("start: %s", said(res))
	}
	if res := other.call("record_workflow", record("start")); code(res) != "busy" {
		t.Errorf("started twice: %s", said(res))
	}
	if res := w.call("record_workflow", record("status")); !strings.Contains(said(res), "clicked the button Save") {
		t.Errorf("status: %s", said(res))
	}
	if res := w.call("record_workflow", record("stop", jsonObject{"name": "no good name"})); code(res) != "invalid" {
		t.Errorf("a bad name: %s", said(res))
	}
	res := w.call("record_workflow", record("stop", jsonObject{"name": "saved", "description": "What I did."}))
	if isError(res) || !strings.Contains(said(res), "tool_name: click_element") || !strings.Contains(said(res), "seen.events.jsonl") {
		t.Fatalf("stop: %s", said(res))
	}
	if res := w.call("get_workflow", jsonObject{"name": "saved"}); !strings.Contains(said(res), "description: What I did.") {
		t.Errorf("the saved workflow: %s", said(res))
	}
	if res := w.call("record_workflow", record("status")); !strings.Contains(said(res), "nothing is recorded") {
		t.Errorf("status at the end: %s", said(res))
	}
}

// TestRecordingThatTheUserStopped is told of, and kept until it is fetched; also
// when the name for it is taken.
func TestRecordingThatTheUserStopped(t *testing.T) {
	watch, recording := watched()
	st := newStage(t, func(o *Options) { o.Record = watch })
	w := st.connect("2025-11-25", jsonObject{})
	w.call("save_workflow", jsonObject{"name": "taken", "text": "steps:\n- tool_name: delay\n  arguments: {duration: 1}\n"})
	w.call("record_workflow", record("start"))
	_, _ = recording.Stop()
	if res := w.call("record_workflow", record("status")); !strings.Contains(said(res), "the recording ended") {
		t.Errorf("status: %s", said(res))
	}
	if res := w.call("record_workflow", record("stop", jsonObject{"name": "taken"})); !isError(res) || !strings.Contains(said(res), "replace: true") {
		t.Errorf("a name that is taken: %s", said(res))
	}
	if res := w.call("record_workflow", record("stop", jsonObject{"name": "taken", "replace": true})); isError(res) {
		t.Errorf("in its place: %s", said(res))
	}
}

func TestRecordingIsRefused(t *testing.T) {
	w := newStage(t).connect("2025-11-25", jsonObject{})
	if res := w.call("record_workflow", record("start")); code(res) != "unavailable" || !strings.Contains(said(res), "understudy record") {
		t.Errorf("a server that cannot: %s", said(res))
	}
	broken := func(context.Context, recorder.Keys, string) (Recording, string, error) {
		return nil, "", errors.New("no display")
	}
	w = newStage(t, func(o *Options) { o.Record = broken }).connect("2025-11-25", jsonObject{})
	for range 2 { // it is not left behind
		if res := w.call("record_workflow", record("start")); !isError(res) || !strings.Contains(said(res), "no display") {
			t.Errorf("a recording that cannot begin: %s", said(res))
		}
	}
	watch, _ := watched()
	w = newStage(t, func(o *Options) { o.Record, o.Policy.Mode = watch, Ask }).connect("2025-11-25", jsonObject{})
	if res := w.call("record_workflow", record("start")); dig(res, "error", "code") != -32002.0 {
		t.Errorf("in ask mode: %v", res)
	}
}

// TestARecordedPictureIsLookedForWhenItIsPlayed records a click on what no
// element is known of.
func TestARecordedPictureIsLookedForWhenItIsPlayed(t *testing.T) {
	watch, recording := watched()
	recording.events[1].Element, recording.events[1].Picture = nil, "1.png"
	st := newStage(t, func(o *Options) { o.Record = watch })
	w := st.connect("2025-11-25", jsonObject{})
	w.call("record_workflow", record("start"))
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
	if res := w.call("record_workflow", record("stop", jsonObject{"name": "saved"})); isError(res) || !strings.Contains(said(res), "image:"+recording.pictures) {
		t.Fatalf("stop: %s", said(res))
	}
	if res := w.call("execute_sequence", jsonObject{"url": "saved"}); isError(res) {
		t.Errorf("played: %s", said(res))
	}
	if res := w.call("list_workflows", jsonObject{}); strings.Contains(said(res), "pictures") {
		t.Errorf("the folder of the pictures counts as a workflow: %s", said(res))
	}
}

// TestServerEndsWhileItRecords must not leave the watching behind.
func TestServerEndsWhileItRecords(t *testing.T) {
	watch, recording := watched()
	st := newStage(t, func(o *Options) { o.Record = watch })
	if res := st.connect("2025-11-25", jsonObject{}).call("record_workflow", record("start")); isError(res) {
		t.Fatal(said(res))
	}
	if err := st.Close(t.Context()); err != nil {
		t.Error(err)
	}
	if !recording.Status().Ended {
		t.Error("it is still made")
	}
}

// TestWorkflowFromCalls makes a workflow of what a model did by single calls.
func TestWorkflowFromCalls(t *testing.T) {
	w := newStage(t).connect("2025-11-25", jsonObject{})
	w.call("click_element", jsonObject{"process": "notes", "selector": "role:button && name:Save"})
	w.call("type_into_element", jsonObject{"process": "notes", "selector": "role:entry", "text_to_type": "Tuesday", "clear_before_typing": true})
	list, _ := dig(w.call("list_runs", jsonObject{"calls": true}), "result", "structuredContent", "runs").([]any)
	if len(list) != 2 {
		t.Fatalf("runs: %v", list)
	}
	ids := []any{dig(list[1], "run_id"), dig(list[0], "run_id")}
	res := w.call("record_workflow", record("from_runs", jsonObject{"runs": ids, "name": "again"}))
	if isError(res) || !strings.Contains(said(res), "tool_name: click_element") || !strings.Contains(said(res), "default: Tuesday") {
		t.Errorf("made of two calls: %s", said(res))
	}
	if res := w.call("execute_sequence", jsonObject{"url": "again"}); isError(res) {
		t.Errorf("run again: %s", said(res))
	}
	if res := w.call("record_workflow", record("from_runs")); !isError(res) || !strings.Contains(said(res), "list_runs") {
		t.Errorf("without runs: %s", said(res))
	}
}

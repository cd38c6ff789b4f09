package mcpserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"understudy/engine"
)

// document is one of one step.
func document(tool string, args jsonObject) jsonObject {
	return jsonObject{"steps": []any{jsonObject{"tool_name": tool, "id": "one", "arguments": args}}}
}

func TestEveryVersion(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			w := st.connect(version, jsonObject{})
			if names := toolNames(w.request("tools/list", jsonObject{})); !slices.Contains(names, "click_element") || slices.Contains(names, "run_command") {
				t.Errorf("the list is not that of the core: %v", names)
			}
			res := w.call("click_element", jsonObject{"process": "notes", "selector": "role:button && name:Save"})
			if isError(res) || dig(res, "result", "structuredContent", "at") == nil {
				t.Fatalf("click: %v", res)
			}
			res = w.call("execute_sequence", document("delay", jsonObject{"duration": "1ms"}))
			if got := dig(res, "result", "structuredContent", "status"); got != "succeeded" {
				t.Errorf("sequence: %v", res)
			}
			headers, err := st.engine.List(t.Context(), engine.Query{Calls: true})
			if err != nil || len(headers) != 2 {
				t.Errorf("stored runs: %v, %v; want each call to be one", headers, err)
			}
			if got := st.desk.Journal(); len(got) == 0 || !strings.HasPrefix(got[0], "click") {
				t.Errorf("the desktop was not clicked: %v", got)
			}
		})
	}
}

func TestBlockedCallIsAProtocolError(t *testing.T) {
	for _, version := range versions {
		want := -32002.0
		if version == modern {
			want = -31002
		}
		t.Run(version, func(t *testing.T) {
			w := newStage(t, func(o *Options) { o.Policy.Mode = Ask }).connect(version, jsonObject{})
			if names := toolNames(w.request("tools/list", jsonObject{})); slices.Contains(names, "click_element") || !slices.Contains(names, "get_window_tree") {
				t.Errorf("ask mode lists %v", names)
			}
			alone := w.call("click_element", jsonObject{"selector": "role:button"})
			inside := w.call("execute_sequence", document("click_element", jsonObject{"selector": "role:button"}))
			for say, res := range map[string]jsonObject{"alone": alone, "inside a sequence": inside} {
				if dig(res, "error", "code") != want || dig(res, "error", "data", "tool") != "click_element" || dig(res, "error", "data", "mode") != "ask" {
					t.Errorf("%s: %v", say, res)
				}
			}
			if res := w.call("execute_sequence", document("validate_element", jsonObject{"selector": "role:button"})); isError(res) || res["error"] != nil {
				t.Errorf("a sequence that only reads: %v", res)
			}
			if res := w.call("stop_execution", jsonObject{}); isError(res) || res["error"] != nil {
				t.Errorf("stop_execution: %v", res)
			}
		})
	}
}

func TestCancelledCallStopsItsRunOnly(t *testing.T) {
	for _, version := range versions {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			w := st.connect(version, jsonObject{})
			id, answer := w.begin("tools/call", jsonObject{"name": "execute_sequence", "arguments": document("hang", jsonObject{})})
			run := st.hanging()
			w.notify("notifications/cancelled", jsonObject{"requestId": id, "reason": "enough"})
			h := st.rest(run)
			if h.Status != engine.Cancelled || h.ResumeFrom != "one" {
				t.Errorf("the run is %s, resumable from %q", h.Status, h.ResumeFrom)
			}
			_ = answer // a cancelled request needs no answer
			if res := w.call("delay", jsonObject{"duration": "1ms"}); isError(res) {
				t.Errorf("a call after the stop: %v", res)
			}
		})
	}
}

func (st *stage) rest(run string) engine.Header {
	st.t.Helper()
	ctx, cancel := context.WithTimeout(st.t.Context(), 60*time.Second)
	defer cancel()
	h, err := st.engine.Wait(ctx, run)
	if err != nil {
		st.t.Fatal(err)
	}
	return h
}

func TestStopOneRun(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", jsonObject{})
	_, answer := w.begin("tools/call", jsonObject{"name": "hang", "arguments": jsonObject{}})
	run := st.hanging()
	if res := w.call("stop_execution", jsonObject{"run_id": run}); isError(res) || !strings.Contains(said(res), run) {
		t.Errorf("stop: %v", res)
	}
	if res := w.await(answer); code(res) != "cancelled" {
		t.Errorf("the stopped call: %v", res)
	}
}

func TestDetachedRunIsPolledAndResumed(t *testing.T) {
	st := newStage(t)
	w := st.connect(modern, jsonObject{})
	args := document("hang", jsonObject{})
	args["wait"] = false
	run, _ := dig(w.call("execute_sequence", args), "result", "structuredContent", "run_id").(string)
	if st.hanging() != run {
		t.Fatal("another run hangs")
	}
	if got := dig(w.call("get_run", jsonObject{"run_id": run}), "result", "structuredContent", "status"); got != "running" {
		t.Errorf("status %v, want running", got)
	}
	if res := w.call("click_element", jsonObject{"selector": "role:button"}); code(res) != "busy" {
		t.Errorf("a call while another run acts: %v", res)
	}
	_, answer := w.begin("tools/call", jsonObject{"name": "get_run", "arguments": jsonObject{"run_id": run, "wait_ms": 20000}})
	w.call("stop_execution", jsonObject{})
	if got := dig(w.await(answer), "result", "structuredContent", "status"); got != "cancelled" {
		t.Errorf("status %v, want cancelled", got)
	}
	resumed := w.call("resume_run", jsonObject{"run_id": run, "decision": "skip"})
	if got := dig(resumed, "result", "structuredContent", "status"); got != "succeeded" {
		t.Errorf("resumed: %v", resumed)
	}
}

func TestEndOfInputStopsTheRun(t *testing.T) {
	for _, version := range []string{"2025-11-25", modern} {
		t.Run(version, func(t *testing.T) {
			st := newStage(t)
			w := st.connect(version, jsonObject{})
			w.begin("tools/call", jsonObject{"name": "execute_sequence", "arguments": document("hang", jsonObject{})})
			run := st.hanging()
			_ = w.in.Close()
			select {
			case err := <-w.ended:
				if err != nil {
					t.Errorf("the server ended with %v", err)
				}
			case <-time.After(60 * time.Second):
				t.Fatal("the server did not end")
			}
			if h := st.rest(run); !h.Status.Ended() || h.Status == engine.Succeeded || h.ResumeFrom != "one" {
				t.Errorf("the run is %s, resumable from %q", h.Status, h.ResumeFrom)
			}
		})
	}
}

func TestShutdownLetsTheAnswerOut(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", jsonObject{})
	_, answer := w.begin("tools/call", jsonObject{"name": "hang", "arguments": jsonObject{}})
	run := st.hanging()
	if err := st.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if res := w.await(answer); !isError(res) {
		t.Errorf("the answer of the stopped call: %v", res)
	}
	if h := st.rest(run); h.Status != engine.Interrupted {
		t.Errorf("the run is %s, want interrupted", h.Status)
	}
}

func TestPanicIsAnErrorOfTheCall(t *testing.T) {
	w := newStage(t).connect("2025-11-25", jsonObject{})
	if res := w.call("boom", jsonObject{}); code(res) != "internal" {
		t.Errorf("a panic: %v", res)
	}
	if res := w.call("delay", jsonObject{"duration": "1ms"}); isError(res) {
		t.Errorf("the call after: %v", res)
	}
}

func TestProgressGrows(t *testing.T) {
	w := newStage(t).connect("2025-11-25", jsonObject{})
	var list []any
	for range 5 {
		list = append(list, jsonObject{"tool_name": "delay", "arguments": jsonObject{"duration": "20ms"}})
	}
	w.request("tools/call", jsonObject{"name": "execute_sequence", "arguments": jsonObject{"steps": list}, "_meta": jsonObject{"progressToken": "p"}})
	last := -1.0
	notes := w.notices("notifications/progress")
	for _, n := range notes {
		value, _ := dig(n, "params", "progress").(float64)
		if value <= last || dig(n, "params", "progressToken") != "p" {
			t.Errorf("progress %v after %v", n, last)
		}
		last = value
	}
	if len(notes) < 2 {
		t.Errorf("%d notifications for five steps", len(notes))
	}
}

func TestNothingIsSaidUnasked(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", jsonObject{})
	w.request("ping", jsonObject{})
	if w.mu.Lock(); len(w.notes) > 0 {
		t.Errorf("said unasked: %v", w.notes)
	}
	w.mu.Unlock()
}

func TestGreetingOpensNothing(t *testing.T) {
	st := newStage(t, func(o *Options) {
		o.Open = func(context.Context) (engine.Runs, error) { return nil, fmt.Errorf("opened too early") }
	})
	w := st.connect("2025-11-25", jsonObject{})
	w.request("tools/list", jsonObject{})
	if res := w.call("delay", jsonObject{"duration": 1}); !strings.Contains(said(res), "opened too early") {
		t.Errorf("the first call: %v", res)
	}
}

// TestMendedStepGoesOn is what a model does that wrote a step wrongly: it is
// told how to go on, mends the step, and nothing is done twice.
func TestMendedStepGoesOn(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", jsonObject{})
	document := func(name string, wait int) jsonObject {
		return jsonObject{"steps": []any{
			jsonObject{"tool_name": "click_element", "id": "save", "arguments": jsonObject{"selector": "role:button && name:Save"}},
			jsonObject{"tool_name": "click_element", "id": "close", "arguments": jsonObject{"selector": "role:button && name:" + name, "timeout_ms": wait}},
		}}
	}
	failed := w.call("execute_sequence", document("Cloze", 300))
	run, _ := dig(failed, "result", "structuredContent", "run_id").(string)
	for _, want := range []string{"step close", "resume_run", run, `"workflow"`} {
		if !strings.Contains(said(failed), want) {
			t.Errorf("the answer says nothing of %q:\n%s", want, said(failed))
		}
	}
	if res := w.call("resume_run", jsonObject{"run_id": run, "workflow": document("Close", 30000)}); isError(res) {
		t.Fatalf("with the step mended: %s", said(res))
	}
	clicks := 0
	for _, line := range st.desk.Journal() {
		if strings.HasPrefix(line, "click") {
			clicks++
		}
	}
	if clicks != 2 {
		t.Errorf("%d clicks, want one of each step: %v", clicks, st.desk.Journal())
	}
}

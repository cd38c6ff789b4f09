package mcpserver

import (
	"testing"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/testing/byhand"
)

// TestRightIsLostUnderWay revokes the right to act of a client during its run: the next
// step that acts is denied.
func TestRightIsLostUnderWay(t *testing.T) {
	st := newStage(t)
	w := st.connect("2025-11-25", byhand.Object{})
	_, answer := w.Begin(byhand.Calling("execute_sequence", byhand.Object{"steps": []any{
		byhand.Object{"tool_name": "pause", "id": "first"},
		byhand.Object{"tool_name": "click_element", "id": "second", "arguments": byhand.Object{"selector": "role:button && name:Save"}},
	}}))
	run := st.hanging()
	st.clients.modes.Set("by-hand", access.Limits{Mode: access.Ask})
	close(st.goOn)
	if res := w.Await(answer); code(res) != "denied" {
		t.Errorf("the answer: %v", res)
	}
	if h := st.rest(run); h.Status != engine.Failed || h.ResumeFrom != "second" {
		t.Errorf("the run is %s, resumable from %q", h.Status, h.ResumeFrom)
	}
	if got := st.desk.Journal(); len(got) > 0 {
		t.Errorf("it acted: %v", got)
	}
	if res := w.Call("resume_run", byhand.Object{"run_id": run}); byhand.Dig(res, "error", "code") != -32002.0 {
		t.Errorf("resumed in ask mode: %v", res)
	}
}

package mcpserver

import (
	"context"
	"strings"
	"testing"

	"understudy/internal/desktop"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/fake"
	"understudy/workflows/expression"
)

// nowhere is a probe that finds no element.
type nowhere struct{ expression.Probe }

func (nowhere) Exists(context.Context, string) (bool, error) { return false, nil }

// TestAFailureAsksForTheDecision holds that the answer about a step that acted and failed
// says at once that a decision is needed, and how to give it.
func TestAFailureAsksForTheDecision(t *testing.T) {
	st := newStage(t)
	st.engine.Probe = func(func(context.Context) (*desktop.Desktop, error), string, []string) expression.Probe {
		return nowhere{}
	}
	w := st.connect("2025-11-25", byhand.Object{})
	click := byhand.Object{"id": "save", "tool_name": "click_element", "arguments": byhand.Object{"process": "notes", "selector": "role:button && name:Save"}, "expect": "exists('role:dialog')", "timeout": "300ms"}
	look := byhand.Object{"tool_name": "wait_for_element", "arguments": byhand.Object{"process": "notes", "selector": "role:dialog", "timeout_ms": 10}}
	failed := w.Call("execute_sequence", byhand.Object{"steps": []any{click}})
	if text := byhand.Said(failed); !strings.Contains(text, `step save, which may have acted: look at the desktop, then resume_run`) || !strings.Contains(text, `"decision": "redo" or "skip"}`) {
		t.Errorf("a click whose effect was not seen:\n%s", text)
	}
	run, _ := byhand.Dig(failed, "result", "_meta", failureKey, "run_id").(string)
	if res := w.Call("resume_run", byhand.Object{"run_id": run, "decision": "skip"}); byhand.IsError(res) {
		t.Errorf("the decision: %s", byhand.Said(res))
	}
	if text := byhand.Said(w.Call("execute_sequence", byhand.Object{"steps": []any{look}})); strings.Contains(text, "decision") {
		t.Errorf("a look that found nothing:\n%s", text)
	}
}

func TestAFailureNamesTheAlertThatIsOpen(t *testing.T) {
	step := func(tool, expect string, args byhand.Object) byhand.Object {
		s := byhand.Object{"tool_name": tool, "arguments": args, "timeout": "300ms"}
		if expect != "" {
			s["expect"] = expect
		}
		return byhand.Object{"steps": []any{s}}
	}
	for _, c := range []struct {
		say string
		doc byhand.Object
	}{
		{"of a step that expects something else", step("press_key", "exists('role:label && name:67')", byhand.Object{"key": "Return"})},
		{"of a step that looks in another application", step("wait_for_element", "", byhand.Object{"process": "editor", "selector": "role:text", "timeout_ms": 10})},
		{"of a step that types", step("type_into_element", "", byhand.Object{"process": "notes", "selector": "role:frame >> role:spinbutton", "text_to_type": "x", "timeout_ms": 10})},
	} {
		st := newStage(t)
		st.engine.Probe = func(func(context.Context) (*desktop.Desktop, error), string, []string) expression.Probe {
			return nowhere{}
		}
		st.desk.Open(fake.Dialog("Error", "calc", fake.Label("Division by zero; see the log"), fake.Button("OK")))
		res := st.connect("2025-11-25", byhand.Object{}).Call("execute_sequence", c.doc)
		text, want := byhand.Said(res), `a dialog is open: dialog "Error" ("Division by zero; see the log") with the buttons "OK"`
		if strings.Contains(text, "log is no tool here") {
			t.Errorf("the failure %s takes the words of a dialog for the name of a kind:\n%s", c.say, text)
		}
		if !byhand.IsError(res) || strings.Count(text, want) != 1 {
			t.Errorf("the failure %s names no dialog, or more than once:\n%s", c.say, text)
		}
	}
}

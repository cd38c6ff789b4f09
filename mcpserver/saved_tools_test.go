package mcpserver

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/access"
	"understudy/internal/testing/byhand"
	"understudy/internal/testing/scratch"
	"understudy/internal/words"
	"understudy/steps"
)

// savedReport is a workflow that has each sort of input.
const savedReport = `
description: Write the report of a month.
variables:
  month: {type: enum, options: [May, June], label: Month}
  copies: {type: number, default: 1}
  password: {type: string, secret: true}
steps:
  - {tool_name: %s}
output: "inputs.month + ' ' + string(inputs.copies)"
`

// listedTools returns the tools that a client is shown, by their names.
func listedTools(w *wire) map[string]byhand.Object {
	all := map[string]byhand.Object{}
	list, _ := byhand.Dig(w.Ask("tools/list", byhand.Object{}), "result", "tools").([]any)
	for _, one := range list {
		all[byhand.Dig(one, "name").(string)] = one.(byhand.Object)
	}
	return all
}

func withSaved(patterns ...string) func(*Options) {
	return func(o *Options) { o.WorkflowTools = patterns }
}

func TestASavedWorkflowIsATool(t *testing.T) {
	st := newStage(t, withSaved("re*"))
	st.save("report", fmt.Sprintf(savedReport, "delay, arguments: {delay_ms: 1}"))
	st.save("other", "steps: [{tool_name: delay, arguments: {delay_ms: 1}}]")
	w := st.connect("2025-11-25", byhand.Object{})
	all := listedTools(w)
	if all["workflow_other"] != nil {
		t.Error("a workflow that no pattern matches has a tool")
	}
	want := byhand.Object{
		"type": "object", "required": []any{"month"},
		"properties": byhand.Object{
			"month":  byhand.Object{"type": "string", "enum": []any{"May", "June"}, "title": "Month"},
			"copies": byhand.Object{"type": "number", "default": 1.0},
		},
	}
	got := all["workflow_report"]
	if diff := cmp.Diff(any(want), got["inputSchema"]); diff != "" {
		t.Errorf("the inputs, without the secret: -want +got\n%s", diff)
	}
	if got["title"] != "report" || got["description"] != "Write the report of a month." || byhand.Dig(got, "execution", "taskSupport") != "optional" {
		t.Errorf("%v", got)
	}
}

func TestACallOfASavedWorkflowRunsIt(t *testing.T) {
	st := newStage(t, withSaved("*"))
	st.save("sum", "variables: {n: {type: number}, queue: {type: boolean, default: false}}\nsteps: [{tool_name: delay, arguments: {delay_ms: 1}}]\noutput: inputs.n + 1")
	w := st.connect("2025-11-25", byhand.Object{})
	for _, c := range []struct {
		say  string
		args byhand.Object
		want string
	}{
		{"with its inputs", byhand.Object{"n": 4}, "output 5"},
		{"with an input that does not fit", byhand.Object{"n": "four"}, "the input n does not fit: wanted number"},
		{"without one that it needs", byhand.Object{}, "needs inputs that were not given: [n]"},
	} {
		if text := byhand.Said(w.Call("workflow_sum", c.args)); !strings.Contains(text, c.want) {
			t.Errorf("%s, wanted %q:\n%s", c.say, c.want, text)
		}
	}
	if text := byhand.Said(w.Call("workflow_sun", byhand.Object{})); !strings.Contains(text, "did you mean") {
		t.Errorf("one that is not there: %s", text)
	}
	if tool := st.tools.admitted("workflow_sum"); tool == nil || !tool.Acts([]byte(`{"queue": true}`)) {
		t.Error("an input that is called queue lets a call act without a place")
	}
}

func TestTheRiskOfASavedWorkflowIsThatOfItsSteps(t *testing.T) {
	st := newStage(t, withSaved("*"), func(o *Options) { o.Policy.Toolsets = []steps.Toolset{access.All} })
	for kind, want := range map[string]byhand.Object{
		"wait_for_element": {"readOnlyHint": true, "openWorldHint": false},
		"press_key":        {"readOnlyHint": false, "destructiveHint": false, "openWorldHint": false},
		"run_command":      {"readOnlyHint": false, "destructiveHint": true, "openWorldHint": true},
	} {
		args := map[string]string{"wait_for_element": "{selector: 'role:button'}", "press_key": "{key: Return}", "run_command": "{command: 'true'}"}[kind]
		st.save("inner", "steps: [{tool_name: "+kind+", arguments: "+args+"}]")
		st.save("outer", "steps: [{workflow: inner}]")
		w := st.connect("2025-11-25", byhand.Object{})
		for _, name := range []string{"workflow_inner", "workflow_outer"} {
			if diff := cmp.Diff(any(want), listedTools(w)[name]["annotations"]); diff != "" {
				t.Errorf("%s of %s: -want +got\n%s", name, kind, diff)
			}
		}
	}
}

func TestManySavedWorkflowsStayWithinTheirBudget(t *testing.T) {
	st := newStage(t, withSaved("*"))
	for i := range 100 {
		st.save(fmt.Sprintf("report%03d", i), fmt.Sprintf(savedReport, "delay, arguments: {delay_ms: 1}"))
	}
	all := listedTools(st.connect("2025-11-25", byhand.Object{}))
	size, n := 0, 0
	for name, tool := range all {
		if strings.HasPrefix(name, savedPrefix) {
			text, err := words.JSON(tool, "")
			if err != nil {
				t.Fatal(err)
			}
			size, n = size+len(text), n+1
		}
	}
	const execution = 60 // which the layer of tasks adds to each
	if size > mostSavedBytes+n*execution || n < 20 {
		t.Errorf("%d tools with %d bytes, want at most %d", n, size, mostSavedBytes)
	}
	if text, _ := all["list_workflows"]["description"].(string); !strings.HasSuffix(text, fmt.Sprintf(" %d have no tool of their own.", 100-n)) {
		t.Errorf("list_workflows says: %s", text)
	}
}

// TestSavedWorkflowsAreCompiledOnce holds that a list compiles nothing that it has
// compiled before, until a workflow is changed.
func TestSavedWorkflowsAreCompiledOnce(t *testing.T) {
	st := newStage(t, withSaved("*"))
	for i := range 10 {
		st.save(fmt.Sprint("report", i), fmt.Sprintf(savedReport, "delay, arguments: {delay_ms: 1}"))
	}
	w := st.connect("2025-11-25", byhand.Object{})
	for range 3 {
		if listedTools(w)["workflow_report9"] == nil {
			t.Fatal("it is not listed")
		}
	}
	if n := st.tools.saved.cache.compiled; n != 10 {
		t.Errorf("three lists compiled %d workflows, wanted 10", n)
	}
	st.save("report9", strings.ReplaceAll(fmt.Sprintf(savedReport, "delay, arguments: {delay_ms: 1}"), "of a month", "of a whole month"))
	if text := listedTools(w)["workflow_report9"]["description"]; text != "Write the report of a whole month." {
		t.Errorf("after a change it says %q", text)
	}
}

func TestClientsAreToldOfSavedWorkflows(t *testing.T) {
	st := newStage(t, withSaved("*"))
	w := st.connect("2025-11-25", byhand.Object{})
	w.Call("save_workflow", byhand.Object{"name": "new", "text": "steps: [{tool_name: delay, arguments: {delay_ms: 1}}]"})
	scratch.Until(t, "the client is told", func() bool { return len(w.Notices("notifications/tools/list_changed")) > 0 })
	if listedTools(w)["workflow_new"] == nil {
		t.Error("the new workflow has no tool")
	}
}

func TestAWorkflowOfAnotherClientIsNoInstruction(t *testing.T) {
	st := newStage(t, withSaved("*"))
	for name, owner := range map[string]string{"mine": "laptop", "persons": "", "others": "phone"} {
		st.save(name, "steps: [{tool_name: delay, arguments: {delay_ms: 1}}]")
		view := st.library.viewFor(access.Subject{Owner: owner})
		if err := view.writeOwner(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		say  string
		who  access.Subject
		want string
	}{
		{"the person at the machine sees none of a client", access.Subject{}, "persons"},
		{"a client sees its own and those of the person", access.Subject{Owner: "laptop"}, "mine persons"},
		{"even if it may see what others made", access.Subject{Owner: "laptop", All: true}, "mine persons"},
	} {
		var got []string
		for _, name := range []string{"mine", "others", "persons"} {
			if d, _ := st.tools.saved.declaration(name, st.library.stamp(), c.who); d != nil {
				got = append(got, name)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%s: %v, want %s", c.say, got, c.want)
		}
	}
}

package workflows

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/steps"
	"understudy/workflows/expression"
)

const reference = `
version: 1
name: invoice-entry
description: Types one invoice into the ledger.
variables:
  customer: {type: string, label: Customer, required: true, regex: '^[A-Z].+'}
  lines:    {type: array, default: []}
  password: {type: string, secret: true}
selectors:
  save: 'role:button && name:Save'
timeout: 10m
screenshots: around
steps:
  - id: open
    tool_name: open_application
    arguments: {app_name: mousepad}
    expect: exists('role:frame && name~:Untitled')
  - id: type_name
    tool_name: type_into_element
    arguments:
      selector: role:text
      text_to_type: "${{ inputs.customer }}"
    timeout: 5s
    retry: {attempts: 3, delay: 500ms, backoff: 2, max_delay: 10s, jitter: 0.1, on: [not_found, timeout]}
    fallback_id: recover
  - foreach: ${{ inputs.lines }}
    as: line
    steps:
      - {tool_name: type_text, arguments: {text: "${{ line.text }}\n"}}
  - id: check
    tool_name: validate_element
    arguments: {selector: "${{ selectors.save }}"}
    jumps:
      - {if: "!check_result.exists", to_id: done, reason: nothing to save}
  - group_name: save
    skippable: true
    if: check_status == 'success'
    steps:
      - {tool_name: click_element, arguments: {selector: "${{ selectors.save }}"}}
  - id: done
    tool_name: capture_screenshot
troubleshooting:
  - id: recover
    tool_name: press_key_global
    arguments: {key: Escape}
    jumps: [{if: "true", to_id: type_name}]
finally:
  - {tool_name: close_window, arguments: {title: Untitled}}
output:
  saved: check_result.exists
`

func TestTheReferenceDocument(t *testing.T) {
	p := compile(t, reference)
	var paths []string
	p.Walk(func(n *Node) { paths = append(paths, string(n.Type)+" "+n.Path) })
	want := []string{
		"step 0", "step 1", "foreach 2", "step 2.0", "step 3", "group 4", "step 4.0", "step 5", "step troubleshooting.0", "step finally.0",
	}
	if diff := cmp.Diff(want, paths); diff != "" {
		t.Errorf("nodes (-want +got):\n%s", diff)
	}
	n, ok := p.Node("type_name")
	if !ok {
		t.Fatal("type_name is not there")
	}
	retry := Retry{
		Attempts: 3, Delay: 500 * time.Millisecond, Backoff: 2, MaxDelay: 10 * time.Second, Jitter: .1,
		On: []steps.Code{steps.NotFound, steps.Timeout},
	}
	if diff := cmp.Diff(retry, n.Retry); diff != "" {
		t.Errorf("retry (-want +got):\n%s", diff)
	}
	if n.Timeout != 5*time.Second || n.Fallback != "recover" || n.Line != 18 || n.Kind.Name != "type_into_element" {
		t.Errorf("the node is %+v", n)
	}
	options := Options{
		StopOnError: true, Timeout: 10 * time.Minute, Screenshots: Around, FollowFallback: true,
		Verbosity: Usual, MaxSteps: 1000, Durability: Always,
	}
	if diff := cmp.Diff(options, p.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	group := p.Steps[4]
	if !group.ContinueOnError || group.If == nil || group.GroupName != "save" {
		t.Errorf("the group is %+v", group)
	}
	if open, _ := p.Node("open"); !open.Expect.Looks() {
		t.Error("exists() does not look")
	}
}

func TestEverySettingReachesTheProgram(t *testing.T) {
	p := compile(t, `
continue: true
max_steps: 7
durability: interval
on_lost_desktop: restart
on_disconnect: continue
start_from_step: a
end_at_step: a
execute_jumps_at_end: true
include_detailed_results: false
verbosity: quiet
workflow_id: w
trace_id: t
execution_id: e
scripts_base_path: s
skip_preflight_check: true
maximize_target: true
steps:
  - {id: a, tool_name: log, arguments: {message: x}, retries: 2, delay: 1s, idempotent: true, on_interrupt: skip, screenshots: none, expected_ui_changes: [x]}
  - {while: "env.x < 3", steps: []}
`)
	want := Options{
		StopOnError: false, StartFrom: "a", EndAt: "a", JumpsAtEnd: true, Verbosity: Quiet, WorkflowID: "w", TraceID: "t",
		ExecutionID: "e", MaxSteps: 7, Durability: Interval, OnLostDesktop: RestartWithoutDesktop, OnDisconnect: "continue", ScriptsBasePath: "s",
		WindowManagement: map[string]any{"maximize_target": true}, InputsAreOpen: true,
	}
	if diff := cmp.Diff(want, p.Options); diff != "" {
		t.Errorf("options (-want +got):\n%s", diff)
	}
	a := p.Steps[0]
	if a.Retry.Attempts != 3 || a.Retry.Delay != 500*time.Millisecond || a.Retry.Backoff != 1 || a.Delay != time.Second ||
		!a.Idempotent || a.OnInterrupt != Skip || a.Screenshots != NoPicture || a.Note != `["x"]` {
		t.Errorf("the step is %+v", a)
	}
	if w := p.Steps[1]; w.Max != defaultRounds || w.While == nil {
		t.Errorf("the loop is %+v", w)
	}
}

func TestWindowOptionsOfTheDocumentReachItsSteps(t *testing.T) {
	p := compile(t, `
version: 1
bring_to_front: false
highlight_before_action: true
restore_focus: true
steps:
  - {tool_name: click_element, arguments: {selector: "name:${{ env.x }}"}}
  - {tool_name: click_element, arguments: {selector: "name:OK", bring_to_front: true}}
  - {tool_name: stop_highlighting}
  - {tool_name: log, arguments: {message: x}}
`)
	if !p.Options.RestoreFocus {
		t.Error("restore_focus is about the whole run, and was lost")
	}
	scope := &expression.Scope{Env: map[string]any{"x": "OK"}}
	for i, want := range []map[string]any{
		{"selector": "name:OK", "bring_to_front": false, "highlight_before_action": true},
		{"selector": "name:OK", "bring_to_front": true, "highlight_before_action": true},
		{},
		{"message": "x"},
	} {
		got, err := p.Steps[i].Args.Eval(t.Context(), scope, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(any(want), got); diff != "" {
			t.Errorf("the arguments of step %d (-want +got):\n%s", i, diff)
		}
	}
}

// TestTheValuesOfATemplateAreBounded holds that many large values of one step are refused,
// each of which would be allowed alone.
func TestTheValuesOfATemplateAreBounded(t *testing.T) {
	p := compile(t, `
variables: {s: {type: string}}
steps:
  - {id: four, tool_name: log, arguments: {message: x, data: {a: "${{ s }}", b: ["${{ [s] }}", "${{ s }}", "${{ s }}"]}}}
  - {id: five, tool_name: log, arguments: {message: x, data: {a: "${{ s }}", b: ["${{ [s] }}", "${{ s }}", "${{ {x: s} }}"], c: "${{ s }}"}}}
`)
	scope := &expression.Scope{Inputs: map[string]any{"s": strings.Repeat("x", 8_000_000)}}
	for id, want := range map[string]bool{"four": true, "five": false} {
		n, _ := p.Node(id)
		if _, err := n.Args.Eval(t.Context(), scope, nil); (err == nil) != want || err != nil && !strings.Contains(err.Error(), "32 MiB together") {
			t.Errorf("%s: %v", id, err)
		}
	}
}

func TestTemplates(t *testing.T) {
	p := compile(t, `
variables: {n: {type: number}, s: {type: string}, b: {type: boolean}, list: {type: array}}
steps:
  - {id: text, tool_name: log, arguments: {message: "${{ n }}", data: {a: "${{ n }}", b: ["x ${{ s }}", "{{ list }}"]}}}
  - {id: number, tool_name: delay, arguments: {delay_ms: "${{ s }}"}}
  - {id: infinite, tool_name: delay, arguments: {delay_ms: "${{ 'inf' }}"}}
  - {id: not a number, tool_name: delay, arguments: {delay_ms: "${{ 'NaN' }}"}}
  - {id: boolean, tool_name: type_into_element, arguments: {selector: "role:text", text_to_type: "${{ b }}", clear_before_typing: "${{ 'true' }}"}}
  - {id: fixed, tool_name: log, arguments: {message: x, data: {a: [1]}}}
  - {id: condition, tool_name: assert, arguments: {condition: n > 1, message: "$${{ no }}"}}
  - {id: looks, tool_name: log, arguments: {message: "${{ text('role:text') }}"}}
  - {id: each, foreach: list, steps: []}
`)
	scope := &expression.Scope{Inputs: map[string]any{"n": 2.5, "s": "20", "b": true, "list": []any{1.0}}}
	for id, want := range map[string]any{
		"text":         map[string]any{"message": "2.5", "data": map[string]any{"a": 2.5, "b": []any{"x 20", []any{1.0}}}},
		"number":       map[string]any{"delay_ms": 20.0},
		"infinite":     map[string]any{"delay_ms": "inf"}, // which JSON, and so an event, cannot hold
		"not a number": map[string]any{"delay_ms": "NaN"},
		"boolean":      map[string]any{"selector": "role:text", "text_to_type": "true", "clear_before_typing": true},
		"fixed":        map[string]any{"message": "x", "data": map[string]any{"a": []any{1.0}}},
		"condition":    map[string]any{"condition": true, "message": "${{ no }}"},
		"each":         []any{1.0},
	} {
		n, _ := p.Node(id)
		template := n.Args
		if n.Type == ForeachNode {
			template = n.Each
		}
		got, err := template.Eval(t.Context(), scope, nil)
		if err != nil {
			t.Errorf("%s: %v", id, err)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", id, diff)
		}
		if _, constant := template.Constant(); constant != (id == "fixed") {
			t.Errorf("%s: constant is %t", id, constant)
		}
	}
	if n, _ := p.Node("looks"); !n.Args.Looks() {
		t.Error("text() does not look")
	}
	n, _ := p.Node("number")
	if _, err := n.Args.Eval(t.Context(), &expression.Scope{}, nil); err == nil || err.Error()[:9] != "delay_ms:" {
		t.Errorf("a missing value gave %v", err)
	}
}

package expression

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
)

// afterScript is a place in a document that declares no inputs, behind a script that
// holds the word counter.
func afterScript() *Names {
	return &Names{
		OpenInputs: true, OpenSet: true, Set: map[string]bool{"counter": true},
		Steps: map[string]*jsonschema.Schema{"check": {Type: "object", Properties: map[string]*jsonschema.Schema{"exists": {Type: "boolean"}}}, "act": {}, "js": nil},
	}
}

func TestNamesOfValues(t *testing.T) {
	scope := &Scope{
		Inputs: map[string]any{"who": "Ada", "changed": "old"},
		Env:    map[string]any{"who": "Ada", "changed": "new", "flag": true},
		Steps:  map[string]StepScope{"check": {Status: "success", Result: map[string]any{"exists": false}}, "act": {Status: "error"}, "js": {Status: "success", Result: map[string]any{"exit_code": 0.0, "result": map[string]any{"n": 7.0, "exit_code": 9.0}}}},
	}
	for _, r := range []struct {
		sentence, text string
		want           any
		unset          string // the name that the evaluation misses
	}{
		{"an input by its own name", "who == 'Ada'", true, ""},
		{"what a script returned, by its own name", "flag", true, ""},
		{"what was set last counts, not the input", "changed", "new", ""},
		{"a name that a script sets later has no value yet", "counter == 3", false, ""},
		{"a counter that was not set yet is less than its limit", "counter < 3", true, ""},
		{"a name that nothing sets is no false", "logged_in == true", nil, "logged_in"},
		{"nor is its opposite", "!logged_in", nil, "logged_in"},
		{"unless the expression allows for it by ??", "logged_in ?? false", false, ""},
		{"by coalesce", "coalesce(logged_in, 'no')", "no", ""},
		{"or by nil", "logged_in == nil", true, ""},
		{"what is behind a false && is not looked at", "false && logged_in", false, ""},
		{"the status of a check that found nothing is failed", "check_status == 'failed'", true, ""},
		{"and is no success", "check_status == 'success'", false, ""},
		{"the same by steps", "steps.check.status", "failed", ""},
		{"an error is failed too, where documents ask for that", "act_status == 'failed'", true, ""},
		{"the inputs by env.inputs", "env.inputs.who", "Ada", ""},
		{"what a script returned, by its result", "js_result.n", 7.0, ""},
		{"where a field of the result itself counts first", "js_result.exit_code", 0.0, ""},
		{"and executed_with_error", "act_status == 'executed_with_error'", true, ""},
	} {
		t.Run(r.sentence, func(t *testing.T) {
			got, err := mustCompile(t, r.text, afterScript()).Eval(t.Context(), scope, nil)
			unset, _ := errors.AsType[*UnsetError](err)
			switch {
			case r.unset != "" && (unset == nil || unset.Name != r.unset):
				t.Errorf("%s: got %v, %v; want that %s is unset", r.text, got, err, r.unset)
			case r.unset == "" && (err != nil || got != r.want):
				t.Errorf("%s: got %v, %v; want %v", r.text, got, err, r.want)
			}
		})
	}
}

func TestDoubts(t *testing.T) {
	for _, r := range []struct{ sentence, text, want string }{
		{"a name that nothing sets", "countr == 3", "nothing in this document sets countr: unless a run is given it, or a script sets it, the step fails (did you mean counter?)"},
		{"one that is allowed for", "other ?? false", ""},
		{"a status that none is", "act_status == 'done'", `this never holds: no status is "done" (a status is success, error, skipped or cancelled; that of validate_element is success or failed)`},
		{"a status that is one", "act_status == 'skipped'", ""},
	} {
		t.Run(r.sentence, func(t *testing.T) {
			var said []string
			for _, d := range mustCompile(t, r.text, afterScript()).Doubts() {
				said = append(said, d.Message+" ("+d.Hint+")")
			}
			if got := strings.Join(said, "\n"); got != r.want {
				t.Errorf("got %q, want %q", got, r.want)
			}
		})
	}
}

func TestNamesOfClosedDocuments(t *testing.T) {
	names := &Names{Inputs: map[string]*jsonschema.Schema{"customer": {Type: "string"}}}
	if _, problems := Compile("custmer == 'x'", names); len(problems) != 1 || !strings.Contains(problems[0].Hint, "customer") {
		t.Errorf("a misspelt input: got %v", problems)
	}
	names.OpenSet = true
	if _, problems := Compile("custmer == 'x'", names); len(problems) != 1 {
		t.Errorf("a misspelt input, beside a script: got %v", problems)
	}
	if _, problems := Compile("total == 3", names); len(problems) != 0 {
		t.Errorf("a name that a script may compute: got %v", problems[0])
	}
}

func TestBracesOfScripts(t *testing.T) {
	names := afterScript()
	names.Braces = true
	for text, want := range map[string]any{
		`a = '{{' + 'x' + '}}'; b = {{ who }}`: `a = '{{' + 'x' + '}}'; b = Ada`,
		"f({{a: 1}})":                          "f({{a: 1}})", "if (x) {{ y": "if (x) {{ y", "${{ who }}": "Ada",
	} {
		x, problems := CompileText(text, names)
		if len(problems) > 0 {
			t.Errorf("%s: %s", text, problems[0].Message)
			continue
		}
		got, err := x.Eval(t.Context(), &Scope{Inputs: map[string]any{"who": "Ada"}}, nil)
		if err != nil || got != want {
			t.Errorf("%s: got %v, %v; want %v", text, got, err, want)
		}
	}
}

func TestValues(t *testing.T) {
	s := &Scope{
		Inputs: map[string]any{"who": "Ada", "n": 1.0}, Env: map[string]any{"n": 2.0}, Selectors: map[string]any{"save": "name:Save"},
		Steps: map[string]StepScope{"a": {Status: "success", Result: map[string]any{"x": 1.0}}},
		Loops: []LoopScope{{As: "row", Value: "r", Index: 3}},
	}
	want := map[string]any{
		"selectors": map[string]any{"save": "name:Save"}, "who": "Ada", "n": 2.0,
		"a_status": "success", "a_result": map[string]any{"x": 1.0}, "row": "r", "index": 3.0,
	}
	if diff := cmp.Diff(want, s.Values()); diff != "" {
		t.Error(diff)
	}
}

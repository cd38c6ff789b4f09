package compile

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/steps"
	"understudy/steps/kinds"
	"understudy/workflows"
	"understudy/workflows/expression"
)

// call is a call of a kind, with what it said of its element.
func call(t *testing.T, kind string, args map[string]any, element map[string]any) Call {
	t.Helper()
	k, ok := steps.Find(kinds.All(), kind)
	if !ok {
		t.Fatalf("there is no kind %s", kind)
	}
	c := Call{Kind: k, Args: args}
	if element != nil {
		c.Result = map[string]any{"element": element}
	}
	return c
}

func TestCallsBecomeAWorkflow(t *testing.T) {
	named := func(role, name string) map[string]any {
		return map[string]any{"role": role, "name": name, "process": "ledger", "window_title": "Ledger"}
	}
	calls := []Call{
		call(t, "open_application", map[string]any{"app_name": "ledger"}, nil),
		call(t, "get_window_tree", map[string]any{"process": "ledger"}, nil),
		call(t, "type_into_element", map[string]any{"ref": "e4", "text_to_type": "Ada & Co", "ui_diff_before_after": true}, named("entry", "Name")),
		call(t, "type_into_element", map[string]any{"ref": "e5", "text_to_type": map[string]any{"$secret": "code"}}, named("password", "Code")),
		call(t, "type_into_element", map[string]any{"process": "ledger", "selector": "role:entry && name:Note", "text_to_type": map[string]any{"$join": []any{"pin ", map[string]any{"$secret": "code"}}}}, named("entry", "Note")),
		call(t, "type_into_element", map[string]any{"selector": "role:password && name:Again", "text_to_type": map[string]any{"$secret": "computed typed text ABCDEFGH"}}, named("password", "Again")),
		call(t, "select_option", map[string]any{"ref": "e6", "option_name": "Iceland"}, map[string]any{"role": "combobox", "label": "Country:", "process": "ledger"}),
		call(t, "click_element", map[string]any{"ref": "e7", "include_tree_after_action": true}, map[string]any{"role": "button", "id": "send", "name": "Send now", "process": "ledger"}),
		call(t, "wait_for_element", map[string]any{"process": "ledger", "selector": "role:label && name:Thank you"}, named("label", "Thank you")),
		call(t, "click_element", map[string]any{"x": 10.0, "y": 20.0}, nil),
		call(t, "click_element", map[string]any{"ref": "e9"}, nil),
		call(t, "type_text", map[string]any{"text": "{{ no template }}"}, nil),
	}
	text, notes, err := Calls(calls, Options{Kinds: kinds.All(), Name: "calls"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := workflows.Compile(workflows.Source{Name: "calls", Text: text}, workflows.CompileOptions{Kinds: kinds.All()}); err != nil {
		t.Errorf("%v\n%s", err, text)
	}
	path := filepath.Join("testdata", "calls.yaml")
	if *update {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(text)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if len(notes) == 0 || strings.Contains(string(text), "ref:") {
		t.Errorf("a ref was kept, or nothing is said to be uncertain: %v", notes)
	}
}

// TestSecretsOfCallsKeepTheirNames has a text typed into what is called like a secret, and parts
// of a secret in other texts.
func TestSecretsOfCallsKeepTheirNames(t *testing.T) {
	secret := func(name string) map[string]any { return map[string]any{"$secret": name} }
	text, _, err := Calls([]Call{
		call(t, "type_into_element", map[string]any{"selector": "role:entry && name:Code", "text_to_type": "hello"}, map[string]any{"role": "entry", "name": "Code"}),
		call(t, "type_into_element", map[string]any{"selector": "role:password", "text_to_type": secret("code")}, map[string]any{"role": "password"}),
		call(t, "type_text", map[string]any{"text": map[string]any{"$join": []any{"$", secret("code, line 1"), "{"}}}, nil),
		call(t, "type_text", map[string]any{"text": secret("my-key")}, nil),
	}, Options{Name: "calls"})
	if err != nil {
		t.Fatal(err)
	}
	all, _ := argumentsOf(t, text, &expression.Scope{Inputs: map[string]any{"code_2": "hello", "code": "s3cret", "code_line_1": "s3c", "my-key": "k3y"}})
	for step, want := range map[string]string{"type_into_code": "hello", "type_into_password": "s3cret", "type_text": "$s3c{", "type_text_2": "k3y"} {
		got, ok := all[step]["text_to_type"]
		if !ok {
			got = all[step]["text"]
		}
		if got != want {
			t.Errorf("%s types %q, want %q\n%s", step, got, want, text)
		}
	}
}

// answered is a call with all that its answer told.
func answered(t *testing.T, kind string, args, result map[string]any) Call {
	t.Helper()
	c := call(t, kind, args, nil)
	c.Result = result
	return c
}

// TestCallsKeepWhatTheirAnswersTold makes a workflow of calls by ref, whose answers gave
// selectors and told of windows.
func TestCallsKeepWhatTheirAnswersTold(t *testing.T) {
	unnamed := map[string]any{"role": "text", "process": "gedit", "window_title": "Find and Replace"}
	button := map[string]any{"role": "button", "name": "Replace All", "process": "gedit"}
	text, notes, err := Calls([]Call{
		answered(t, "open_application", map[string]any{"app_name": "gedit /tmp/notes.txt"}, map[string]any{"window": map[string]any{"title": "notes.txt (/tmp) - gedit", "process": "gedit"}}),
		answered(t, "press_key", map[string]any{"process": "gedit", "key": "ctrl+h"}, map[string]any{"happened": "opened: window \"Find and Replace\" of gedit\n  - dialog \"Find\"\nopened: window \"Mail\" of mailer\nopened: popup \"List\" of gedit"}),
		answered(t, "type_into_element", map[string]any{"ref": "e3", "text_to_type": "foo{Tab}{Enter}"}, map[string]any{"element": unnamed, "selector": "role:text && name:Find"}),
		answered(t, "type_into_element", map[string]any{"ref": "e4", "text_to_type": "bar"}, map[string]any{"element": unnamed, "selector": "process:gedit && window:Find and Replace >> role:text && rightof:(role:label && name:\"Replace with:\")"}),
		answered(t, "click_element", map[string]any{"ref": "e5"}, map[string]any{"element": button, "selector": "role:button && name:Replace All", "happened": "closed: window \"Find and Replace\" of gedit\nactive now: window \"notes.txt (/tmp) - gedit\" of gedit"}),
		answered(t, "close_window", map[string]any{"process": "gedit"}, map[string]any{"window": map[string]any{"title": "*notes.txt (/tmp) - gedit", "process": "gedit"}, "checked": "yes"}),
		answered(t, "close_window", map[string]any{"process": "gedit", "title": "Print"}, map[string]any{"window": map[string]any{"title": "Print", "process": "gedit"}, "checked": "yes"}),
		answered(t, "close_window", map[string]any{"process": "gedit", "title": "Help"}, map[string]any{"window": map[string]any{"title": "Help", "process": "gedit"}, "checked": "no"}),
	}, Options{Name: "calls"})
	if err != nil || len(notes) > 0 {
		t.Errorf("%v, %v", err, notes)
	}
	p, err := workflows.Compile(workflows.Source{Name: "calls", Text: text}, workflows.CompileOptions{Kinds: kinds.All()})
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	var inputs []string
	for _, v := range p.Variables {
		inputs = append(inputs, fmt.Sprint(v.Name, "=", v.Default))
	}
	if diff := cmp.Diff([]string{"find=foo", "replace_with=bar"}, inputs); diff != "" {
		t.Errorf("the inputs: -want +got:\n%s", diff)
	}
	for _, want := range []string{
		"selector: role:text && name:Find\n", "text_to_type: ${{ inputs.find }}{Tab}{Enter}\n",
		"selector: process:gedit && window:Find and Replace >> role:text && rightof:(role:label && name:\"Replace with:\")\n",
		"expect: exists('process:gedit && window:Find and Replace')\n", "expect: \"!exists('process:gedit && window:Find and Replace')\"\n", "expect: \"!exists('process:gedit && window:Print')\"\n",
	} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is missing", want)
		}
	}
	if strings.Count(string(text), "expect:") != 3 { // none of the file, of another program, of a popup or of what did not close
		t.Error("something else is expected")
	}
	if t.Failed() {
		t.Logf("%s", text)
	}
}

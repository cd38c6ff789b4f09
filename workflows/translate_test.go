package workflows

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/steps/kinds"
	"understudy/workflows/dialect"
)

// TestCanonical holds what becomes of the spellings of other programs.
func TestCanonical(t *testing.T) {
	for _, c := range []struct{ say, was, now, note string }{
		{
			"the prefix of a client goes", "steps: [{tool_name: mcp_terminator-mcp-agent_delay, arguments: {delay_ms: 1}}]",
			"steps: [{tool_name: delay, arguments: {delay_ms: 1}}]", "mcp_terminator-mcp-agent_delay is written delay here",
		},
		{
			"also around the document", "{tool_name: mcp_terminator-mcp-agent_execute_sequence, arguments: {steps: [{tool_name: delay, arguments: {delay_ms: 1}}]}}",
			"{tool_name: execute_sequence, arguments: {version: 1, steps: [{tool_name: delay, arguments: {delay_ms: 1}}]}}", "is written execute_sequence here",
		},
		{"a tool that was dropped has its successor", "steps: [{tool_name: get_focused_window_tree}]", "steps: [{tool_name: get_window_tree}]", "get_focused_window_tree is written get_window_tree here"},
		{"with its arguments", "steps: [{tool_name: wait, arguments: {ms: 5}}]", "steps: [{tool_name: delay, arguments: {delay_ms: 5}}]", "ms is written delay_ms here"},
		{"and those that come with it", "steps: [{tool_name: run_javascript, arguments: {script: return 1}}]", "steps: [{tool_name: run_command, arguments: {engine: javascript, run: return 1}}]", "run_javascript is written run_command here"},
		{"kinds that differed by a word are one", "steps: [{tool_name: key_down, arguments: {key: a}}, {tool_name: mouse_up}, {tool_name: minimize_window, arguments: {title: x}}]", "steps: [{tool_name: hold_key, arguments: {do: down, key: a}}, {tool_name: hold_button, arguments: {do: up}}, {tool_name: change_window, arguments: {do: minimize, title: x}}]", "minimize_window is written change_window here"},
		{"a number of the tree is a ref", "steps: [{tool_name: click_element, arguments: {index: 12}}]", "steps: [{tool_name: click_element, arguments: {target: e12}}]", "index is written ref here"},
		{"what has no effect goes, from every kind", "steps: [{tool_name: delay, arguments: {delay_ms: 1, include_monitor_screenshots: true, bring_to_front: true}}]", "steps: [{tool_name: delay, arguments: {delay_ms: 1}}]", "include_monitor_screenshots has no effect here"},
		{"a kind keeps an argument of its own", "steps: [{tool_name: capture_screenshot, arguments: {max_dimension: 800}}]", "steps: [{tool_name: capture_screenshot, arguments: {max_dimension: 800}}]", ""},
		{"an object that only switches something on is a boolean", "steps: [{tool_name: click_element, arguments: {selector: 'id:a', highlight_before_action: {enabled: false, color: 65280}}}]", "steps: [{tool_name: click_element, arguments: {target: 'id:a', windows: {highlight: false}}}]", "highlight_before_action is written as true or false here"},
		{"a browser has one way to be named", "steps: [{tool_name: execute_browser_script, arguments: {selector: 'role:Window', script: return 1}}]", "steps: [{tool_name: execute_browser_script, arguments: {script: return 1}}]", "selector has no effect here"},
		{"the first of a result is the result", "steps: [{id: a, tool_name: delay, arguments: {delay_ms: 1}}, {tool_name: log, if: 'a_result[0].delayed_ms == 1', arguments: {message: '{{ a_result[0].delayed_ms }}'}}]", "steps: [{id: a, tool_name: delay, arguments: {delay_ms: 1}}, {tool_name: log, if: a_result.delayed_ms == 1, arguments: {message: '{{ a_result.delayed_ms }}'}}]", "[0] after the result of a step is left out"},
		{"an engine has one word", "steps: [{tool_name: run_command, arguments: {engine: bun, run: return 1}}]", "steps: [{tool_name: run_command, arguments: {engine: javascript, run: return 1}}]", "bun is written javascript here"},
		{"a role that is several here names them", "steps: [{tool_name: click_element, if: \"exists('role:Window|name:Ask')\", arguments: {selector: 'role:Text && id:a', window_selector: 'role:window'}}]", "steps: [{tool_name: click_element, arguments: {target: {window: (role:frame || role:dialog), selector: (role:label || role:text) && id:a}}, if: \"exists('(role:frame || role:dialog)|name?:Ask')\"}]", "a role is written as several here"},
		{"a shell that is an engine is one", "steps: [{tool_name: run_command, arguments: {shell: python, run: return 1}}]", "steps: [{tool_name: run_command, arguments: {engine: python, run: return 1}}]", "shell: python is written engine: python here"},
		{"notes for people go, comments stay", "# why\nsteps:\n  - name: First\n    description: It waits.\n    tool_name: delay\n    arguments: {delay_ms: 1}\n", "# why\nsteps:\n  - tool_name: delay\n    arguments: {delay_ms: 1}\n", "name has no effect here"},
		{
			"long units of time", "steps: [{tool_name: delay, delay: 0.5minutes, timeout: 10 seconds, arguments: {duration: 250milliseconds}}]",
			"steps: [{tool_name: delay, arguments: {duration: 250ms}, timeout: 10s, delay: 0.5m}]", "0.5minutes is written 0.5m here",
		},
		{"delay counts before delay_ms", "steps: [{tool_name: log, arguments: {message: x}, delay: 1s, delay_ms: 2}]", "steps: [{tool_name: log, arguments: {message: x}, delay: 1s}]", "delay is also given"},
		{"a version of its own is a note", "version: 1.0.0\nsteps: [{tool_name: stop_highlighting}]", "steps: [{tool_name: stop_highlighting}]", `version "1.0.0" has no effect`},
		{"so is a schedule, which says where it belongs", "cron: '0 * * * *'\nsteps: [{tool_name: stop_highlighting}]", "steps: [{tool_name: stop_highlighting}]", "understudy schedule add NAME --cron"},
		{
			"a document that relies on what is allowed to others gets no version", "steps: [{id: a, tool_name: delay, arguments: {delay_ms: 1}}, {if: a_result.nothing, tool_name: stop_highlighting}]",
			"steps: [{id: a, tool_name: delay, arguments: {delay_ms: 1}}, {tool_name: stop_highlighting, if: a_result.nothing}]", "",
		},
		{"a document of ours stays as it is", "version: 1\nsteps: [{id: a, tool_name: click_element, arguments: {target: 'name:Save'}}]", "version: 1\nsteps: [{id: a, tool_name: click_element, arguments: {target: 'name:Save'}}]", ""},
		{
			"arguments stand in their groups", "# why\nversion: 1\nsteps:\n  - tool_name: click_element\n    arguments:\n      process: mousepad # where\n      selector: name:Save\n      alternative_selectors: [role:button]\n      bring_to_front: false\n",
			"version: 1\nsteps: [{tool_name: click_element, arguments: {target: {process: mousepad, selector: ['name:Save', 'role:button']}, windows: {front: false}}}]", "process is written target.process here",
		},
		{
			"the keys of a document that belong together stand together", "# why\nstart_from_step: a # here\nend_at_step: a\nworkflow_id: w\ntrace_id: t\nbring_to_front: false\nsteps: [{id: a, tool_name: stop_highlighting}]",
			"part: {from: a, to: a}\nids: {workflow: w, trace: t}\nwindows: {front: false}\nsteps: [{id: a, tool_name: stop_highlighting}]", "start_from_step is written part.from here",
		},
		{"they join those that stand together already", "version: 1\npart: {from: a}\nend_at_step: a\nsteps: [{id: a, tool_name: stop_highlighting}]", "version: 1\npart: {from: a, to: a}\nsteps: [{id: a, tool_name: stop_highlighting}]", "end_at_step is written part.to here"},
		{"a switch that was the inverse is turned round", "continue: true\nsteps: [{tool_name: stop_highlighting}]", "stop_on_error: false\nsteps: [{tool_name: stop_highlighting}]", "continue is written stop_on_error here"},
		{"results that nobody wants are a quiet answer", "include_detailed_results: false\nsteps: [{tool_name: stop_highlighting}]", "verbosity: quiet\nsteps: [{tool_name: stop_highlighting}]", "include_detailed_results is written verbosity here"},
		{"and those that come anyway are nothing", "include_detailed_results: true\nsteps: [{tool_name: stop_highlighting}]", "steps: [{tool_name: stop_highlighting}]", "it says the same as leaving it out"},
		{
			"keys of a step", "steps: [{group_name: g, skippable: true, steps: [{tool_name: stop_highlighting, delay_ms: 5, expected_ui_changes: none}]}]",
			"steps: [{group_name: g, continue_on_error: true, steps: [{tool_name: stop_highlighting, delay: 5, note: none}]}]", "skippable is written continue_on_error here",
		},
		{"a target beside a process stays", "version: 1\nsteps: [{tool_name: click_element, arguments: {process: mousepad, target: 'name:Save'}}]", "version: 1\nsteps: [{tool_name: click_element, arguments: {process: mousepad, target: 'name:Save'}}]", ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			text, notes, err := Canonical(Source{Text: []byte(c.was)}, options(nil))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(plainOf(t, c.now), withoutVersion(plainOf(t, string(text)), c.now)); diff != "" {
				t.Errorf("-want +got:\n%s\n%s", diff, text)
			}
			if strings.Contains(c.was, "#") && !strings.Contains(string(text), "# why") {
				t.Errorf("a comment is lost:\n%s", text)
			}
			said := func(p Problem) bool { return strings.Contains(p.Message, c.note) }
			if c.note == "" && len(notes) > 0 || c.note != "" && !slices.ContainsFunc(notes, said) {
				t.Errorf("wanted the note %q, found %v", c.note, notes)
			}
			again, notes, err := Canonical(Source{Text: text}, options(nil))
			if err != nil || len(notes) > 0 || string(again) != string(text) {
				t.Errorf("the canonical spelling has another: %v %v\n%s", err, notes, again)
			}
			for _, doc := range []string{c.was, string(text)} {
				if _, err := Compile(Source{Text: []byte(doc)}, CompileOptions{Kinds: kinds.All()}); err != nil {
					t.Errorf("the document does not load: %v\n%s", err, doc)
				}
			}
		})
	}
}

func plainOf(t *testing.T, text string) any {
	t.Helper()
	r := &report{}
	v := read(Source{Text: []byte(text)}, r)
	if v == nil {
		t.Fatal(r.err())
	}
	return v.plain()
}

// withoutVersion removes the version that each canonical document has, unless it is wanted.
func withoutVersion(v any, wanted string) any {
	if m, ok := v.(map[string]any); ok && !strings.Contains(wanted, "version") {
		delete(m, "version")
	}
	return v
}

// TestFindKind finds the kinds of stored calls.
func TestFindKind(t *testing.T) {
	for _, c := range []struct {
		name, now string
		args      map[string]any
	}{
		{"key_up", "hold_key", map[string]any{"do": "up", "key": "a"}},
		{"press_key", "press_key", map[string]any{"key": "a"}},
		{"sing", "", nil},
	} {
		k, args, ok := FindKind(kinds.All(), c.name, map[string]any{"key": "a"})
		if ok != (c.now != "") || ok && (k.Name != c.now || !cmp.Equal(args, c.args)) {
			t.Errorf("%s: got %s %v, want %s %v", c.name, k.Name, args, c.now, c.args)
		}
	}
}

func TestRefusedNamesSayTheWay(t *testing.T) {
	for _, row := range dialect.Rows() {
		if !row.Refused || row.Sort != dialect.Tool {
			continue
		}
		_, err := Compile(Source{Text: []byte("steps: [{tool_name: " + row.Name + "}]")}, CompileOptions{Kinds: kinds.All()})
		invalid, ok := errors.AsType[*InvalidError](err)
		if !ok || len(invalid.Problems) != 1 || invalid.Problems[0].Hint != row.Why {
			t.Errorf("%s: got %v, want the hint %q", row.Name, err, row.Why)
		}
	}
}

// TestRowsLead holds that each row leads from a name that is none of ours to one that is.
func TestRowsLead(t *testing.T) {
	known := map[string]bool{}
	for _, k := range kinds.All() {
		known[k.Name] = true
	}
	for _, row := range dialect.Rows() {
		switch {
		case row.Sort == dialect.Tool && known[row.Name]:
			t.Errorf("%s is a kind, and needs no row", row.Name)
		case row.Sort == dialect.Tool && row.Now != "" && !known[row.Now]:
			t.Errorf("%s becomes %s, which is no kind", row.Name, row.Now)
		case (row.Refused || row.Now == "") && row.Why == "":
			t.Errorf("%s: the row does not say why", row.Name)
		case row.Sort == dialect.Step && slices.Contains(keyNames(stepKeys), row.Name), row.Sort == dialect.Document && slices.Contains(keyNames(documentKeys), row.Name):
			t.Errorf("%s is a key of ours, and needs no row", row.Name)
		}
	}
}

func TestOutputParser(t *testing.T) {
	text, _, err := Canonical(Source{Text: []byte(`
steps:
  - {id: tree, tool_name: get_window_tree}
  - {tool_name: delay, arguments: {delay_ms: 1}}
output_parser: {ui_tree_source_step_id: tree, javascript_code: "return {n: tree.length, all: sequenceResult.results.length};"}
`)}, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"- id: parsed_output", "id: step_delay", "output: parsed_output_result.result", `r.step_id === "tree"`, "return {n: tree.length"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("wanted %q in\n%s", want, text)
		}
	}
	for say, c := range map[string]struct {
		parser string
		asked  bool
	}{
		"one that walks the tree gets objects":      {"const names = (e) => [e.attributes.name, ...(e.children ?? []).flatMap(names)]; return names(tree);", true},
		"one that reads it as text gets the text":   {"return tree.split('\\n').length;", false},
		"one that does not read it changes no step": {"return sequenceResult.results.length;", false},
	} {
		text, _, err := Canonical(Source{Text: []byte("steps:\n- {tool_name: click_element, arguments: {selector: 'id:a', include_tree: true}}\n- {tool_name: delay, arguments: {delay_ms: 1}}\noutput_parser: " + encode(c.parser))}, options(nil))
		if err != nil {
			t.Fatal(err)
		}
		if asked := strings.Count(string(text), "verbose_json") == 1; asked != c.asked {
			t.Errorf("%s: JSON is asked for: %v, want %v:\n%s", say, asked, c.asked, text)
		}
	}
	for _, c := range []struct{ say, text string }{
		{"with a part of the workflow there is nothing to parse", "end_at_step: a\noutput_parser: return 1\nsteps: [{id: a, tool_name: stop_highlighting}]"},
		{"an output that is an expression stays one", "output: a_status == 'success'\nsteps: [{id: a, tool_name: stop_highlighting}]"},
	} {
		p, err := Compile(Source{Text: []byte(c.text)}, CompileOptions{Kinds: kinds.All()})
		if err != nil || len(p.Steps) != 1 {
			t.Errorf("%s: %v", c.say, err)
		}
	}
}

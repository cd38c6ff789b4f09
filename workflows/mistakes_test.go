package workflows

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestMistakesAreExplained(t *testing.T) {
	const step = "steps: [{id: a, tool_name: log, arguments: {message: x}}]\n"
	for _, c := range []struct {
		say, text string
		want      []string
	}{
		{"a document is an object", "[1]", []string{"1:1 a workflow is an object with keys, found a list; start it with: steps:"}},
		{"steps are needed", "name: x", []string{`1:1 "steps" is missing`}},
		{"a null is nothing", "steps: null", []string{"1:8 steps wants a list, found nothing"}},
		{"only version 1 exists", "version: 2\n" + step, []string{"1:10 version is 1, found 2"}},
		{"a word of a few", "screenshots: allways\n" + step, []string{`1:14 screenshots cannot be "allways"; known are after, around, failure, none`}},
		{"a label is a word", "labels: [sap, two words]\n" + step, []string{`1:9 labels: "two words" cannot be a label: wanted letters, digits and . _ = -, at most 63`}},
		{"a label that closes a tag", "labels: <b>\n" + step, []string{`1:9 labels: "<b>" cannot be a label: wanted letters, digits and . _ = -, at most 63`}},
		{"one label needs no list", "labels: sap\n" + step, nil},
		{"a text is quoted", "name: 12\n" + step, []string{"1:7 name wants a text, found the number 12; write it in quotes"}},
		{"stop and continue contradict", "stop_on_error: true\ncontinue: true\n" + step, []string{"2:1 unknown key \"continue\"; it is written stop_on_error, which is also given and says otherwise: leave out one of the two"}},
		{"stop and continue agree", "stop_on_error: true\ncontinue: false\n" + step, nil},
		{"the wrapper needs arguments", "tool_name: execute_sequence", []string{`1:1 "arguments" is missing`}},
		{"only one tool is a wrapper", "tool_name: click_element\narguments: {" + strings.TrimSpace(step) + "}", []string{
			`1:12 tool_name cannot be "click_element"; known are execute_sequence`,
		}},
		{"a step has a form", "steps: [{id: a}]", []string{"1:9 this step does not say what to do; a step has tool_name, group_name, foreach, while or workflow"}},
		{"a step has one form", "steps: [{tool_name: log, arguments: {message: x}, group_name: g}]", []string{"1:51 a step has only one of tool_name and group_name; make two steps of it"}},
		{"a step is an object", "steps: [log]", []string{`1:9 steps wants an object, found the string "log"`}},
		{"a group needs steps", "steps: [{group_name: g}]", []string{`1:9 "steps" is missing`}},
		{"a loop has no arguments", "steps: [{foreach: [1], steps: [], arguments: {}, expect: 'true'}]", []string{
			`1:35 "arguments" is not allowed on a foreach loop; put it on the steps inside`,
			`1:50 "expect" is not allowed on a foreach loop; put it on the steps inside`,
		}},
		{"as belongs to a loop", "steps: [{tool_name: log, arguments: {message: x}, as: y}]", []string{`1:51 "as" is not allowed on a plain step; it belongs to a foreach loop`}},
		{"a kind without its arguments", "steps: [{tool_name: log}]", []string{`1:21 log: "message" is missing`}},
		{"arguments as a list", "steps: [{tool_name: log, arguments: [x]}]", []string{
			`1:21 log: "message" is missing`, "1:37 arguments wants an object, found a list",
		}},
		{"a number for a text", "steps: [{tool_name: log, arguments: {message: 2026}}]", []string{`1:47 log: wanted string, found the integer 2026; write it in quotes: "2026"`}},
		{"a text for a number", "steps: [{tool_name: delay, arguments: {delay_ms: '5'}}]", []string{`1:50 delay: wanted integer, found the string "5"; write it without quotes: 5`}},
		{"a key that does not exist", "steps: [{tool_name: press_key_global, arguments: {key: ctrl+entr}}]", []string{`1:56 press_key_global: there is no key "entr"; did you mean enter?`}},
		{"a selector in a condition", "steps: [{tool_name: log, arguments: {message: x}, if: exists('role:buton')}]", []string{`1:62 exists(): selector, column 6: there is no role "buton"; write button`}},
		{"a selector in a template", "steps: [{tool_name: log, arguments: {message: \"${{ text('nam:Save') }}\"}}]", []string{`1:57 text(): selector, column 1: there is no atom nam:; write name`}},
		{"arguments that contradict", "steps: [{tool_name: delay, arguments: {delay_ms: 5, duration: 1s}}]", []string{"1:28 delay: wanted either delay_ms or duration"}},
		{"a kind that nothing is like", "steps: [{tool_name: qqqqqqqq}]", []string{`1:21 there is no kind of step called "qqqqqqqq"; list them with: understudy tools`}},
		{"retry and retries", "steps: [{tool_name: log, arguments: {message: x}, retries: 1, retry: {attempts: 2}}]", []string{"1:51 the step has both retry and retries; leave out one of the two"}},
		{"delay and delay_ms", "steps: [{tool_name: log, arguments: {message: x}, delay: 1s, delay_ms: 2}]", nil},
		{"bounds of a retry", "steps: [{tool_name: log, arguments: {message: x}, retry: {attempts: 0, backoff: 0.5, jitter: 2, on: [lost]}}]", []string{
			"1:69 attempts lies between 1 and 1000, found 0", "1:81 backoff lies between 1 and 100, found 0.5", "1:94 jitter lies between 0 and 1, found 2",
			`1:102 on cannot be "lost"`,
		}},
		{"rules of a retry", "steps: [{tool_name: log, arguments: {message: x}, retry: {attempts: 1, delay: 5s, max_delay: 1s, on: [timeout], not_on: [timeout], before: [{tool_name: log, arguments: {message: y}}]}}]", []string{
			"1:94 max_delay 1s is shorter than delay 5s", "1:121 timeout is in both on and not_on; leave it out of one of the two",
			"1:132 with one attempt there is no next one to do steps before; set attempts to 2 or more",
		}},
		{"half a retry", "steps: [{tool_name: log, arguments: {message: x}, retries: 1.5}]", []string{"1:60 retries wants a whole number, found 1.5"}},
		{"a negative duration", "timeout: -5\n" + step, []string{"1:10 timeout: a duration lies between 0 and 365 days"}},
		{"an empty id", "steps: [{id: '', tool_name: log, arguments: {message: x}}]", []string{"1:14 the id is empty"}},
		{"start at nothing", "start_from_step: b\n" + step, []string{`1:18 there is no step with the id "b"; known are a`}},
		{"start inside a group", "start_from_step: a\nsteps: [{group_name: g, " + strings.TrimSpace(step) + "}]", []string{
			`1:18 a run cannot start or end at "a", which stands inside a group; name a step at the top of steps or troubleshooting`,
		}},
		{"end in finally", "end_at_step: b\n" + step + "finally: [{id: b, tool_name: log, arguments: {message: x}}]", []string{
			`1:14 a run cannot start or end at "b", which stands in finally; name a step at the top of steps or troubleshooting`,
		}},
		{"a while needs a condition", "steps: [{while: [1], steps: []}]", []string{"1:17 while wants an expression, found a list"}},
		{"the name of an element", "steps: [{foreach: [1], as: inputs, steps: []}]", []string{`1:28 "inputs" cannot be the name of an element; use a word such as item`}},
		{"a loop's name outside the loop", "steps: [{foreach: [1], as: x, steps: []}, {tool_name: log, arguments: {message: '${{ x }}'}}]\nvariables: {}", []string{
			`1:86 there is no x here; known are env, inputs, run, selectors, steps`,
		}},
		{"an unknown field of a result", "steps: [{id: a, tool_name: validate_element, arguments: {selector: 'role:text'}}, {tool_name: log, arguments: {message: 'x ${{ a_result.exist }}'}}]", []string{
			`1:137 there is no field exist; did you mean exists?`,
		}},
		{"JavaScript as an output", "output: {javascript_code: return 1}\n" + step, nil},
		{"a file with JavaScript as an output", "output: {javascript_file_path: a.js}\n" + step, nil},
		{"an output of a script that is missing", "output: {ui_tree_source_step_id: a}\n" + step, []string{
			"1:10 output has no script; write it under javascript_code, or name its file under javascript_file_path",
		}},
		{"an output parser without its script", "output_parser: {ui_tree_source_step_id: a}\n" + step, []string{
			`1:1 unknown key "output_parser"; give it a script: javascript_code, or javascript_file_path`,
		}},
		{"selectors that are no JSON", "selectors: 'role:button'\n" + step, []string{"1:12 selectors holds text that is not JSON; write it as an object"}},
		{"a text that looks like no number", "steps: [{tool_name: delay, arguments: {delay_ms: nan}}]", []string{`1:50 delay: wanted integer, found the string "nan"`}},
		{"a selector that is no text", "selectors: {a: 1}\n" + step, []string{"1:16 a wants a text, found the number 1; write it in quotes"}},
		{"a command that is an expression", "steps: [{tool_name: run_command, arguments: {run: '${{ inputs.c }}'}}]", []string{
			"1:51 the value of an expression is never executed as a command; write the command out, or give ${{ inputs.c }} by env as NAME and write eval \"$NAME\"",
		}},
		{"a shell without quotes", "steps: [{tool_name: run_command, arguments: {run: 'dir ${{ inputs.c }}', shell: cmd}}]", []string{
			"1:51 no value can be quoted safely for cmd; give it to the command by env",
		}},
		{"a command in other systems' words", "steps: [{command: ls}]", []string{`1:10 unknown key "command"; a step is named by tool_name; for a command line write tool_name: run_command`}},
	} {
		t.Run(c.say, func(t *testing.T) {
			got := problems(t, c.text, nil)
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

func TestTargetsOfJumps(t *testing.T) {
	const log = "tool_name: log, arguments: {message: x}"
	leads := func(from, to string) string {
		return strings.NewReplacer("LOG", log, "%"+from+"%", ", fallback_id: "+to).Replace(`
steps:
  - {id: a, LOG%a%}
  - {id: g, group_name: g, steps: [{id: b, LOG%b%}, {id: h, group_name: h, steps: [{id: c, LOG%c%}]}]}
  - {id: l, foreach: [1], steps: [{id: d, LOG%d%}]}
  - {id: e, LOG, retry: {attempts: 2, before: [{id: f, LOG%f%}]}}
  - {id: k, group_name: k, steps: [{id: m, LOG, fallback_id: t}]}
troubleshooting:
  - {id: t, LOG%t%}
  - {id: u, group_name: u, steps: [{id: v, LOG%v%}]}
finally:
  - {id: x, LOG%x%}
  - {id: y, LOG}
`)
	}
	all := []string{"a", "b", "c", "d", "e", "f", "g", "h", "k", "l", "m", "t", "u", "v", "x", "y"}
	for from, allowed := range map[string]string{
		"a": "a g l e k t u",
		"b": "b h a g l e k t u",
		"c": "c b h a g l e k t u",
		"d": "d a g l e k t u",
		"f": "f",
		"t": "t u a g l e k m",
		"v": "v t u a g l e k m",
		"x": "x y",
	} {
		for _, to := range all {
			text := leads(from, to)
			for _, f := range all {
				text = strings.ReplaceAll(text, "%"+f+"%", "")
			}
			found := problems(t, text, nil)
			if legal := slices.Contains(strings.Fields(allowed), to); legal != (len(found) == 0) {
				t.Errorf("from %s to %s: legal should be %t, found %v", from, to, legal, found)
			}
		}
	}
}

func TestAHopelessDocumentIsReportedInBounds(t *testing.T) {
	found := problems(t, "steps:\n"+strings.Repeat("  - {tool_nam: log}\n", 2000), nil)
	if len(found) != maxProblems || !strings.Contains(found[len(found)-1], "and 1800 more problems") {
		t.Errorf("found %d problems, the last is %s", len(found), found[len(found)-1])
	}
}

func TestTooManySteps(t *testing.T) {
	found := problems(t, "steps:\n"+strings.Repeat("  - {tool_name: capture_screenshot}\n", MaxSteps+1), nil)
	if want := "10002:5 there are more than 10000 steps, called workflows included; split the workflow into several runs"; len(found) != 1 || found[0] != want {
		t.Errorf("wanted %s, found %v", want, found)
	}
}

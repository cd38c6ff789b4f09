package workflows

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/steps/kinds"
)

// closing is what a person did, as a recording writes it.
const closing = `version: 1
name: recording
variables:
  answer: {type: string, default: 'no'}
steps:
  # seen once
  - id: later
    tool_name: log
    arguments:
      message: ${{ inputs.answer }}
`

func TestGraft(t *testing.T) {
	for _, c := range []struct {
		say, onto string
		at        Insertion
		want      string
	}{
		{
			"steps stand before the one that is named, and comments stay",
			"name: n # mine\nsteps:\n  - id: a\n    tool_name: log\n    arguments: {message: hi}\n\n  # careful\n  - id: b\n    tool_name: log\n    arguments: {message: ho}\n",
			Insertion{Step: "b"},
			"name: n # mine\nvariables:\n  answer: {type: string, default: 'no'}\nsteps:\n  - id: a\n    tool_name: log\n    arguments: {message: hi}\n\n  # seen once\n  - id: later\n    tool_name: log\n    arguments:\n      message: ${{ inputs.answer }}\n\n  # careful\n  - id: b\n    tool_name: log\n    arguments: {message: ho}\n",
		},
		{
			"a fallback stands in troubleshooting, and leads back",
			"variables:\n  x: {type: string, default: y}\nsteps:\n  - id: a\n    tool_name: log\n    arguments: {message: hi}\n",
			Insertion{Step: "a", Fallback: true, If: "exists('role:dialog')"},
			"variables:\n  x: {type: string, default: y}\n  answer: {type: string, default: 'no'}\nsteps:\n  - id: a\n    tool_name: log\n    arguments: {message: hi}\n    fallback_id: mend_a\ntroubleshooting:\n  - id: mend_a\n    group_name: when a has failed\n    if: steps.a.status == 'error' && (exists('role:dialog'))\n    jumps: [{if: 'true', to_id: a}]\n    steps:\n      # seen once\n      - id: later\n        tool_name: log\n        arguments:\n          message: ${{ inputs.answer }}\n",
		},
		{
			"what a step went to before comes after the new fallback, and a step in a loop is known by its path",
			"steps:\n  - foreach: \"[1]\"\n    steps:\n      - {tool_name: log, arguments: {message: hi}, fallback_id: old}\ntroubleshooting:\n  - {id: old, tool_name: log, arguments: {message: ho}}\n",
			Insertion{Step: "0[3].0", Fallback: true},
			"variables:\n  answer: {type: string, default: 'no'}\nsteps:\n  - foreach: \"[1]\"\n    steps:\n      - {id: step_0_0, tool_name: log, arguments: {message: hi}, fallback_id: mend_step_0_0}\ntroubleshooting:\n  - id: mend_step_0_0\n    group_name: when step_0_0 has failed\n    if: steps.step_0_0.status == 'error'\n    jumps: [{if: 'true', to_id: step_0_0}]\n    steps:\n      # seen once\n      - id: later\n        tool_name: log\n        arguments:\n          message: ${{ inputs.answer }}\n  - {id: old, tool_name: log, arguments: {message: ho}}\n",
		},
		{
			"keys without a value get one",
			"variables:\nsteps:\n  - id: a\n    tool_name: log\n    arguments: {message: hi}\ntroubleshooting: # nothing yet\n",
			Insertion{Step: "a", Fallback: true},
			"variables:\n  answer: {type: string, default: 'no'}\nsteps:\n  - id: a\n    tool_name: log\n    arguments: {message: hi}\n    fallback_id: mend_a\ntroubleshooting: # nothing yet\n  - id: mend_a\n    group_name: when a has failed\n    if: steps.a.status == 'error'\n    jumps: [{if: 'true', to_id: a}]\n    steps:\n      # seen once\n      - id: later\n        tool_name: log\n        arguments:\n          message: ${{ inputs.answer }}\n",
		},
		{
			"a document that gives inputs and declares none gets another",
			"inputs: {who: Ann}\nsteps:\n  - id: a\n    tool_name: log\n    arguments: {message: '${{ inputs.who }}'}\n",
			Insertion{Step: "a"},
			"inputs: {who: Ann, answer: 'no'}\nsteps:\n  # seen once\n  - id: later\n    tool_name: log\n    arguments:\n      message: ${{ inputs.answer }}\n  - id: a\n    tool_name: log\n    arguments: {message: '${{ inputs.who }}'}\n",
		},
		{
			"JSON stays JSON",
			"{\n  \"steps\": [\n    {\n      \"id\": \"a\",\n      \"tool_name\": \"log\",\n      \"arguments\": {\n        \"message\": \"hi\"\n      }\n    }\n  ]\n}\n",
			Insertion{Step: "a"},
			"{\n  \"variables\": {\n    \"answer\": {\n      \"type\": \"string\",\n      \"default\": \"no\"\n    }\n  },\n  \"steps\": [\n    {\n      \"id\": \"later\",\n      \"tool_name\": \"log\",\n      \"arguments\": {\n        \"message\": \"${{ inputs.answer }}\"\n      }\n    },\n    {\n      \"id\": \"a\",\n      \"tool_name\": \"log\",\n      \"arguments\": {\n        \"message\": \"hi\"\n      }\n    }\n  ]\n}\n",
		},
		{
			"a list in one line gets lines, and the wrapper stays",
			"tool_name: execute_sequence\narguments: {steps: [{id: a, tool_name: log, arguments: {message: hi}}]}\n",
			Insertion{Step: "a"},
			"tool_name: execute_sequence\narguments:\n  variables:\n    answer: {type: string, default: 'no'}\n  steps:\n    # seen once\n    - id: later\n      tool_name: log\n      arguments:\n        message: ${{ inputs.answer }}\n    - {id: a, tool_name: log, arguments: {message: hi}}\n",
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			got, err := Graft([]byte(c.onto), []byte(closing), c.at)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, string(got)); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if _, err := Compile(Source{Text: got}, CompileOptions{Kinds: kinds.All()}); err != nil {
				t.Errorf("it is not valid: %v", err)
			}
		})
	}
}

func TestGraftRefuses(t *testing.T) {
	const one = "steps:\n  - {id: a, tool_name: log, arguments: {message: hi}, fallback_id: b}\n  - {id: b, tool_name: log, arguments: {message: hi}}\n"
	for say, c := range map[string]struct {
		onto, from string
		at         Insertion
		want       string
	}{
		"a step that is not there":               {one, closing, Insertion{Step: "c"}, `no step "c"`},
		"a secret where inputs are not declared": {"inputs: {who: Ann}\n" + one, strings.Replace(closing, "default: 'no'", "secret: true", 1), Insertion{Step: "a"}, "declare them under variables first"},
		"no steps":                               {one, "steps: []", Insertion{Step: "a"}, "no steps to put in"},
		"a document that cannot be read":         {"steps: [", closing, Insertion{Step: "a"}, "this is not YAML"},
		"a fallback to what is done in any case": {one, closing, Insertion{Step: "a", Fallback: true}, "put the steps before it instead"},
	} {
		if _, err := Graft([]byte(c.onto), []byte(c.from), c.at); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", say, err, c.want)
		}
	}
}

package engine

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"

	"understudy/steps"
)

type openArgs struct {
	URL   string `json:"url"`
	Title string `json:"title,omitzero"`
}

// TestNoSecretStandsInACommandLine passes secrets to a kind that makes a command line of
// an argument, which every user of the machine can read.
func TestNoSecretStandsInACommandLine(t *testing.T) {
	const called = "variables: {plain: {type: string}}\nsteps: [{tool_name: open, arguments: {url: '${{ inputs.plain }}'}}]"
	for _, c := range []struct {
		say, steps string
		refused    bool
	}{
		{"a secret from the values of the run", `[{tool_name: set, arguments: {env: {t: "${{ inputs.a }}"}}}, {tool_name: open, arguments: {url: "${{ env.t }}"}}]`, true},
		{"inside a longer text", `[{tool_name: set, arguments: {env: {t: "${{ inputs.a }}"}}}, {tool_name: open, arguments: {url: "https://x/?t=${{ env.t }}&y"}}]`, true},
		{"in the result of a step", `[{id: g, tool_name: give, arguments: {values: "x ${{ inputs.a }}"}}, {tool_name: open, arguments: {url: "${{ g_result.values }}"}}]`, true},
		{"a value computed from it", `[{id: g, tool_name: give, arguments: {values: "${{ upper(inputs.a) }}"}}, {tool_name: open, arguments: {url: "${{ g_result.values }}"}}]`, true},
		{"a letter of it", `[{tool_name: set, arguments: {env: {t: "${{ inputs.a }}"}}}, {tool_name: open, arguments: {url: "x:${{ env.t[0:1] }}"}}]`, true},
		{"the element of a loop", `[{foreach: "${{ [inputs.a] }}", as: x, steps: [{tool_name: open, arguments: {url: "${{ x }}"}}]}]`, true},
		{"an expression that takes no placeholder", `[{tool_name: set, arguments: {env: {t: "${{ inputs.n }}"}}}, {tool_name: open, arguments: {url: "x:${{ int(env.t) + 1 }}"}}]`, true},
		{"in an argument that is only compared", `[{tool_name: open, arguments: {url: "x:y", title: "${{ inputs.a }}"}}]`, false},
		{"an input that is none", `[{tool_name: open, arguments: {url: "${{ inputs.b }}"}}]`, false},
		{"in a called workflow, inside a longer text", `[{workflow: called.yaml, inputs: {plain: "x${{ inputs.a }}"}}]`, true},
		{"in a called workflow that does not know", `[{workflow: called.yaml, inputs: {plain: "${{ inputs.a }}"}}]`, true},
	} {
		for _, secret := range []string{"sword&fish", "k9"} {
			t.Run(c.say+" "+secret, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					opened := ""
					open := steps.Define(steps.Kind{Name: "open", Summary: "For tests.", Beyond: &steps.Beyond{Argument: "url", Risk: steps.RunsShell, Harmless: func(string) bool { return true }}}, openArgs{},
						func(_ context.Context, _ *steps.Env, a openArgs) (steps.NoResult, error) {
							opened = a.URL
							return steps.NoResult{}, nil
						})
					give := steps.Define(steps.Kind{Name: "give", Summary: "For tests."}, giveArgs{}, func(_ context.Context, _ *steps.Env, a giveArgs) (giveResult, error) {
						return giveResult(a), nil
					})
					s := newStage(t)
					s.Kinds = append(s.Kinds, open, give)
					r := s.request("variables: {a: {type: string, secret: true}, n: {type: number, secret: true}, b: {type: string, default: 'x:b'}}\nsteps: "+c.steps, map[string]string{"called.yaml": called})
					r.Secrets = map[string]string{"a": secret, "n": "12"}
					h := s.play(r)
					if !c.refused {
						if h.Status != Succeeded || opened == "" {
							t.Errorf("the run is %s: %+v", h.Status, h.Error)
						}
						return
					}
					if opened != "" || h.Error == nil || h.Error.Code != steps.Invalid || !strings.Contains(h.Error.Message, "command line") || !strings.Contains(h.Error.Next, "type_into_element") {
						t.Errorf("it opened %q: %+v", opened, h.Error)
					}
				})
			})
		}
	}
}

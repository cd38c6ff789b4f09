package engine

import (
	"testing"
	"testing/synctest"

	"understudy/steps"
)

// TestRules holds what a run does, a sentence a row.
func TestRules(t *testing.T) {
	for _, c := range []struct {
		say    string
		doc    string
		also   map[string]string
		inputs map[string]any
		did    string
		status Status
		code   steps.Code
		errors int
	}{
		{say: "steps run in order", doc: `steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`, did: "a b", status: Succeeded},
		{say: "a false condition skips its step", doc: `steps: [{if: 1 == 2, tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`, did: "b", status: Succeeded},
		{say: "a result is read by later steps", doc: `
steps:
  - {id: a, tool_name: act, arguments: {name: a, value: x}}
  - {if: a_result.value == 'x' && a_status == 'success', tool_name: act, arguments: {name: "${{ a_result.value }}2"}}`, did: "a x2", status: Succeeded},
		{say: "a failed step ends the run", doc: `steps: [{tool_name: act, arguments: {name: a, fail: 9}}, {tool_name: act, arguments: {name: b}}]`, did: "a", status: Failed, code: steps.NotFound, errors: 1},
		{say: "a retry that succeeds is a success", doc: `steps: [{retries: 2, tool_name: act, arguments: {name: a, fail: 2}}, {tool_name: act, arguments: {name: b}}]`, did: "a a a b", status: Succeeded},
		{say: "retries end", doc: `steps: [{retries: 2, tool_name: act, arguments: {name: a, fail: 9}}]`, did: "a a a", status: Failed, code: steps.NotFound, errors: 1},
		{say: "retries of a group repeat it from its start", doc: `
steps:
  - {group_name: g, id: g, retries: 2, steps: [{tool_name: act, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b, fail: 1}}, {if: b_status == 'success', tool_name: act, arguments: {name: c}}]}
  - {tool_name: act, arguments: {name: "d${{ steps.g.attempts }}"}}`, did: "a b a b c d2", status: Succeeded, errors: 1},
		{say: "retries of a group end, and its fallback is taken then", doc: `
steps:
  - {group_name: g, retries: 1, fallback_id: z, steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b, fail: 9}}]}
  - {tool_name: act, arguments: {name: y}}
  - {id: z, tool_name: act, arguments: {name: z}}`, did: "a b a b z", status: Succeeded, errors: 3},
		{say: "a group that may be skipped is repeated first", doc: `
steps:
  - {group_name: g, retries: 1, skippable: true, steps: [{tool_name: act, arguments: {name: b, fail: 9}}]}
  - {tool_name: act, arguments: {name: y}}`, did: "b b y", status: Succeeded, errors: 3},
		{say: "steps are done before a group is repeated", doc: `
steps:
  - group_name: g
    retry: {attempts: 2, delay: 1s, before: [{tool_name: act, arguments: {name: fix}}]}
    steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b, fail: 1}}]`, did: "a b fix a b", status: Succeeded, errors: 1},
		{say: "steps inside a group are retried before the group is", doc: `
steps:
  - {group_name: g, retries: 1, steps: [{tool_name: act, arguments: {name: a}}, {retries: 1, tool_name: act, arguments: {name: b, fail: 2}}]}`, did: "a b b a b", status: Succeeded, errors: 1},
		{say: "only named codes are retried", doc: `steps: [{retry: {attempts: 3, on: [timeout]}, tool_name: act, arguments: {name: a, fail: 9}}]`, did: "a", status: Failed, code: steps.NotFound, errors: 1},
		{say: "steps are done before a further try", doc: `
steps:
  - retry: {attempts: 3, delay: 1s, before: [{tool_name: act, arguments: {name: fix}}]}
    tool_name: act
    arguments: {name: a, fail: 2}`, did: "a fix a fix a", status: Succeeded},
		{say: "a failure that is tolerated lets the run go on", doc: `steps: [{continue_on_error: true, tool_name: act, arguments: {name: a, fail: 9}}, {tool_name: act, arguments: {name: b}}]`, did: "a b", status: Succeeded, errors: 1},
		{say: "stop_on_error false tolerates every failure", doc: `
stop_on_error: false
steps: [{tool_name: act, arguments: {name: a, fail: 9}}, {tool_name: act, arguments: {name: b}}]`, did: "a b", status: Succeeded, errors: 1},
		{say: "continue is its inverse", doc: `
continue: true
steps: [{tool_name: act, arguments: {name: a, fail: 9}}, {tool_name: act, arguments: {name: b}}]`, did: "a b", status: Succeeded, errors: 1},
		{say: "while failing, always() still runs", doc: `
steps:
  - {tool_name: act, arguments: {name: a, fail: 9}}
  - {tool_name: act, arguments: {name: b}}
  - {if: always(), tool_name: act, arguments: {name: c}}
  - {if: failure(), tool_name: act, arguments: {name: d}}
  - {if: always() && success(), tool_name: act, arguments: {name: e}}`, did: "a c d", status: Failed, code: steps.NotFound, errors: 1},
		{say: "a failing always() step does not mask the first error", doc: `
steps:
  - {tool_name: act, arguments: {name: a, fail: 9}}
  - {if: always(), tool_name: act, arguments: {name: c, fail: 9, code: timeout}}`, did: "a c", status: Failed, code: steps.NotFound, errors: 2},
		{say: "a fallback goes to troubleshooting and a jump comes back", doc: `
steps:
  - {tool_name: act, arguments: {name: a}}
  - {id: b, fallback_id: fix, tool_name: act, arguments: {name: b, fail: 1}}
  - {tool_name: act, arguments: {name: c}}
troubleshooting:
  - {id: fix, tool_name: act, arguments: {name: fix}, jumps: [{if: "true", to_id: b}]}`, did: "a b fix b c", status: Succeeded, errors: 1},
		{say: "falling off the end of troubleshooting fails with the first error", doc: `
steps:
  - {id: b, fallback_id: fix, tool_name: act, arguments: {name: b, fail: 1, code: timeout}}
  - {tool_name: act, arguments: {name: c}}
troubleshooting:
  - {id: fix, tool_name: act, arguments: {name: fix}}`, did: "b fix", status: Failed, code: steps.Timeout, errors: 1},
		{say: "a jump over the last step of a part ends the run", doc: `
end_at_step: c
steps:
  - {id: a, tool_name: act, arguments: {name: a}}
  - {id: b, tool_name: act, arguments: {name: b}, jumps: [{if: "true", to_id: d}]}
  - {id: c, tool_name: act, arguments: {name: c}}
  - {id: d, tool_name: act, arguments: {name: d}}
  - {id: e, tool_name: act, arguments: {name: e}}`, did: "a b", status: Succeeded},
		{say: "a jump out of a group over the last step ends it too, with what is always done", doc: `
end_at_step: c
steps:
  - {group_name: g, steps: [{tool_name: act, arguments: {name: b}, jumps: [{if: "true", to_id: d}]}]}
  - {id: c, tool_name: act, arguments: {name: c}}
  - {id: d, tool_name: act, arguments: {name: d}}
finally: [{tool_name: act, arguments: {name: f}}]`, did: "b f", status: Succeeded},
		{say: "a jump into troubleshooting leaves the part as well", doc: `
end_at_step: c
steps:
  - {id: b, tool_name: act, arguments: {name: b}, jumps: [{if: "true", to_id: t}]}
  - {id: c, tool_name: act, arguments: {name: c}}
troubleshooting: [{id: t, tool_name: act, arguments: {name: t}}]`, did: "b", status: Succeeded},
		{say: "a jump within the part is taken", doc: `
end_at_step: c
steps:
  - {id: a, tool_name: act, arguments: {name: a}, jumps: [{if: "true", to_id: c}]}
  - {id: b, tool_name: act, arguments: {name: b}}
  - {id: c, tool_name: act, arguments: {name: c}}
  - {id: d, tool_name: act, arguments: {name: d}}`, did: "a c", status: Succeeded},
		{say: "a fallback within the steps goes on from there", doc: `
steps:
  - {fallback_id: c, tool_name: act, arguments: {name: a, fail: 1}}
  - {tool_name: act, arguments: {name: b}}
  - {id: c, tool_name: act, arguments: {name: c}}`, did: "a c", status: Succeeded, errors: 1},
		{say: "the first jump that holds is taken", doc: `
steps:
  - {tool_name: act, arguments: {name: a}, jumps: [{if: "false", to_id: b}, {if: "true", to_id: c, reason: skip b}]}
  - {id: b, tool_name: act, arguments: {name: b}}
  - {id: c, tool_name: act, arguments: {name: c}}`, did: "a c", status: Succeeded},
		{say: "a jump in a circle ends", doc: `
max_steps: 3
steps: [{id: a, tool_name: act, arguments: {name: a}, jumps: [{if: "true", to_id: a}]}]`, did: "a a", status: Failed, code: steps.LoopLimit},
		{say: "a group runs its steps", doc: `
steps:
  - {group_name: g, steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]}
  - {tool_name: act, arguments: {name: c}}`, did: "a b c", status: Succeeded},
		{say: "a skippable group does not end the run", doc: `
steps:
  - {group_name: g, skippable: true, steps: [{tool_name: act, arguments: {name: a, fail: 9}}, {tool_name: act, arguments: {name: b}}]}
  - {tool_name: act, arguments: {name: c}}`, did: "a c", status: Succeeded, errors: 2},
		{say: "a group that fails ends the run", doc: `
steps:
  - {id: g, group_name: g, steps: [{tool_name: act, arguments: {name: a, fail: 9}}]}
  - {tool_name: act, arguments: {name: c}}`, did: "a", status: Failed, code: steps.NotFound, errors: 2},
		{
			say: "a foreach goes over its list", doc: `
variables: {names: {type: array}}
steps:
  - {foreach: "${{ inputs.names }}", as: n, steps: [{tool_name: act, arguments: {name: "${{ n }}${{ index }}"}}]}`,
			inputs: map[string]any{"names": []any{"x", "y"}}, did: "x0 y1", status: Succeeded,
		},
		{say: "an empty foreach does nothing", doc: `steps: [{foreach: [], as: n, steps: [{tool_name: act, arguments: {name: a}}]}, {tool_name: act, arguments: {name: b}}]`, did: "b", status: Succeeded},
		{say: "loops nest", doc: `
steps:
  - foreach: [1, 2]
    as: x
    steps: [{foreach: [3, 4], as: y, steps: [{tool_name: act, arguments: {name: "${{ x }}${{ y }}"}}]}]`, did: "13 14 23 24", status: Succeeded},
		{say: "a while loop ends when its condition is false", doc: `
steps:
  - {tool_name: set, arguments: {env: {n: 0}}}
  - while: env.n < 3
    steps:
      - {tool_name: act, arguments: {name: "w${{ env.n }}"}}
      - {tool_name: set, arguments: {env: {n: "${{ env.n + 1 }}"}}}`, did: "w0 w1 w2", status: Succeeded},
		{say: "the condition of a while loop knows its round, and not that of the loop around it", doc: `
steps:
  - foreach: [x, y, z]
    as: n
    steps: [{while: "index < 2", steps: [{tool_name: act, arguments: {name: "${{ n }}${{ index }}"}}]}]`, did: "x0 x1 y0 y1 z0 z1", status: Succeeded},
		{say: "a while loop is bounded", doc: `steps: [{while: "true", max: 2, steps: [{tool_name: act, arguments: {name: w}}]}]`, did: "w w", status: Failed, code: steps.LoopLimit, errors: 1},
		{say: "results inside a loop are forgotten at the next round", doc: `
steps:
  - foreach: [1, 2]
    as: n
    steps:
      - {if: a_status == nil, tool_name: act, arguments: {name: "fresh${{ n }}"}}
      - {id: a, tool_name: act, arguments: {name: a}}
  - {if: a_status == 'success', tool_name: act, arguments: {name: last}}`, did: "fresh1 a fresh2 a last", status: Succeeded},
		{say: "a jump leaves a loop", doc: `
steps:
  - foreach: [1, 2, 3]
    as: n
    steps: [{tool_name: act, arguments: {name: "${{ n }}"}, jumps: [{if: n == 2, to_id: out}]}]
  - {tool_name: act, arguments: {name: no}}
  - {id: out, tool_name: act, arguments: {name: out}}`, did: "1 2 out", status: Succeeded},
		{
			say: "a called workflow has its own names and returns its output", doc: `
steps:
  - {id: c, workflow: other, inputs: {who: "x"}}
  - {tool_name: act, arguments: {name: "${{ c_result.greeting }}"}}`,
			also: map[string]string{"other": `
variables: {who: {type: string}}
steps: [{tool_name: act, arguments: {name: "hi ${{ inputs.who }}"}}]
output: {greeting: "'hello ' + inputs.who"}`}, did: "hi x hello x", status: Succeeded,
		},
		{
			say: "a called workflow that fails fails its step", doc: `steps: [{workflow: other}, {tool_name: act, arguments: {name: b}}]`,
			also: map[string]string{"other": `steps: [{tool_name: act, arguments: {name: a, fail: 9}}]
finally: [{tool_name: act, arguments: {name: f}}]`}, did: "a f", status: Failed, code: steps.NotFound, errors: 2,
		},
		{say: "finally runs after success", doc: `
steps: [{tool_name: act, arguments: {name: a}}]
finally: [{tool_name: act, arguments: {name: f}}]`, did: "a f", status: Succeeded},
		{say: "finally runs after a failure and knows of it", doc: `
steps: [{tool_name: act, arguments: {name: a, fail: 9}}]
finally: [{if: failure(), tool_name: act, arguments: {name: f}}, {if: success(), tool_name: act, arguments: {name: s}}]`, did: "a f", status: Failed, code: steps.NotFound, errors: 1},
		{say: "a failure in finally fails a good run and does not stop finally", doc: `
steps: [{tool_name: act, arguments: {name: a}}]
finally: [{tool_name: act, arguments: {name: f, fail: 1, code: timeout}}, {tool_name: act, arguments: {name: g}}]`, did: "a f g", status: Failed, code: steps.Timeout},
		{say: "a failure in finally never masks an earlier error", doc: `
steps: [{tool_name: act, arguments: {name: a, fail: 9}}]
finally: [{tool_name: act, arguments: {name: f, fail: 1, code: timeout}}]`, did: "a f", status: Failed, code: steps.NotFound, errors: 1},
		{say: "an expectation that holds is a success", doc: `steps: [{id: a, expect: a_result.value == 1, tool_name: act, arguments: {name: a, value: 1}}]`, did: "a", status: Succeeded},
		{say: "an expectation that does not hold is unexpected", doc: `steps: [{id: a, expect: a_result.value == 2, tool_name: act, arguments: {name: a, value: 1}}]`, did: "a", status: Failed, code: steps.Unexpected, errors: 1},
		{say: "a missing value in an argument fails the step", doc: `
steps:
  - {if: "false", id: a, tool_name: act, arguments: {name: a}}
  - {tool_name: act, arguments: {name: "${{ a_result.value }}"}}`, status: Failed, code: steps.Invalid, errors: 1},
		{say: "a run can begin in the middle", doc: `
start_from_step: b
steps: [{tool_name: act, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b}}, {tool_name: act, arguments: {name: c}}]`, did: "b c", status: Succeeded},
		{say: "a run can end in the middle, without its jumps", doc: `
end_at_step: b
steps: [{tool_name: act, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b}, jumps: [{if: "true", to_id: d}]}, {tool_name: act, arguments: {name: c}}, {id: d, tool_name: act, arguments: {name: d}}]`, did: "a b", status: Succeeded},
		{say: "jumps at the end are taken when that is wanted", doc: `
end_at_step: b
execute_jumps_at_end: true
steps: [{id: a, tool_name: act, arguments: {name: a}, jumps: [{if: "x_status == nil", to_id: b}]}, {id: x, tool_name: act, arguments: {name: x}}, {id: b, tool_name: act, arguments: {name: b}, jumps: [{if: "x_status == nil", to_id: x}]}]`, did: "a b x b", status: Succeeded},
		{say: "and still lead nowhere beyond the end", doc: `
end_at_step: b
execute_jumps_at_end: true
steps: [{tool_name: act, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b}, jumps: [{if: "true", to_id: d}]}, {tool_name: act, arguments: {name: c}}, {id: d, tool_name: act, arguments: {name: d}}]`, did: "a b", status: Succeeded},
		{say: "a run that ends in the middle follows no fallback", doc: `
end_at_step: b
steps: [{id: a, fallback_id: b, tool_name: act, arguments: {name: a, fail: 1}}, {id: b, tool_name: act, arguments: {name: b}}]`, did: "a", status: Failed, code: steps.NotFound, errors: 1},
		{say: "a run can begin in troubleshooting", doc: `
start_from_step: fix
steps: [{id: a, tool_name: act, arguments: {name: a}}]
troubleshooting: [{id: fix, tool_name: act, arguments: {name: fix}, jumps: [{if: "true", to_id: a}]}]`, did: "fix a", status: Succeeded},
		{say: "a while loop may go round as often as it may, and then end", doc: `
variables: {n: {type: number, default: 0}}
steps:
  - while: env.n < 2
    max: 2
    steps: [{tool_name: set, arguments: {env: {n: "${{ env.n + 1 }}"}}}, {tool_name: act, arguments: {name: w}}]`, did: "w w", status: Succeeded},
		{say: "finally runs after the bound of steps was passed", doc: `
max_steps: 2
steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}, {tool_name: act, arguments: {name: c}}]
finally: [{tool_name: act, arguments: {name: f}}]`, did: "a b f", status: Failed, code: steps.LoopLimit},
		{say: "the bound of steps hides no failure of before", doc: `
max_steps: 2
steps:
  - {tool_name: act, arguments: {name: a, fail: 1, code: unavailable}}
  - {if: always(), id: b, tool_name: act, arguments: {name: b}, jumps: [{if: "true", to_id: b}]}
  - {if: always(), tool_name: act, arguments: {name: c}}
finally: [{tool_name: act, arguments: {name: f, fail: 1}}]`, did: "a b f", status: Failed, code: steps.Unavailable, errors: 1},
		{say: "finally has a bound of its own", doc: `
max_steps: 2
steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]
finally: [{tool_name: act, arguments: {name: f}}]`, did: "a b f", status: Succeeded},
		{say: "a circle in finally ends", doc: `
max_steps: 3
steps: [{tool_name: act, arguments: {name: a}}]
finally: [{id: f, tool_name: act, arguments: {name: f}, jumps: [{if: "true", to_id: f}]}, {if: always(), tool_name: act, arguments: {name: g}}]`, did: "a f f", status: Failed, code: steps.LoopLimit},
		{say: "a failure in finally that is tolerated fails nothing", doc: `
steps: [{tool_name: act, arguments: {name: a}}]
finally: [{continue_on_error: true, tool_name: act, arguments: {name: f, fail: 1}}, {tool_name: act, arguments: {name: g}}]`, did: "a f g", status: Succeeded, errors: 1},
		{say: "a fallback within finally is followed", doc: `
steps: [{tool_name: act, arguments: {name: a}}]
finally: [{fallback_id: h, tool_name: act, arguments: {name: f, fail: 1}}, {tool_name: act, arguments: {name: g}}, {id: h, tool_name: act, arguments: {name: h}}]`, did: "a f h", status: Succeeded, errors: 1},
		{say: "the end of troubleshooting ends the run, whatever jumps the group has that led there", doc: `
steps:
  - {group_name: g, jumps: [{if: "true", to_id: d}], steps: [{tool_name: act, arguments: {name: a}, jumps: [{if: "true", to_id: fix}]}]}
  - {id: d, tool_name: act, arguments: {name: d}}
troubleshooting: [{id: fix, tool_name: act, arguments: {name: fix}}]`, did: "a fix", status: Succeeded},
		{
			say: "a called workflow knows only of its own failures", doc: `
steps:
  - {tool_name: act, arguments: {name: a, fail: 9}}
  - {if: always(), workflow: other}`,
			also: map[string]string{"other": `steps: [{if: success(), tool_name: act, arguments: {name: s}}, {if: failure(), tool_name: act, arguments: {name: f}}]`},
			did:  "a s", status: Failed, code: steps.NotFound, errors: 1,
		},
		{say: "a failure in the steps before a further try ends the tries", doc: `
steps: [{retry: {attempts: 3, before: [{tool_name: act, arguments: {name: fix, fail: 9}}]}, tool_name: act, arguments: {name: a, fail: 9, code: timeout}}]`, did: "a fix", status: Failed, code: steps.Timeout, errors: 2},
		{say: "a code that is excepted is not retried", doc: `steps: [{retry: {attempts: 3, not_on: [not_found]}, tool_name: act, arguments: {name: a, fail: 9}}]`, did: "a", status: Failed, code: steps.NotFound, errors: 1},
		{say: "what is denied is never retried", doc: `steps: [{retries: 3, tool_name: act, arguments: {name: a, fail: 9, code: denied}}]`, did: "a", status: Failed, code: steps.Denied, errors: 1},
		{say: "a group has a fallback and jumps of its own", doc: `
steps:
  - {group_name: g, fallback_id: c, steps: [{tool_name: act, arguments: {name: a, fail: 1}}]}
  - {tool_name: act, arguments: {name: b}}
  - {id: c, group_name: h, jumps: [{if: "true", to_id: e}], steps: [{tool_name: act, arguments: {name: c}}]}
  - {tool_name: act, arguments: {name: d}}
  - {id: e, tool_name: act, arguments: {name: e}}`, did: "a c e", status: Succeeded, errors: 2},
		{say: "an input is checked before the first step", doc: `
variables: {n: {type: number}}
steps: [{tool_name: act, arguments: {name: a}}]`, inputs: map[string]any{"n": 3.0}, did: "a", status: Succeeded},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				r := s.request(c.doc, c.also)
				r.Inputs = c.inputs
				h := s.play(r)
				var code steps.Code
				if h.Error != nil {
					code = h.Error.Code
				}
				if got := s.did(); got != c.did {
					t.Errorf("did %q, want %q", got, c.did)
				}
				if h.Status != c.status || code != c.code || h.Errors != c.errors {
					t.Errorf("ended %s %q with %d errors, want %s %q with %d (%+v)", h.Status, code, h.Errors, c.status, c.code, c.errors, h.Error)
				}
				if t.Failed() {
					t.Log(s.types(h.ID))
				}
			})
		})
	}
}

func TestTheOutputOfACallIsNotThatOfTheRun(t *testing.T) {
	s := newStage(t)
	h := s.play(s.request(`steps: [{workflow: other}]`, map[string]string{"other": "steps: [{tool_name: act, arguments: {name: a}}]\noutput: {greeting: \"'hello'\"}"}))
	if r, err := s.Report(t.Context(), h.ID, Page{}); err != nil || r.Output != nil || h.Status != Succeeded {
		t.Errorf("it is %s, and its output is %v, %v", h.Status, r.Output, err)
	}
}

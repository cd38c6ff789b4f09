package engine

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/steps"
)

func TestConclusion(t *testing.T) {
	failure := &ErrorRecord{Code: steps.NotFound}
	did := func(id string, acted steps.Acted, err *ErrorRecord) []any {
		return []any{Started{ID: id, Try: 1}, Ended{ID: id, Outcome: Outcome{Acted: acted, Error: err}}}
	}
	click := func(id string) []any { return did(id, steps.ActedYes, nil) }
	check := func(err *ErrorRecord) []any {
		return []any{Started{ID: "look", Reads: true, Checks: true}, Ended{ID: "look", Outcome: Outcome{Acted: steps.ActedNo, Error: err}}}
	}
	read := []any{Started{ID: "read", Reads: true}, Ended{ID: "read", Outcome: Outcome{Acted: steps.ActedNo}}}
	all := func(parts ...[]any) (facts []any) {
		for _, p := range parts {
			facts = append(facts, p...)
		}
		return facts
	}
	for _, row := range []struct {
		says   string
		facts  []any
		status Status
		want   RunOutcome
		done   string
		doubts string // unproven and doubtful steps
	}{
		{"a run under way has no outcome", click("a"), Running, "", "", ""},
		{"what only read is proven", read, Succeeded, DoneAndProven, "", ""},
		{"a click without a check is not proven", click("a"), Succeeded, DoneNotProven, "a", "a"},
		{"a step that only reads proves nothing", all(click("a"), read), Succeeded, DoneNotProven, "a", "a"},
		{"a check proves the click before it", all(click("a"), check(nil)), Succeeded, DoneAndProven, "a", ""},
		{"but not the click before that one", all(click("a"), click("b"), check(nil)), Succeeded, DoneNotProven, "a b", "a"},
		{"what a step expects proves it", all(click("a"), []any{Evaluated{ID: "a", Purpose: TheExpect, Holds: true}}), Succeeded, DoneAndProven, "a", ""},
		{"unless it does not hold", all(click("a"), []any{Evaluated{ID: "a", Purpose: TheExpect, Error: failure}}), Failed, StoppedPartly, "a", "a"},
		{"a failed check proves nothing", all(click("a"), check(failure)), Failed, StoppedPartly, "a", "a"},
		{"a step that was refused did nothing", did("a", steps.ActedNo, failure), Failed, StoppedBefore, "", ""},
		{"a step that may have acted is in doubt", did("a", steps.ActedMaybe, failure), Failed, MustLook, "", "a"},
		{"until it succeeds", all(did("a", steps.ActedMaybe, failure), click("a"), check(nil)), Succeeded, DoneAndProven, "a", ""},
		{"a step that succeeds in spite of doubt is done", did("a", steps.ActedMaybe, nil), Cancelled, StoppedPartly, "a", "a"},
		{"a click under way when the process was killed is in doubt", []any{Started{ID: "a"}}, Interrupted, MustLook, "", "a"},
		{"a look under way is not", []any{Started{ID: "a", Reads: true}}, Interrupted, StoppedBefore, "", ""},
		{"a person who looked removes the doubt", []any{Started{ID: "a"}, Resumed{Decision: SkipStep}}, Succeeded, DoneAndProven, "", ""},
		{"and so does an answer", []any{Started{ID: "a"}, Resumed{}, Answered{Choice: Redo}, Started{ID: "a"}}, Interrupted, MustLook, "", "a"},
		{"what a person has done is done", []any{Started{ID: "a"}, Resumed{Decision: DoneByHand}}, Succeeded, DoneAndProven, "a", ""},
		{"an expectation that holds after an interruption removes it", []any{Started{ID: "a"}, Resumed{}, Evaluated{ID: "a", Purpose: TheRecheck, Holds: true}}, Succeeded, DoneAndProven, "a", ""},
		{"the rounds of a loop are one step", all(click("a"), check(nil), click("a"), check(nil)), Succeeded, DoneAndProven, "a", ""},
	} {
		t.Run(row.says, func(t *testing.T) {
			tally := &Tally{}
			for _, f := range row.facts {
				tally = tally.add(Event{}, f)
			}
			c := (&Header{Status: row.status, Tally: tally}).Conclusion()
			got := []string{string(c.Outcome), strings.Join(c.Done, " "), strings.Join(append(c.Unproven, c.Doubtful...), " ")}
			if diff := cmp.Diff([]string{string(row.want), row.done, row.doubts}, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNoConclusion(t *testing.T) {
	for says, h := range map[string]Header{
		"a run of an older version": {Status: Succeeded},
		"a single call":             {Status: Succeeded, Tally: &Tally{}, Call: "log"},
	} {
		if c := h.Conclusion(); c.Outcome != "" {
			t.Errorf("%s: %q", says, c.Outcome)
		}
	}
}

// TestTroubledSteps looks in the tally for the steps that failed or needed more tries.
func TestTroubledSteps(t *testing.T) {
	failure := &ErrorRecord{Code: steps.NotFound}
	try := func(n int, err *ErrorRecord) []any {
		return []any{Started{ID: "a", Try: n}, Ended{ID: "a", Outcome: Outcome{Acted: steps.ActedNo, Error: err}}}
	}
	for _, row := range []struct {
		says            string
		facts           [][]any
		failed, retried string
	}{
		{"a step that succeeds at once is neither", [][]any{try(1, nil)}, "", ""},
		{"one that fails has failed", [][]any{try(1, failure)}, "a", ""},
		{"one that succeeds at the second try was retried", [][]any{try(1, failure), try(2, nil)}, "", "a"},
		{"one that fails twice is both", [][]any{try(1, failure), try(2, failure)}, "a", "a"},
		{"one that succeeds after the run was resumed had failed", [][]any{try(1, failure), {Resumed{}}, try(1, nil)}, "a", ""},
	} {
		t.Run(row.says, func(t *testing.T) {
			tally := &Tally{}
			for _, facts := range row.facts {
				for _, f := range facts {
					tally = tally.add(Event{}, f)
				}
			}
			if failed, retried := strings.Join(tally.Failed, " "), strings.Join(tally.Retried, " "); failed != row.failed || retried != row.retried {
				t.Errorf("failed: %q, retried: %q", failed, retried)
			}
		})
	}
}

package compile

import (
	"strings"
	"testing"

	"understudy/recorder"
	"understudy/workflows/expression"
)

// TestAStepIsNotMovedWhereItCannotBe moves the step that reads what another types, and moves a
// step to no place.
func TestAStepIsNotMovedWhereItCannotBe(t *testing.T) {
	for _, c := range []struct {
		say  string
		edit recorder.Edit
		want string
	}{
		{"the reading step behind the one that types", recorder.Edit{Action: recorder.Move, Step: 2, To: 4}, `keeps "read entry \"Name\"" before "type what was copied`},
		{"the step that types before the one that reads", recorder.Edit{Action: recorder.Move, Step: 4, To: 1}, `keeps "read entry \"Name\"" before "type what was copied`},
		{"the last step to no place", recorder.Edit{Action: recorder.Move}, "wanted a place from 1 to 4 for step 4, found 0"},
		{"the last step behind the end", recorder.Edit{Action: recorder.Move, To: 5}, "wanted a place from 1 to 4 for step 4, found 5"},
		{"another step", recorder.Edit{Action: recorder.Move, Step: 3, To: 1}, ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			events := newTape(ledger, editor).focus(name, "12").keys("ctrl+a", "ctrl+c").focus(page, "").keys("ctrl+v").holds("12").edit(c.edit).events
			comp := New()
			for _, ev := range events[:len(events)-1] {
				comp.Add(ev)
			}
			_, err := comp.Fit(c.edit)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("got the error %v, want %q", err, c.want)
			}
			made, _, err := Events(events, Options{})
			if err != nil {
				t.Fatal(err)
			}
			argumentsOf(t, made, &expression.Scope{Steps: map[string]expression.StepScope{"read_name": {Result: map[string]any{"text": "12"}}}})
		})
	}
}

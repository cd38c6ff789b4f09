//go:build linux

package e2e

import (
	"fmt"
	"slices"
	"strings"

	"understudy/engine"
	"understudy/steps"
)

// trickScenarios are applications that do what they should not at the worst
// moment: something changes between the last look and the act. A run may then
// fail, and say so. It never says that it did what it did not.
//
// Which of the two it is depends on what the application comes to first, the
// trick or the click, so both are right where nothing else is said. It fails as
// not actionable when the trick is seen before the click, and as unexpected when
// what the click was to bring about does not come.
func trickScenarios() []scenario {
	late := []steps.Code{steps.Unexpected, steps.NotActionable}
	click := func(name, option string) scenario {
		return scenario{
			name: "trick: " + name, workflow: "trick_click", setup: witness("tells " + option), may: late,
			check: says("clicked Apply"), stays: clickedAtMostOnce,
		}
	}
	fickle := click("a button is disabled when the pointer is on it", "fickle")
	fickle.must, fickle.check = true, says("shown", "no clicked") // the pointer always comes before the click
	long := strings.Repeat("all of it ", 40) + "to the end"
	return []scenario{
		click("two buttons change places again and again", "swap"),
		click("a button is made anew again and again", "anew"),
		click("a button is made anew when the pointer is on it", "renew"),
		click("a window comes up above the button when the pointer is on it", "jack"),
		fickle,
		click("a question comes up when the pointer is on the button", "curious"),
		{
			name: "trick: a field changes what is typed", workflow: "trick_type", setup: witness("upper"), flags: []string{"-i", "text=abc"},
			may: []steps.Code{steps.Unexpected}, must: true, check: entered("ABC"),
		},
		{
			name: "trick: a field may change what is typed", workflow: "trick_type", setup: witness("upper"), flags: []string{"-i", "text=abc", "-i", "accept=true"},
			check: entered("ABC"), inspect: notVerified,
		},
		{
			name: "trick: a dialog takes the focus while something is typed", workflow: "trick_type", setup: witness("steal"), flags: []string{"-i", "text=" + long},
			may: []steps.Code{steps.Unexpected}, check: entered(long), stays: enteredPartOf(long),
		},
		{
			name: "trick: two windows are called the same", workflow: "trick_same", setup: witness(""), may: []steps.Code{steps.Ambiguous}, must: true,
			check: says("shown", "shown", "no clicked"),
		},
	}
}

func clickedAtMostOnce(s *stage) error {
	if lines := s.log("clicked"); len(lines) > 1 || slices.Contains(lines, "clicked Wrong") {
		return fmt.Errorf("wanted one click at most, found %q", lines)
	}
	return nil
}

// entered says what the field holds in the end.
func entered(want string) func(*stage) error {
	return func(s *stage) error {
		return eventually(s.t, func() error {
			if lines := s.log("entry"); len(lines) == 0 || lines[len(lines)-1] != "entry "+want {
				return fmt.Errorf("wanted %q in the field, found %q", want, lines[max(0, len(lines)-1):])
			}
			return nil
		})
	}
}

// enteredPartOf says that the field holds nothing but the beginning of a text.
func enteredPartOf(whole string) func(*stage) error {
	return func(s *stage) error {
		for _, line := range s.log("entry") {
			if !strings.HasPrefix("entry "+whole, strings.TrimSpace(line)) {
				return fmt.Errorf("wanted the beginning of the text in the field, found %q", line)
			}
		}
		return nil
	}
}

func notVerified(_ *stage, r engine.Report) error {
	if r.Output != false {
		return fmt.Errorf("the field holds something else than was typed, and the step says verified: %v", r.Output)
	}
	return nil
}

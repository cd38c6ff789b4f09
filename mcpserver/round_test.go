package mcpserver

import (
	"regexp"
	"strings"
	"testing"

	"understudy/internal/testing/byhand"
)

// TestARunInALoopReportsItsIteration holds that a count of steps that were repeated does not
// stand for how far a loop is.
func TestARunInALoopReportsItsIteration(t *testing.T) {
	w := newStage(t).connect(modern, byhand.Object{})
	ask := byhand.Object{"tool_name": "ask_user", "id": "go_on", "arguments": byhand.Object{"question": "Go on?"}}
	loop := byhand.Object{"foreach": "[1, 2, 3]", "steps": []any{ask}}
	text := byhand.Said(w.Call("execute_sequence", byhand.Object{"steps": []any{loop}}))
	if !strings.Contains(text, ", in round 1 of 3") {
		t.Errorf("the first round:\n%s", text)
	}
	run := regexp.MustCompile("run (01[0-9a-z]{24})").FindStringSubmatch(text)[1]
	for _, want := range []string{", in round 2 of 3", ", in round 3 of 3", "succeeded: "} {
		text = byhand.Said(w.Call("resume_run", byhand.Object{"run_id": run, "answer": "yes"}))
		if !strings.Contains(text, want) || strings.Contains(text, "succeeded") && strings.Contains(text, "in round") {
			t.Errorf("wanted %q:\n%s", want, text)
		}
	}
}

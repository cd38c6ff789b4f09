package viewer

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/engine"
	"understudy/internal/desktop"
)

func event(t *testing.T, seq uint64, at time.Time, path string, sort engine.EventType, fact any) engine.Event {
	raw, err := json.Marshal(fact)
	if err != nil {
		t.Fatal(err)
	}
	return engine.Event{Seq: seq, At: at, Path: path, Type: sort, Data: raw}
}

// TestEachExecutionHasItsOwnEvents is about a step that a jump repeats: the arguments and
// log of its second execution are not shown at the first.
func TestEachExecutionHasItsOwnEvents(t *testing.T) {
	at := func(s int) time.Time { return time.Date(2026, 3, 1, 9, 0, s, 0, time.UTC) }
	report := engine.Report{Steps: []engine.StepReport{
		{Path: "0", ID: "press", StartedAt: at(1), Attempts: 1, Result: map[string]any{
			"at": map[string]any{"x": 3, "y": 4}, "element": map[string]any{"bounds": map[string]any{"x": 1, "y": 2, "w": 5, "h": 6}},
		}, Captures: []engine.CaptureReport{{When: "before", URI: engine.CaptureURI("aa")}, {When: "after", URI: engine.CaptureURI("bb")}}},
		{Path: "1", StartedAt: at(3), Attempts: 3},
		{Path: "0", ID: "press", StartedAt: at(5), Attempts: 1},
	}}
	events := []engine.Event{
		event(t, 1, at(0), "0", engine.EvEvaluated, engine.Evaluated{Purpose: engine.TheIf, Holds: true}),
		event(t, 2, at(1), "0", engine.EvStarted, engine.Started{Args: "first"}),
		event(t, 3, at(3), "1", engine.EvStarted, engine.Started{Try: 1}),
		event(t, 4, at(4), "1", engine.EvMoved, engine.Moved{Why: "jump", To: "press"}),
		event(t, 5, at(5), "0", engine.EvStarted, engine.Started{Args: "second"}),
		event(t, 6, at(6), "0", engine.EvLogged, engine.Logged{Level: "info", Message: "said"}),
		event(t, 7, at(6), "9", engine.EvLogged, engine.Logged{Message: "of a step that the page does not show"}),
	}
	all := executionsOf(report, events)
	type seen struct {
		Name, Before, After string
		Args                any
		Marks, Log          []string
		Events              int
		At                  *desktop.Point
		Box                 *desktop.Rect
	}
	var got []seen
	for _, x := range all {
		s := seen{Name: x.Name(), Before: x.Before, After: x.After, Args: x.Args, Marks: x.Marks, Events: len(x.Events), At: x.At, Box: x.Box}
		for _, l := range x.Log {
			s.Log = append(s.Log, l.Words)
		}
		got = append(got, s)
	}
	want := []seen{
		{
			Name: "press", Before: "/captures/aa", After: "/captures/bb", Args: "first", Events: 2,
			At: &desktop.Point{X: 3, Y: 4}, Box: &desktop.Rect{X: 1, Y: 2, W: 5, H: 6},
		},
		{Name: "step 1", Marks: []string{"3 tries", "jump to press"}, Events: 2},
		{Name: "press", Args: "second", Log: []string{"said"}, Events: 2},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestTheLineOfAStep(t *testing.T) {
	for line, want := range map[string]string{
		"  - id: open":                        "open",
		"  - {id: type, tool_name: x}":        "type",
		`    "id": "send.it",`:                "send.it",
		"    fallback_id: again":              "",
		"    tool_name: open_application":     "",
		"    jumps: [{if: x, to_id: again}]":  "",
		"    - id: 'quoted' # with a comment": "quoted",
	} {
		if got := stepIn(line); got != want {
			t.Errorf("%s: it is %q, want %q", line, got, want)
		}
	}
}

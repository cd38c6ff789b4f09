package engine

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/synctest"

	"understudy/steps"
)

// TestARunKeepsSoMuch holds that what a run keeps in memory is bounded, whatever holds it,
// that a run whose large values replace each other goes on, and that a resumed run is refused
// at the same step.
func TestARunKeepsSoMuch(t *testing.T) {
	big := strings.Repeat("x", 8000)
	set := func(names ...string) string {
		var all []string
		for i, name := range names {
			all = append(all, fmt.Sprintf("{id: %s%d, tool_name: set, arguments: {env: {%s: %s}}}", name, i, name, big))
		}
		return strings.Join(all, ", ")
	}
	for _, c := range []struct {
		say, document string
		step          string // that is refused; empty: none; -: the document itself
	}{
		{"env", "[" + set("a", "b", "c", "d", "e") + "]", "e4"},
		{"env of one step", fmt.Sprintf("[{id: all, tool_name: set, arguments: {env: {a: %[1]s, b: %[1]s, c: %[1]s, d: %[1]s, e: %[1]s}}}]", big), "all"},
		{"a list in a list", fmt.Sprintf("[{id: all, tool_name: set, arguments: {env: {a: [[%[1]s, %[1]s], {x: [%[1]s, {%[1]s: 1}]}, %[1]s]}}}]", big), "all"},
		{"many small values", `[{id: all, tool_name: set, arguments: {env: {a: "${{ map(1..2100, 1) }}"}}}]`, "all"},
		{"results", fmt.Sprintf("[%s, {id: r, tool_name: look, arguments: {name: a, value: %[2]s}}, {id: s, tool_name: look, arguments: {name: b, value: %[2]s}}]", set("a", "b", "c"), big), "s"},
		{"errors", fmt.Sprintf("[%s, {id: r, tool_name: look, arguments: {name: %s, fail: 9, clean: true}}]", set("a", "b", "c", "d"), big), "r"},
		{"a list", "[" + set("a", "b", "c") + `, {id: loop, foreach: "${{ [env.a + 'x', env.b + 'y'] }}", steps: [{tool_name: act, arguments: {name: a}}]}]`, "loop"},
		{"an output", "[" + set("a", "b", "c", "d") + "]\noutput: {a: \"${{ env.a + 'x' }}\"}", "-"},
		{"inputs of calls", fmt.Sprintf("[{id: call, workflow: called.yaml, inputs: {v: %s}}]", big), "deeper"},
		{"values that replace each other", "[" + set("a", "b", "c", "d", "d", "d", "a") + "]", ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.keeps = 33_000
				h := s.play(s.request("steps: "+c.document, map[string]string{
					"called.yaml": "inputs: {v: {type: string}}\nsteps: [{id: deeper, workflow: next.yaml, inputs: {v: \"${{ inputs.v + 'y' }}\"}}]",
					"next.yaml":   "inputs: {v: {type: string}}\nsteps: [{id: s, tool_name: set, arguments: {env: {v: gone}}}, {id: deeper, workflow: third.yaml, inputs: {v: \"${{ inputs.v + inputs.v + inputs.v + inputs.v }}\"}}]",
					"third.yaml":  "inputs: {v: {type: string}}\nsteps: [{id: s, tool_name: act, arguments: {name: a}}]",
				}))
				for range 2 {
					if c.step == "" {
						if h.Status != Succeeded {
							t.Errorf("it is %s: %+v", h.Status, h.Error)
						}
						return
					}
					if h.Status != Failed {
						t.Fatalf("it is %s", h.Status)
					}
					if e := h.Error; e.Code != steps.Invalid || !strings.Contains(e.Message, "the limit is 0.0 MB") || !strings.Contains(e.Next, "put large values into files") || e.Step != strings.Trim(c.step, "-") {
						t.Errorf("it failed at %q: %s", e.Step, e.Message[:min(200, len(e.Message))])
					}
					st := s.state(h.ID)
					if kept := st.kept(); kept > s.keeps {
						t.Errorf("it keeps %d bytes", kept)
					}
					s.again()
					s.keeps = 33_000
					h = s.resume(h.ID, ResumeRequest{})
				}
			})
		})
	}
}

// TestNoEventGrowsWhatIsKeptUnseen holds, with runs of any shape, that what is kept never grows
// by more than what the lengths of events tell.
func TestNoEventGrowsWhatIsKeptUnseen(t *testing.T) {
	seen := 0
	for seed := range uint64(150) {
		synctest.Test(t, func(t *testing.T) {
			g := &generator{Rand: rand.New(rand.NewPCG(seed, 5)), steady: true}
			s := newStage(t)
			r, err := s.bring(g, g.make(false))
			if err != nil {
				return
			}
			measured := false
			s.beforeEffect = func(w *worker) {
				room := maxKept - w.s.kept()
				if !measured {
					w.room, measured = room, true
				}
				if seen++; w.room > room {
					t.Errorf("seed %d: before event %d there is room for %d bytes, not for %d", seed, w.s.Seq+1, room, w.room)
				}
			}
			s.play(r)
		})
	}
	if seen == 0 {
		t.Error("no run was looked at")
	}
}

package engine

import (
	"testing"
	"testing/synctest"
)

func TestPlanNamesTheStepThatIsWanted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(`
steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: look, arguments: {name: b}}, {id: c, tool_name: act, arguments: {name: c, fail: 9, clean: true}}]`, nil))
		for _, from := range []string{"a", "b", "c"} {
			if p, err := s.Plan(t.Context(), h.ID, ResumeRequest{From: from}); err != nil || p.From != from {
				t.Errorf("from %s it goes on at %q, %v", from, p.From, err)
			}
		}
	})
}

// A process that died when it had stored that the run begins again at a step left
// a plan that named the step before, which was done.
func TestPlanNamesNoStepThatIsDone(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(`
steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b, fail: 9, clean: true}}]`, nil))
		s.cutAt(2)
		if h, err := s.Resume(t.Context(), h.ID, ResumeRequest{From: "b"}); err == nil {
			_, _ = s.Wait(t.Context(), h.ID)
		}
		s.mend()
		p, err := s.Plan(t.Context(), h.ID, ResumeRequest{})
		if now := s.rest(h.ID); err != nil || p.From != "b" || p.Doubt || now.ResumeFrom != "b" {
			t.Errorf("the plan is %+v, %v, and the run says %q: wanted b", p, err, now.ResumeFrom)
		}
	})
}

func TestPlanNamesAStepOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(`
steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b, fail: 9, clean: true}}]`, nil))
		s.resume(h.ID, ResumeRequest{})
		p, err := s.Plan(t.Context(), h.ID, ResumeRequest{From: "a"})
		if err != nil {
			t.Fatal(err)
		}
		if p.From != "a" || len(p.Kept) != 0 || len(p.Again) != 2 || p.Again[0].ID != "a" || p.Again[1].ID != "b" {
			t.Errorf("the plan is %+v, want a and b again, each once", p)
		}
	})
}

package engine

import (
	"testing"
	"testing/synctest"
)

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

package engine

import (
	"strings"
	"testing"

	"understudy/steps"
)

func TestAnotherDocument(t *testing.T) {
	const doc = `
steps:
  - {id: a, tool_name: act, arguments: {name: a}}
  - {group_name: g, steps: [{id: b, tool_name: act, arguments: {name: b, fail: 9, clean: true}}]}`
	for _, c := range []struct {
		say, doc string
		from     string
		refused  string // part of the error
		did      string
	}{
		{say: "the step that failed is mended", doc: strings.ReplaceAll(doc, "fail: 9, ", ""), did: "a b"},
		{say: "a step that was executed differs", doc: strings.Replace(doc, "name: a}", "name: x}", 1), refused: "step a was already executed"},
		{say: "the group in which the run stands is gone", doc: `
steps:
  - {id: a, tool_name: act, arguments: {name: a}}
  - {id: b, tool_name: act, arguments: {name: c}}`, refused: "--from STEP"},
		{say: "it is gone, and a step is named", doc: `
steps:
  - {id: a, tool_name: act, arguments: {name: a}}
  - {id: b, tool_name: act, arguments: {name: c}}`, from: "b", did: "a c"},
	} {
		t.Run(c.say, func(t *testing.T) {
			s := newStage(t)
			h := s.play(s.request(doc, nil))
			other := s.request(c.doc, nil)
			r := ResumeRequest{Bundle: &other.Bundle, From: c.from}
			_, err := s.Plan(t.Context(), h.ID, r)
			_, again := s.Resume(t.Context(), h.ID, r)
			if c.refused != "" {
				for _, err := range []error{err, again} {
					if x := steps.AsError(err); err == nil || x.Code != steps.Invalid || !strings.Contains(err.Error()+x.Next, c.refused) {
						t.Errorf("got %v, want it refused with %q", err, c.refused)
					}
				}
				return
			}
			if err != nil || again != nil {
				t.Fatal(err, again)
			}
			if h = s.rest(h.ID); h.Status != Succeeded || s.did() != c.did {
				t.Errorf("the run is %s (%+v) and did %q, want %q", h.Status, h.Error, s.did(), c.did)
			}
		})
	}
}

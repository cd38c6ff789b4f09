package engine

import (
	"context"
	"slices"
	"testing"

	"understudy/steps"
	"understudy/workflows"
)

// TestAStepKnowsTheFolderOfItsWorkflow looks where a step may find what lies beside its
// workflow: a recording names its pictures from there.
func TestAStepKnowsTheFolderOfItsWorkflow(t *testing.T) {
	var seen []string
	look := steps.Define(steps.Kind{Name: "look_beside"}, struct{}{}, func(_ context.Context, env *steps.Env, _ struct{}) (struct{}, error) {
		seen = append(seen, env.Document)
		return struct{}{}, nil
	})
	s := newBench(t)
	s.Engine.Kinds = append(s.Engine.Kinds, look)
	bundle, _, err := Pack(workflows.Source{Name: "a.yaml", Dir: "/home/me/flows", Text: []byte("steps: [{id: a, tool_name: look_beside}]")}, s.Engine.Kinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := s.Start(t.Context(), Request{Bundle: bundle, Terms: Terms{Dir: "/home/me"}})
	if err != nil {
		t.Fatal(err)
	}
	if h, err = s.Wait(t.Context(), h.ID); err != nil || h.Status != Succeeded {
		t.Fatalf("the run is %s: %v %+v", h.Status, err, h.Error)
	}
	if h, err = s.Fork(t.Context(), h.ID, "a", ResumeRequest{}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Wait(t.Context(), h.ID); err != nil || !slices.Equal(seen, []string{"/home/me/flows", "/home/me/flows"}) {
		t.Errorf("the step, and that of the new run, were told the folders %q, %v", seen, err)
	}
}

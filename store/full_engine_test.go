//go:build linux

package store

import (
	"context"
	"strings"
	"syscall"
	"testing"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/workflows"
)

type desk struct{}

func (desk) Open(context.Context) (*desktop.Desktop, error) {
	return desktop.Missing(&desktop.MissingError{What: "no desktop"}), nil
}
func (desk) Drop(*desktop.Desktop) {}

// TestARunOnAFullDisk tests that a run ends when the disk becomes full, without losing
// earlier events, and can be resumed when there is room again.
func TestARunOnAFullDisk(t *testing.T) {
	dir := smallDisk(t, "size=3m")
	s := mustOpen(t, dir)
	var did []int
	act := steps.Define(steps.Kind{Name: "act", Summary: "For tests."}, struct {
		N int `json:"n" jsonschema:"which"`
	}{}, func(_ context.Context, env *steps.Env, a struct {
		N int `json:"n" jsonschema:"which"`
	},
	) (map[string]any, error) {
		return map[string]any{"text": strings.Repeat("x", 100_000)}, env.Act(func() error { did = append(did, a.N); return nil })
	})
	e := &engine.Engine{Store: s, Files: s, Kinds: []steps.Kind{act}, Desk: desk{}}
	b, _, err := engine.Pack(workflows.Source{Name: "full.yaml", Text: []byte(
		`steps: [{foreach: "${{ 1..50 }}", as: n, steps: [{tool_name: act, arguments: {n: "${{ n }}"}}]}]`)}, e.Kinds, nil)
	if err != nil {
		t.Fatal(err)
	}
	h, err := e.Start(t.Context(), engine.Request{Bundle: b})
	if err != nil {
		t.Fatal(err)
	}
	h, err = e.Wait(t.Context(), h.ID)
	if err != nil || h.Status != engine.Interrupted || h.Error == nil || h.Error.Code != steps.Unavailable {
		t.Fatalf("on a full disk the run is %s, %+v, %v", h.Status, h.Error, err)
	}
	before := len(did)
	if before == 0 || before >= 50 {
		t.Fatalf("%d steps were done", before)
	}
	if err := syscall.Mount("none", dir, "tmpfs", syscall.MS_REMOUNT, "size=64m"); err != nil {
		t.Fatal(err)
	}
	if h, err = e.Resume(t.Context(), h.ID, engine.ResumeRequest{}); err != nil {
		t.Fatal(err)
	}
	if h, err = e.Wait(t.Context(), h.ID); err != nil || h.Status != engine.Waiting {
		t.Fatalf("with room again the run is %s, %v: its last step acted, and its outcome could not be stored", h.Status, err)
	}
	if _, err = e.Answer(t.Context(), h.ID, engine.Answer{Choice: engine.SkipStep}); err != nil {
		t.Fatal(err)
	}
	if h, err = e.Wait(t.Context(), h.ID); err != nil || h.Status != engine.Succeeded {
		t.Fatalf("the run is %s, %v", h.Status, err)
	}
	for i, n := range did {
		if n != i+1 {
			t.Fatalf("done was %v, want each once and in order", did)
		}
	}
	if len(did) != 50 {
		t.Errorf("%d steps were done, want 50", len(did))
	}
	wantClean(t, s)
}

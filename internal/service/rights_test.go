package service

import (
	"strings"
	"sync/atomic"
	"testing"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/testing/scratch"
	"understudy/steps"
)

// refusing refuses the kind of our runs.
func refusing(_, client string, k steps.Kind) error {
	return access.NewModes(nil).Allow(access.Policy{Exclude: []string{"mark"}}, client, k)
}

// TestGuestsAreHeldToTheirRights from their first step on.
func TestGuestsAreHeldToTheirRights(t *testing.T) {
	dir := t.TempDir()
	served, owner := pair(t, dir)
	guest := served.Engine.For(&engine.Caller{Allow: refusing})
	openGate(t, dir)
	for _, c := range []struct {
		say  string
		by   engine.Runs
		want engine.Status
	}{{"a server", guest, engine.Failed}, {"a person", owner, engine.Succeeded}} {
		h, err := c.by.Start(t.Context(), marking(dir, 2))
		if err != nil {
			t.Fatal(err)
		}
		if h, err = c.by.Wait(t.Context(), h.ID); err != nil || h.Status != c.want {
			t.Errorf("%s: %s, %v, want %s", c.say, h.Status, err, c.want)
		}
	}
	if n := marks(t, dir); n != 2 {
		t.Errorf("%d marks, want those of the person only", n)
	}
}

// answering is a server that answers for its runs: with a refusal once it is told so.
func answering(h *Host) (runs engine.Runs, refuse *atomic.Bool, asked *atomic.Int32) {
	refuse, asked = new(atomic.Bool), new(atomic.Int32)
	return h.Engine.For(&engine.Caller{Allow: func(run, client string, k steps.Kind) error {
		asked.Add(1)
		if client != "laptop/tester" || k.Name != "mark" {
			return steps.Errorf(steps.Internal, "asked for %q of %q in %q", k.Name, client, run)
		}
		if refuse.Load() {
			return steps.Errorf(steps.Denied, "the token of laptop was taken back")
		}
		return nil
	}}), refuse, asked
}

// inSecondStep starts a run of a server with a number of steps, and returns when the second acts.
func inSecondStep(t *testing.T, guest engine.Runs, dir string, n int) engine.Header {
	t.Helper()
	r := marking(dir, n)
	r.Client = "laptop/tester"
	h, err := guest.Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	return h
}

// TestGuestIsAskedBeforeEachStep takes a token back while a run of a server is under way:
// the next step is denied, with the words of the server.
func TestGuestIsAskedBeforeEachStep(t *testing.T) {
	dir := t.TempDir()
	guest, refuse, asked := answering(host(t, dir))
	h := inSecondStep(t, guest, dir, 4)
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times for 2 steps", n)
	}
	refuse.Store(true)
	openGate(t, dir)
	h, err := guest.Wait(t.Context(), h.ID)
	if err != nil || h.Status != engine.Failed || h.Error.Code != steps.Denied || !strings.Contains(h.Error.Message, "taken back") || marks(t, dir) != 2 {
		t.Fatalf("%s, %v, %v, after %d marks", h.Status, h.Error, err, marks(t, dir))
	}
	refuse.Store(false)
	if _, err := guest.Resume(t.Context(), h.ID, engine.ResumeRequest{By: "laptop/tester"}); err != nil {
		t.Fatal(err)
	}
	if h, err = guest.Wait(t.Context(), h.ID); err != nil || h.Status != engine.Succeeded {
		t.Errorf("resumed: %s, %v, %v", h.Status, h.Error, err)
	}
}

// TestRightsChangeUnderWay takes the right to act from a server whose run waits
// in a step: the next one is denied. Whoever resumes it counts then.
func TestRightsChangeUnderWay(t *testing.T) {
	dir := t.TempDir()
	served, owner := pair(t, dir)
	guest, refuse, _ := answering(served)
	h := inSecondStep(t, guest, dir, 3)
	refuse.Store(true)
	openGate(t, dir)
	h, err := guest.Wait(t.Context(), h.ID)
	if err != nil || h.Status != engine.Failed || h.Error.Code != steps.Denied || marks(t, dir) != 2 {
		t.Fatalf("%s, %v, %v, after %d marks", h.Status, h.Error, err, marks(t, dir))
	}
	if _, err := guest.Resume(t.Context(), h.ID, engine.ResumeRequest{}); err != nil {
		t.Fatal(err)
	}
	if h, err = guest.Wait(t.Context(), h.ID); err != nil || h.Status != engine.Failed {
		t.Errorf("resumed by the server: %s, %v", h.Status, err)
	}
	if _, err := owner.Resume(t.Context(), h.ID, engine.ResumeRequest{}); err != nil {
		t.Fatal(err)
	}
	if h, err = owner.Wait(t.Context(), h.ID); err != nil || h.Status != engine.Succeeded {
		t.Errorf("resumed by a person: %s, %v", h.Status, err)
	}
}

// TestARefusedResumptionLeavesTheRunToAnotherMember has a person resume the run of a server
// that is being executed, which is refused: the server decides about it still.
func TestARefusedResumptionLeavesTheRunToAnotherMember(t *testing.T) {
	dir := t.TempDir()
	served, person := pair(t, dir)
	guest, refuse, _ := answering(served)
	h := inSecondStep(t, guest, dir, 3)
	if _, err := person.Resume(t.Context(), h.ID, engine.ResumeRequest{}); steps.CodeOf(err) != steps.Busy {
		t.Fatalf("wanted it refused, got %v", err)
	}
	refuse.Store(true)
	openGate(t, dir)
	h, err := person.Wait(t.Context(), h.ID)
	if err != nil || h.Error == nil || h.Error.Code != steps.Denied {
		t.Errorf("%s, %v, %v", h.Status, h.Error, err)
	}
}

// TestNewsOfAnyRun counts: nothing that happens between two questions is missed.
func TestNewsOfAnyRun(t *testing.T) {
	dir := t.TempDir()
	owner, guest := pair(t, dir)
	openGate(t, dir)
	for _, m := range []engine.Runs{owner.Engine, guest} {
		before, err := m.Await(t.Context(), "", 0)
		if err != nil || before.Seq == 0 {
			t.Fatalf("%v, %v", before, err)
		}
		h, err := owner.Engine.Start(t.Context(), marking(dir, 2))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := owner.Engine.Wait(t.Context(), h.ID); err != nil {
			t.Fatal(err)
		}
		after, err := m.Await(t.Context(), "", before.Seq) // all of it has happened
		if err != nil || after.Seq <= before.Seq {
			t.Errorf("%d after %d, %v", after.Seq, before.Seq, err)
		}
	}
}

package owner

import (
	"context"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/scratch"
	"understudy/mcpserver/access"
	"understudy/steps"
)

// refusing are rights that refuse the kind of our runs.
var refusing = access.Rights{Policy: access.Policy{Exclude: []string{"mark"}}}

// TestGuestsAreHeldToTheirRights from their first step on.
func TestGuestsAreHeldToTheirRights(t *testing.T) {
	dir := t.TempDir()
	owner := join(t, optionsFor(dir))
	o := optionsFor(dir)
	o.Hello.Rights = &refusing
	guest := join(t, o)
	openGate(t, dir)
	for _, c := range []struct {
		say  string
		by   *Member
		want engine.Status
	}{{"a guest", guest, engine.Failed}, {"the owner", owner, engine.Succeeded}} {
		h, err := c.by.Start(t.Context(), marking(dir, 2))
		if err != nil {
			t.Fatal(err)
		}
		if h, err = c.by.Wait(t.Context(), h.ID); err != nil || h.Status != c.want {
			t.Errorf("%s: %s, %v, want %s", c.say, h.Status, err, c.want)
		}
	}
	if n := marks(t, dir); n != 2 {
		t.Errorf("%d marks, want those of the owner only", n)
	}
}

// TestRightsChangeUnderWay takes the right to act from a guest whose run waits
// in a step: the next one is denied. Whoever resumes it counts then.
func TestRightsChangeUnderWay(t *testing.T) {
	dir := t.TempDir()
	owner := join(t, optionsFor(dir))
	guest := join(t, optionsFor(dir))
	h, err := guest.Start(t.Context(), marking(dir, 3))
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	if err := guest.SetRights(t.Context(), refusing); err != nil {
		t.Fatal(err)
	}
	openGate(t, dir)
	h, err = guest.Wait(t.Context(), h.ID)
	if err != nil || h.Status != engine.Failed || h.Error.Code != steps.Denied || marks(t, dir) != 2 {
		t.Fatalf("%s, %v, %v, after %d marks", h.Status, h.Error, err, marks(t, dir))
	}
	if _, err := guest.Resume(t.Context(), h.ID, engine.ResumeRequest{}); err != nil {
		t.Fatal(err)
	}
	if h, err = guest.Wait(t.Context(), h.ID); err != nil || h.Status != engine.Failed {
		t.Errorf("resumed by the guest: %s, %v", h.Status, err)
	}
	if _, err := owner.Resume(t.Context(), h.ID, engine.ResumeRequest{}); err != nil {
		t.Fatal(err)
	}
	if h, err = owner.Wait(t.Context(), h.ID); err != nil || h.Status != engine.Succeeded {
		t.Errorf("resumed by the owner: %s, %v", h.Status, err)
	}
}

// TestRightsAreToldToTheNextOwner keeps what was changed under way.
func TestRightsAreToldToTheNextOwner(t *testing.T) {
	dir := t.TempDir()
	first := join(t, optionsFor(dir))
	second := join(t, optionsFor(dir))
	o := optionsFor(dir)
	o.Open = func(context.Context) (Local, error) { return Local{}, engine.ErrLocked } // it never is the owner
	guest := join(t, o)
	if err := guest.SetRights(t.Context(), refusing); err != nil {
		t.Fatal(err)
	}
	if err := first.Leave(context.WithoutCancel(t.Context())); err != nil {
		t.Fatal(err)
	}
	if _, err := second.List(t.Context(), engine.Query{}); err != nil {
		t.Fatal(err)
	}
	openGate(t, dir)
	h, err := guest.Start(t.Context(), marking(dir, 1))
	if err != nil {
		t.Fatal(err)
	}
	h, err = guest.Wait(t.Context(), h.ID)
	if err != nil || h.Status != engine.Failed || !strings.Contains(h.Error.Message, "--exclude-tools") {
		t.Errorf("%s, %v, %v", h.Status, h.Error, err)
	}
}

// TestNewsOfAnyRun counts: nothing that happens between two questions is missed.
func TestNewsOfAnyRun(t *testing.T) {
	dir := t.TempDir()
	owner := join(t, optionsFor(dir))
	guest := join(t, optionsFor(dir))
	openGate(t, dir)
	for _, m := range []*Member{owner, guest} {
		before, err := m.Await(t.Context(), "", 0)
		if err != nil || before.Seq == 0 {
			t.Fatalf("%v, %v", before, err)
		}
		h, err := owner.Start(t.Context(), marking(dir, 2))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := owner.Wait(t.Context(), h.ID); err != nil {
			t.Fatal(err)
		}
		after, err := m.Await(t.Context(), "", before.Seq) // all of it has happened
		if err != nil || after.Seq <= before.Seq {
			t.Errorf("%d after %d, %v", after.Seq, before.Seq, err)
		}
	}
}

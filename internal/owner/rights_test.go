package owner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/testing/scratch"
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

// startsOnly is a Runs whose Start and Resume do what a test wants.
type startsOnly struct {
	engine.Runs
	do func(id string) (engine.Header, error)
}

func (r startsOnly) Start(_ context.Context, q engine.Request) (engine.Header, error) {
	return r.do(q.Key)
}

func (r startsOnly) Resume(_ context.Context, id string, _ engine.ResumeRequest) (engine.Header, error) {
	return r.do(id)
}

func attributingFor(h *host, member string, do func(id string) (engine.Header, error)) attributing {
	return attributing{startsOnly{do: do}, h, member}
}

func newAttribution() *host {
	h := &host{}
	h.attribution = attribution{
		owner: "owner", inUse: func() (runs, members []string) { return nil, nil },
		runs: map[string]attributed{}, rights: map[string]*access.Rights{},
	}
	return h
}

// TestARunThatIsBegunIsNotForgotten begins a run while so many are known that those at rest
// are forgotten: the run is not active yet, and its first step must not be allowed with the
// rights of the owner.
func TestARunThatIsBegunIsNotForgotten(t *testing.T) {
	h := newAttribution()
	_, err := attributingFor(h, "guest", func(id string) (engine.Header, error) {
		for i := range mostNoted {
			h.attribution.setMember(fmt.Sprint("other", i), "another")
		}
		if a, _ := h.attribution.of(id); a.member != "guest" {
			t.Errorf("at its first step the run belongs to %s", a.member)
		}
		return engine.Header{ID: id}, nil
	}).Start(t.Context(), engine.Request{Key: "run"})
	if err != nil {
		t.Fatal(err)
	}
	for i := range mostNoted {
		h.attribution.setMember(fmt.Sprint("more", i), "another")
	}
	if a, _ := h.attribution.of("run"); a.member != "owner" {
		t.Errorf("a run at rest is still known, as one of %s", a.member)
	}
}

// TestARefusedResumptionLeavesTheRunToAnotherMember lets two members resume a run: the one
// that was first is refused after the other has the run.
func TestARefusedResumptionLeavesTheRunToAnotherMember(t *testing.T) {
	h := newAttribution()
	refused := errors.New("the run is being executed")
	_, err := attributingFor(h, "first", func(id string) (engine.Header, error) {
		_, err := attributingFor(h, "second", func(id string) (engine.Header, error) {
			return engine.Header{ID: id}, nil
		}).Resume(t.Context(), id, engine.ResumeRequest{})
		return engine.Header{}, errors.Join(err, refused)
	}).Resume(t.Context(), "run", engine.ResumeRequest{})
	if !errors.Is(err, refused) {
		t.Fatal(err)
	}
	if a, _ := h.attribution.of("run"); a.member != "second" {
		t.Errorf("the run belongs to %s", a.member)
	}
}

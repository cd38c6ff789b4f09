package owner

import (
	"strings"
	"sync/atomic"
	"testing"

	"understudy/engine"
	"understudy/internal/access"
	"understudy/internal/testing/scratch"
	"understudy/steps"
)

// answering are the options of a guest that answers for its runs: with a refusal once
// it is told so.
func answering(dir string, bound bool) (o Options, refuse *atomic.Bool, asked *atomic.Int32) {
	o, refuse, asked = optionsFor(dir), new(atomic.Bool), new(atomic.Int32)
	o.Hello.KeepRunning = true
	o.Allow = func(run, client string, k steps.Kind) (bool, error) {
		asked.Add(1)
		if client != "laptop/tester" || k.Name != "mark" {
			return bound, steps.Errorf(steps.Internal, "asked for %q of %q in %q", k.Name, client, run)
		}
		if refuse.Load() {
			return bound, steps.Errorf(steps.Denied, "the token of laptop was taken back")
		}
		return bound, nil
	}
	return o, refuse, asked
}

// TestGuestIsAskedBeforeEachStep takes a token back while a run of a guest is under way:
// the next step is denied by the owner, with the words of the guest.
func TestGuestIsAskedBeforeEachStep(t *testing.T) {
	dir := t.TempDir()
	join(t, optionsFor(dir))
	o, refuse, asked := answering(dir, true)
	guest := join(t, o)
	r := marking(dir, 4)
	r.Client = "laptop/tester"
	h, err := guest.Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	if n := asked.Load(); n != 2 {
		t.Errorf("asked %d times for 2 steps", n)
	}
	refuse.Store(true)
	openGate(t, dir)
	h, err = guest.Wait(t.Context(), h.ID)
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

// TestGuestIsAskedOnceForARunOfAPerson holds that no step of such a run waits for the
// guest but the first of each kind, that rights which were taken away count at the next
// step all the same, and that whoever continues the run is asked for anew.
func TestGuestIsAskedOnceForARunOfAPerson(t *testing.T) {
	dir := t.TempDir()
	join(t, optionsFor(dir))
	o, _, asked := answering(dir, false)
	guest := join(t, o)
	r := marking(dir, 4)
	r.Client = "laptop/tester"
	h, err := guest.Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
	if err := guest.SetRights(t.Context(), refusing); err != nil {
		t.Fatal(err)
	}
	openGate(t, dir)
	if h, err = guest.Wait(t.Context(), h.ID); err != nil || h.Status != engine.Failed || h.Error.Code != steps.Denied || marks(t, dir) != 2 {
		t.Fatalf("without the right: %s, %v, %v, after %d marks", h.Status, h.Error, err, marks(t, dir))
	}
	if n := asked.Load(); n != 1 {
		t.Errorf("asked %d times for 2 steps of one kind", n)
	}
	if err := guest.SetRights(t.Context(), access.Rights{}); err != nil {
		t.Fatal(err)
	}
	if _, err := guest.Resume(t.Context(), h.ID, engine.ResumeRequest{By: "laptop/tester"}); err != nil {
		t.Fatal(err)
	}
	if h, err = guest.Wait(t.Context(), h.ID); err != nil || h.Status != engine.Succeeded || asked.Load() != 2 {
		t.Errorf("resumed: %s, %v, %v, asked %d times", h.Status, h.Error, err, asked.Load())
	}
}

// TestRunsOfAGuestThatIsGone go on when no credential began them, and end when one did,
// because nobody can tell any more whether it counts.
func TestRunsOfAGuestThatIsGone(t *testing.T) {
	for _, c := range []struct {
		say   string
		bound bool
		want  engine.Status
		code  steps.Code
		marks int
	}{
		{"a run of a credential", true, engine.Failed, steps.Denied, 2},
		{"a run of a person", false, engine.Succeeded, "", 4},
	} {
		t.Run(c.say, func(t *testing.T) {
			dir := t.TempDir()
			o := optionsFor(dir)
			gone := make(chan struct{})
			o.Gone = func(Client, []string) { close(gone) }
			owner := join(t, o)
			with, _, _ := answering(dir, c.bound)
			guest, err := Join(t.Context(), with)
			if err != nil {
				t.Fatal(err)
			}
			r := marking(dir, 4)
			r.Client = "laptop/tester"
			h, err := guest.Start(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			scratch.Until(t, "the second step acts", func() bool { return marks(t, dir) == 2 })
			if err := guest.Leave(t.Context()); err != nil {
				t.Fatal(err)
			}
			<-gone
			openGate(t, dir)
			h, err = owner.Wait(t.Context(), h.ID)
			if err != nil || h.Status != c.want || c.code != "" && h.Error.Code != c.code || marks(t, dir) != c.marks {
				t.Errorf("%s, %v, %v, after %d marks", h.Status, h.Error, err, marks(t, dir))
			}
		})
	}
}

// BenchmarkGuestIsAsked measures what a question costs a step.
func BenchmarkGuestIsAsked(b *testing.B) {
	dir := b.TempDir()
	o := optionsFor(dir)
	owner, err := Join(b.Context(), o)
	if err != nil {
		b.Fatal(err)
	}
	with, _, _ := answering(dir, true)
	guest, err := Join(b.Context(), with)
	if err != nil {
		b.Fatal(err)
	}
	defer func() { _, _ = guest.Leave(b.Context()), owner.Leave(b.Context()) }()
	h := owner.now.host
	for b.Loop() {
		if err := h.ask(attributed{member: guest.id}, "run", "laptop/tester", steps.Kind{Name: "mark"}); err != nil {
			b.Fatal(err)
		}
	}
}

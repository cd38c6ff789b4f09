package engine

import (
	"context"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
)

const paused = `
variables:
  word: {type: string, secret: true, required: true}
steps:
  - id: one
    tool_name: act
    arguments: {name: one}
  - id: two
    tool_name: act
    arguments: {name: "${{ inputs.word }}"}
`

// pausedWithBelongings is a run that stands before its second step.
func pausedWithBelongings(t *testing.T) (*stage, Header) {
	s := newStage(t)
	r := s.request(paused, nil)
	r.Secrets, r.Environ, r.StepThrough = map[string]string{"word": "sesame"}, []string{"A=1"}, true
	h := s.play(r)
	if h.Status != Paused {
		t.Fatalf("wanted it paused, got %s: %+v", h.Status, h.Error)
	}
	return s, h
}

func TestARunGoesOnInAnotherProcessWithWhatItHad(t *testing.T) {
	s, h := pausedWithBelongings(t)
	b := s.Unstored(h.ID)
	if b.Secrets["word"] != "sesame" || !slices.Equal(b.Environ, []string{"A=1"}) {
		t.Fatalf("wanted its secret and its environment, got %v", b.Environ)
	}
	s.again()
	s.RestoreUnstored(h.ID, b)
	if _, err := s.Continue(t.Context(), h.ID); err != nil {
		t.Fatal(err)
	}
	if h := s.rest(h.ID); h.Status != Succeeded || s.did() != "one sesame" {
		t.Errorf("wanted it to succeed, got %s: %s", h.Status, s.did())
	}
}

func TestWithoutItsSecretAContinuedRunAsksForIt(t *testing.T) {
	s, h := pausedWithBelongings(t)
	s.again()
	got, err := s.Continue(t.Context(), h.ID)
	if err != nil || got.Status != Waiting || got.Question.Sort != AskSecret {
		t.Errorf("wanted it to ask for the secret, got %s, %v", got.Status, err)
	}
}

// TestLateResumeChangesNothing resumes a run twice: the second call has read the run
// before the first one continued it, and comes when the run has ended.
func TestLateResumeChangesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(failsAtB, nil))
		s.Files = slowFiles{s.Files, new(atomic.Int32)}
		late := make(chan error)
		for range 2 {
			go func() {
				_, err := s.Resume(t.Context(), h.ID, ResumeRequest{})
				late <- err
			}()
		}
		if err := <-late; err != nil {
			t.Fatal(err)
		}
		if err := <-late; err == nil {
			t.Error("it was resumed twice")
		}
		if h := s.rest(h.ID); h.Status != Succeeded || h.Error != nil || s.did() != "a b c" {
			t.Errorf("the run is %s (%+v) and did %q", h.Status, h.Error, s.did())
		}
	})
}

// remover is a keeper that removes everything.
type remover struct{ Maintainer }

func (remover) Remove(context.Context, string) error { return nil }

func TestNothingIsKeptOfARunThatIsRemoved(t *testing.T) {
	s, h := pausedWithBelongings(t)
	s.Maintainer = remover{}
	if err := s.Remove(t.Context(), h.ID, true); err != nil {
		t.Fatal(err)
	}
	if kept := s.Kept(); len(kept) > 0 {
		t.Errorf("something of %v is kept", kept)
	}
}

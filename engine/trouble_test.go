package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/workflows/expression"
)

func TestSecretsGivenOneByOne(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		r := s.request(`
variables: {pin: {type: string, secret: true}, word: {type: string, secret: true}, hint: {type: string, secret: true, required: false}}
steps: [{tool_name: act, arguments: {name: "${{ inputs.pin }}/${{ inputs.word }}/${{ inputs.hint ?? 'none' }}"}}]`, nil)
		r.Secrets = map[string]string{"pin": "1234"}
		h := s.play(r)
		if h.Status != Waiting || h.Question.Step != "word" {
			t.Fatalf("the run is %s and asks %+v", h.Status, h.Question)
		}
		if _, err := s.Answer(t.Context(), h.ID, Answer{Secrets: map[string]string{"word": "sesame"}}); err != nil {
			t.Fatal(err)
		}
		if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "1234/sesame/none" {
			t.Errorf("the run is %s and did %q: %+v", h.Status, s.did(), h.Error)
		}
	})
}

func TestFullDisk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		count := 0
		s.store.fail = func(Batch) error {
			if count++; count > 1 {
				return ErrFull
			}
			return nil
		}
		h := s.play(s.request(`steps: [{tool_name: idem, arguments: {name: a}}, {tool_name: idem, arguments: {name: b}}]`, nil))
		if h.Status != Interrupted || h.Error == nil || h.Error.Code != steps.Unavailable || s.did() != "a" {
			t.Fatalf("with a full disk the run is %s, %+v, and did %q", h.Status, h.Error, s.did())
		}
		s.store.mu.Lock()
		s.store.fail = nil
		s.store.mu.Unlock()
		if h = s.resume(h.ID, ResumeRequest{}); h.Status != Succeeded || s.did() != "a a b" {
			t.Errorf("resumed, the run is %s and did %q", h.Status, s.did())
		}
	})
}

func TestStaleWorkerEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h, err := s.Start(t.Context(), s.request(`steps: [{delay: 1m, tool_name: idem, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`, nil))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		other := &Engine{Store: s.store, Files: s.store, Kinds: s.Kinds, Desk: noDesk{}}
		if _, err := other.Resume(t.Context(), h.ID, ResumeRequest{}); err != nil {
			t.Fatal(err)
		}
		if _, err := other.Wait(t.Context(), h.ID); err != nil {
			t.Fatal(err)
		}
		s.rest(h.ID)
		if h, _ = other.Get(t.Context(), h.ID); h.Status != Succeeded || s.did() != "a b" {
			t.Errorf("the run is %s and did %q: the older worker may not act", h.Status, s.did())
		}
	})
}

func TestPolicyAtEachStep(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		denied := false
		s.Allow = func(string, string, steps.Kind) error {
			if denied {
				return steps.Errorf(steps.Denied, "does not hold")
			}
			denied = true
			return nil
		}
		h := s.play(s.request(`steps: [{tool_name: act, arguments: {name: a}}, {retries: 2, tool_name: act, arguments: {name: b}}]`, nil))
		if h.Status != Failed || h.Error.Code != steps.Denied || s.did() != "a" {
			t.Errorf("the run is %s, %+v, and did %q", h.Status, h.Error, s.did())
		}
	})
}

// TestExpressionsLookForWhoMay holds that what an expression sees is asked about as
// what the kind sees that looks alike.
func TestExpressionsLookForWhoMay(t *testing.T) {
	for doc, looks := range map[string]bool{
		`steps: [{if: "exists('role:button')", tool_name: act, arguments: {name: a}}]`:             true,
		`steps: [{tool_name: act, arguments: {name: a}, expect: "exists('role:button')"}]`:         true,
		`steps: [{tool_name: act, arguments: {name: "${{ text('role:button') }}"}}]`:               true,
		`steps: [{tool_name: act, arguments: {name: a}}]` + "\noutput: ${{ text('role:button') }}": true,
		`steps: [{if: "1 == 1", tool_name: act, arguments: {name: a}}]`:                            false,
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t)
			asked := 0
			s.Probe = func(func(context.Context) (*desktop.Desktop, error), string, []string) expression.Probe {
				return changing{time.Now(), func(time.Duration) bool { return true }, &asked}
			}
			s.Kinds = append(s.Kinds, steps.Kind{Name: lookingKind, Reads: true})
			s.Allow = func(_, _ string, k steps.Kind) error {
				if k.Name == lookingKind {
					return steps.Errorf(steps.Denied, "it may not look")
				}
				return nil
			}
			h := s.play(s.request(doc, nil))
			if denied := h.Status == Failed && h.Error.Code == steps.Denied; denied != looks || asked > 0 {
				t.Errorf("%s: the run is %s, %+v; it looked %d times", doc, h.Status, h.Error, asked)
			}
		})
	}
}

func TestLargeResult(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(`steps: [{id: a, tool_name: act, arguments: {name: a, value: "`+strings.Repeat("x", maxResult)+`"}}]`, nil))
		result, _ := s.state(h.ID).Scopes[1].Steps["a"].Result.(map[string]any)
		hash, _ := result["$artifact"].(string)
		if raw, err := s.File(t.Context(), Artifacts, hash); err != nil || len(raw) <= maxResult {
			t.Errorf("a large result is kept as %v: %d bytes, %v", result, len(raw), err)
		}
	})
}

// TestManyReturns holds that going back many times costs no more each time.
func TestManyReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(`steps: [{tool_name: idem, arguments: {name: a}}, {id: b, tool_name: idem, arguments: {name: b}}]`, nil))
		for range 12 {
			h = s.resume(h.ID, ResumeRequest{From: "b"})
		}
		if h.Status != Succeeded || h.Attempt != 13 || strings.Count(s.did(), "b") != 13 {
			t.Errorf("the run is %s after %d attempts", h.Status, h.Attempt)
		}
		s.foldsAgree(h.ID)
	})
}

func TestWatcherSlowsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		_, end := s.News("") // nobody reads it
		defer end()
		began := time.Now()
		if h := s.play(s.request(`steps: [{foreach: [1, 2, 3, 4], steps: [{tool_name: act, arguments: {name: a}}]}]`, nil)); h.Status != Succeeded || time.Since(began) > 0 {
			t.Errorf("watched, the run is %s after %s", h.Status, time.Since(began))
		}
	})
}

// TestPolicyIsOfWhoContinuesTheRun resumes a run of one client as another, whose
// rights count from then on.
func TestPolicyIsOfWhoContinuesTheRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		var asked []string
		s.Allow = func(run, client string, _ steps.Kind) error {
			asked = append(asked, client)
			if client == "first" {
				return steps.Errorf(steps.Denied, "does not hold")
			}
			return nil
		}
		r := s.request(`steps: [{tool_name: act, arguments: {name: a}}]`, nil)
		r.Client = "first"
		h := s.play(r)
		if h.Status != Failed {
			t.Fatalf("the run is %s", h.Status)
		}
		if _, err := s.Resume(t.Context(), h.ID, ResumeRequest{By: "second"}); err != nil {
			t.Fatal(err)
		}
		h, err := s.Wait(t.Context(), h.ID)
		if err != nil || h.Status != Succeeded || s.did() != "a" {
			t.Errorf("the run is %s, %v, and did %q", h.Status, err, s.did())
		}
		if diff := cmp.Diff([]string{"first", "second"}, asked); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPanicEndsItsRunOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.hook = func(_ context.Context, name string) error {
			if name == "a" {
				panic("a mistake")
			}
			return nil
		}
		h := s.play(s.request(`steps: [{continue_on_error: true, tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`, nil))
		if h.Status != Succeeded || h.Errors != 1 || s.did() != "b" {
			t.Errorf("the run is %s with %d errors and did %q", h.Status, h.Errors, s.did())
		}
		s.Allow = func(_, _ string, k steps.Kind) error {
			if k.Name == "idem" {
				panic("a mistake outside a kind")
			}
			return nil
		}
		if h = s.play(s.request(`steps: [{tool_name: act, arguments: {name: c}}, {tool_name: idem, arguments: {name: d}}]`, nil)); h.Status != Interrupted || h.Error == nil {
			t.Errorf("the run is %s, %+v", h.Status, h.Error)
		}
	})
}

// TestARunThatCannotBeStoredDoesNothing holds that who begins a run learns why
// its beginning was not stored.
func TestARunThatCannotBeStoredDoesNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.store.fail = func(Batch) error { return ErrFull }
		r := s.request(`steps: [{tool_name: act, arguments: {name: a}}]`, nil)
		if h, err := s.Start(t.Context(), r); !errors.Is(err, ErrFull) || h.ID != "" || s.did() != "" {
			t.Errorf("with a full disk the run %q began, %v, and did %q", h.ID, err, s.did())
		}
		s.store.fail = nil
		s.Allow = func(string, string, steps.Kind) error { panic("a mistake outside a kind") }
		if h, err := s.Start(t.Context(), r); err == nil || h.ID != "" {
			t.Errorf("with a mistake before anything was stored the run %q began", h.ID)
		}
		if len(s.Active()) > 0 {
			t.Errorf("%v is still executed", s.Active())
		}
	})
}

// TestASingleCallIsStoredTwice holds what a call of one kind costs: it is
// stored before it acts, and when it is over.
func TestASingleCallIsStoredTwice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h, err := s.Start(t.Context(), Request{Call: "act", Args: map[string]any{"name": "a"}})
		if err != nil || h.Seq != 1 || h.Status != Running {
			t.Errorf("the call begins at event %d and is %s, %v: who waits for more would miss its first step", h.Seq, h.Status, err)
		}
		h = s.rest(h.ID)
		if h.Status != Succeeded || s.store.batches != 2 {
			t.Errorf("the call %s and was stored in %d batches, want 2 (%s)", h.Status, s.store.batches, s.types(h.ID))
		}
	})
}

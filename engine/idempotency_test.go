package engine

import (
	"context"
	"sync"
	"testing"
	"testing/synctest"
)

const keyed = `
steps:
  - id: one
    tool_name: act
    arguments: {name: one, fail: 1}
`

func TestARequestThatIsSentAgainDoesNothingAgain(t *testing.T) {
	s := newStage(t)
	first := s.request(keyed, nil)
	first.Key = NewKey()
	for range 2 {
		if h := s.play(first); h.ID != first.Key || h.Attempt != 1 || s.did() != "one" {
			t.Errorf("wanted run %s to act once, got %s at attempt %d: %s", first.Key, h.ID, h.Attempt, s.did())
		}
		s.again()
	}
	again := ResumeRequest{Key: NewKey(), Decision: Redo}
	for range 2 {
		if _, err := s.Resume(t.Context(), first.Key, again); err != nil {
			t.Fatal(err)
		}
		if h := s.rest(first.Key); h.Status != Succeeded || h.Attempt != 2 {
			t.Fatalf("wanted attempt 2 to succeed, got attempt %d %s", h.Attempt, h.Status)
		}
		s.again()
	}
	fork := ResumeRequest{Key: NewKey()}
	for range 2 {
		h, err := s.Fork(t.Context(), first.Key, "one", fork)
		if err != nil || h.ID != fork.Key {
			t.Fatalf("wanted run %s, got %s, %v", fork.Key, h.ID, err)
		}
		s.rest(h.ID)
	}
	if s.did() != "one one one" {
		t.Errorf("wanted one act of each request, got %s", s.did())
	}
}

func TestAKeyThatNobodyMadeIsRefused(t *testing.T) {
	s := newStage(t)
	r := s.request(keyed, nil)
	r.Key = "../run"
	if _, err := s.Start(t.Context(), r); err == nil {
		t.Error("wanted it refused")
	}
}

// TestTwoEqualRequestsAtOnce sends a request again before the first is answered: both get the
// same run.
func TestTwoEqualRequestsAtOnce(t *testing.T) {
	for say, begin := range map[string]func(s *stage) func(context.Context) (Header, error){
		"a start": func(s *stage) func(context.Context) (Header, error) {
			r := s.request(keyed, nil)
			r.Key = NewKey()
			return func(ctx context.Context) (Header, error) { return s.Start(ctx, r) }
		},
		"a resumption": func(s *stage) func(context.Context) (Header, error) {
			h, r := s.play(s.request(keyed, nil)), ResumeRequest{Key: NewKey(), Decision: Redo}
			return func(ctx context.Context) (Header, error) { return s.Resume(ctx, h.ID, r) }
		},
	} {
		t.Run(say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				do := begin(s)
				before, goOn := s.did(), make(chan bool)
				s.beforeEffect = func(*worker) { <-goOn } // nothing is stored yet
				var calls sync.WaitGroup
				var got [2]Header
				for i := range got {
					calls.Go(func() {
						var err error
						if got[i], err = do(t.Context()); err != nil {
							t.Errorf("call %d: %v", i, err)
						}
					})
				}
				synctest.Wait()
				close(goOn)
				calls.Wait()
				s.rest(got[0].ID)
				if got[0].ID != got[1].ID || got[0].Attempt != got[1].Attempt || s.did() != before+" one" && s.did() != "one" {
					t.Errorf("the calls got %s (%d) and %s (%d), and did %q after %q", got[0].ID, got[0].Attempt, got[1].ID, got[1].Attempt, s.did(), before)
				}
			})
		})
	}
}

package engine

import "testing"

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

package engine

import (
	"context"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/testing/scratch"
	"understudy/steps"
)

// while does something in a goroutine at the moment at which an event of the given type
// is stored, and waits for it until it can do no more.
func (s *stage) while(typ EventType, do func()) {
	s.store.fail = func(b Batch) error {
		if slices.ContainsFunc(b.Events, func(ev Event) bool { return ev.Type == typ }) {
			s.store.fail = nil
			go do()
			synctest.Wait()
		}
		return nil
	}
}

// TestAStopIsNotLost stops runs that come to rest, or are at rest, at that moment: the
// goroutine that would have seen the stop is about to end.
func TestAStopIsNotLost(t *testing.T) {
	const finally = `
finally: [{tool_name: act, arguments: {name: f}}]`
	const doc = `
steps:
  - {tool_name: act, arguments: {name: a}}
  - {tool_name: ask_user, arguments: {question: "go on?"}}
  - {tool_name: act, arguments: {name: b}}` + finally
	for _, c := range []struct {
		say   string
		typ   EventType
		begin func(s *stage)
	}{
		{"a run that asks", EvAsked, func(s *stage) { s.play(s.request(doc, nil)) }},
		{"a run that pauses", EvPaused, func(s *stage) {
			r := s.request(`steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`+finally, nil)
			r.StepThrough = true
			s.play(r)
		}},
		{"a run that is handed back", EvReturned, func(s *stage) {
			h := s.play(s.request(doc, nil))
			_, _ = s.TakeOver(s.t.Context(), h.ID, Takeover{By: "ann"})
			_, _ = s.HandBack(s.t.Context(), h.ID, "ann")
		}},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				var stopped Header
				var err error
				s.while(c.typ, func() { stopped, err = s.Stop(t.Context(), s.Active()[0], ByUser, "enough") })
				c.begin(s)
				synctest.Wait()
				if err != nil {
					t.Fatalf("the stop failed: %v", err)
				}
				if h := s.rest(stopped.ID); h.Status != Cancelled || s.did() != "a f" {
					t.Errorf("the run is %s and did %q, want it cancelled, and finally done", h.Status, s.did())
				}
			})
		})
	}
}

// TestASecondStopEndsAFinallyThatAsks stops a run twice whose finally waits for an answer.
func TestASecondStopEndsAFinallyThatAsks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h, err := s.Start(t.Context(), s.request(`
steps: [{tool_name: act, arguments: {name: a, hang: true}}]
finally:
  - {tool_name: ask_user, arguments: {question: "is it closed?"}}
  - {tool_name: act, arguments: {name: f}}`, nil))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := s.Stop(t.Context(), h.ID, ByUser, "enough"); err != nil {
			t.Fatal(err)
		}
		if h := s.rest(h.ID); h.Status != Waiting {
			t.Fatalf("stopped once it is %s, want it to ask in its finally", h.Status)
		}
		if _, err := s.Stop(t.Context(), h.ID, ByUser, "at once"); err != nil {
			t.Fatal(err)
		}
		if h := s.rest(h.ID); h.Status != Cancelled || s.did() != "a" {
			t.Errorf("stopped twice it is %s and did %q, want it cancelled without its finally", h.Status, s.did())
		}
	})
}

// TestAClientThatGoesAfterItsStopLeavesFinally lets the client of a run go that has
// stopped it: that is no second stop.
func TestAClientThatGoesAfterItsStopLeavesFinally(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, by := newStage(t), &Caller{}
		s.hook = func(ctx context.Context, name string) error {
			if name == "f" {
				return steps.Sleep(ctx, time.Second)
			}
			return nil
		}
		h, err := s.For(by).Start(t.Context(), s.request(`
steps: [{tool_name: act, arguments: {name: a, hang: true}}]
finally: [{tool_name: act, arguments: {name: f}}, {tool_name: act, arguments: {name: g}}]`, nil))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if _, err := s.Stop(t.Context(), h.ID, ByUser, "enough"); err != nil {
			t.Fatal(err)
		}
		s.Gone(by)
		if h := s.rest(h.ID); h.Status != Cancelled || s.did() != "a f g" {
			t.Errorf("the run is %s and did %q, want it cancelled, and finally done", h.Status, s.did())
		}
	})
}

// TestAShutdownLeavesTheFinallyOfAStoppedRun ends the program while a run that was stopped, or
// that took too long, executes its finally: that is left to a later attempt, as after a crash.
func TestAShutdownLeavesTheFinallyOfAStoppedRun(t *testing.T) {
	for say, c := range map[string]struct {
		cause Cause
		ends  Status
	}{
		"somebody stopped it": {ByUser, Cancelled},
		"it took too long":    {ByTimeout, Failed},
	} {
		t.Run(say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				h, err := s.Start(t.Context(), s.request(`
resume: auto
timeout: 10s
steps: [{tool_name: look, arguments: {name: a, hang: true}}, {tool_name: act, arguments: {name: b}}]
finally: [{tool_name: idem, arguments: {name: f}}, {tool_name: idem, arguments: {name: g, hang: true}, timeout: 5s}]`, nil))
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				if c.cause == ByUser {
					if _, err := s.Stop(t.Context(), h.ID, ByUser, "enough"); err != nil {
						t.Fatal(err)
					}
				} else {
					time.Sleep(11 * time.Second)
				}
				synctest.Wait()
				if err := s.Shutdown(t.Context()); err != nil {
					t.Fatal(err)
				}
				s.again()
				if h, err = s.Get(t.Context(), h.ID); err != nil || h.Status != Interrupted || s.did() != "a f g" {
					t.Fatalf("it is %s and did %q, %v", h.Status, s.did(), err)
				}
				if _, err := s.Resume(t.Context(), h.ID, ResumeRequest{Auto: true}); err != nil {
					t.Fatal(err)
				}
				if h = s.rest(h.ID); h.Status != c.ends || s.did() != "a f g f g" {
					t.Errorf("it is %s and did %q, want it %s: %+v", h.Status, s.did(), c.ends, h.Error)
				}
			})
		})
	}
}

// TestARunWhoseClientHasJustGoneIsContinued resumes a run at once after its client has gone,
// while the step under way ends.
func TestARunWhoseClientHasJustGoneIsContinued(t *testing.T) {
	s := newStage(t)
	by := &Caller{}
	r := s.request(`steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b, hang: true}}]`, nil)
	h, err := s.For(by).Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	scratch.Until(t, "its first step is done", func() bool { return s.did() == "a b" || s.did() == "a" })
	if _, err := s.Plan(t.Context(), h.ID, ResumeRequest{}); steps.CodeOf(err) != steps.Busy {
		t.Errorf("while its client is there: %v", err)
	}
	s.Gone(&Caller{})
	if w := s.workers.of(h.ID); w == nil {
		t.Error("it ends when another client goes")
	}
	s.Gone(by)
	if p, err := s.Plan(t.Context(), h.ID, ResumeRequest{}); err != nil || p.From != "b" {
		t.Errorf("once its client has gone: %+v, %v", p, err)
	}
}

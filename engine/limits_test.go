package engine

import (
	"cmp"
	"context"
	"testing"
	"testing/synctest"
	"time"

	"understudy/steps"
)

// TestLimits holds how long things take, and what ends them.
func TestLimits(t *testing.T) {
	for _, c := range []struct {
		say    string
		doc    string
		did    string
		status Status
		code   steps.Code
		took   time.Duration
	}{
		{
			say: "a try ends with its time", doc: `steps: [{timeout: 2s, tool_name: act, arguments: {name: a, hang: true}}]`,
			did: "a", status: Failed, code: steps.Timeout, took: 2 * time.Second,
		},
		{say: "a group ends with its time, and its failure can be tolerated", doc: `
steps:
  - {group_name: g, timeout: 3s, skippable: true, steps: [{delay: 2s, tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b, hang: true}}, {tool_name: act, arguments: {name: c}}]}
  - {tool_name: act, arguments: {name: d}}`, did: "a b d", status: Succeeded, took: 3 * time.Second},
		{
			say: "a loop ends with its time", doc: `
steps: [{while: "true", max: 99, timeout: 3500ms, steps: [{delay: 1s, tool_name: look, arguments: {name: a}}]}]`,
			did: "a a a a", status: Failed, code: steps.Timeout, took: 3500 * time.Millisecond,
		},
		{
			say: "a called workflow ends with the time of its step", doc: `steps: [{group_name: g, timeout: 1s, steps: [{tool_name: act, arguments: {name: a, hang: true}}]}]`,
			did: "a", status: Failed, code: steps.Timeout, took: time.Second,
		},
		{say: "a workflow ends with its time, and finally still runs", doc: `
timeout: 5s
steps: [{tool_name: act, arguments: {name: a, hang: true}}]
finally: [{delay: 1s, tool_name: act, arguments: {name: f}}]`, did: "a f", status: Failed, code: steps.Timeout, took: 6 * time.Second},
		{
			say: "finally has thirty seconds in all", doc: `
steps: [{tool_name: act, arguments: {name: a}}]
finally: [{timeout: 1h, tool_name: act, arguments: {name: f, hang: true}}, {if: always(), tool_name: act, arguments: {name: g}}]`,
			did: "a f", status: Failed, code: steps.Timeout, took: 30 * time.Second,
		},
		{
			say: "a delay is a pause after a success", doc: `steps: [{delay: 2s, tool_name: act, arguments: {name: a}}, {delay: 9s, continue_on_error: true, tool_name: act, arguments: {name: b, fail: 1}}]`,
			did: "a b", status: Succeeded, took: 2 * time.Second,
		},
		{
			say: "the pauses between tries grow to their bound", doc: `steps: [{retry: {attempts: 5, delay: 1s, backoff: 2, max_delay: 3s}, tool_name: act, arguments: {name: a, fail: 4}}]`,
			did: "a a a a a", status: Succeeded, took: 9 * time.Second,
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				began := time.Now()
				h := s.play(s.request(c.doc, nil))
				var code steps.Code
				if h.Error != nil {
					code = h.Error.Code
				}
				if s.did() != c.did || h.Status != c.status || code != c.code || time.Since(began) != c.took {
					t.Errorf("did %q, %s %q after %s; want %q, %s %q after %s", s.did(), h.Status, code, time.Since(began), c.did, c.status, c.code, c.took)
				}
			})
		})
	}
}

// TestFailureNamesTheLimitThatWasPassed holds that a failure names the limit that was passed.
func TestFailureNamesTheLimitThatWasPassed(t *testing.T) {
	hang := "{tool_name: act, arguments: {name: a, hang: true}}"
	for _, c := range []struct{ doc, message string }{
		{"steps: [{timeout: 2s, tool_name: act, arguments: {name: a, hang: true}}]", "it did not end within 2s"},
		{"steps: [{group_name: g, timeout: 2s, steps: [" + hang + "]}]", "the group at step 0 did not end within 2s"},
		{"steps: [{id: all, foreach: [1], timeout: 2s, steps: [" + hang + "]}]", "the loop at step all did not end within 2s"},
		{"steps: [{id: all, workflow: w, timeout: 2s}]", "the called workflow at step all did not end within 2s"},
		{"timeout: 2s\nsteps: [" + hang + "]", "the workflow did not end within 2s"},
		{"steps: []\nfinally: [{timeout: 1h, tool_name: act, arguments: {name: a, hang: true}}]", "finally did not end within 30s"},
	} {
		t.Run(c.message, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				h := s.play(s.request(c.doc, map[string]string{"w": "steps: [" + hang + "]"}))
				if h.Error == nil || h.Error.Message != c.message || h.Error.Code != steps.Timeout || h.Error.Next == "" {
					t.Errorf("the run is %s: %+v", h.Status, h.Error)
				}
				for ev := range s.store.Events(t.Context(), h.ID, 1) {
					if end, _ := factOf[Ended](ev); ev.Type == EvEnded && end.Outcome.Error.Message != c.message {
						t.Errorf("the step says %q", end.Outcome.Error.Message)
					}
				}
			})
		})
	}
}

// TestClock holds that time in which a run stands still counts for no limit.
func TestClock(t *testing.T) {
	doc := `
timeout: 10s
steps:
  - group_name: g
    timeout: 5s
    steps:
      - {delay: 3s, tool_name: act, arguments: {name: a}}
      - {id: q, tool_name: ask_user, arguments: {question: "well?"}}
      - {delay: 1s, tool_name: act, arguments: {name: b}}`
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(doc, nil))
		time.Sleep(time.Hour)
		if _, err := s.Answer(t.Context(), h.ID, Answer{Value: "x"}); err != nil {
			t.Fatal(err)
		}
		if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "a b" {
			t.Errorf("after waiting, the run is %s and did %q: %+v", h.Status, s.did(), h.Error)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		r := s.request(`
timeout: 10s
steps: [{group_name: g, timeout: 5s, steps: [{delay: 2s, tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]}]`, nil)
		r.StepThrough = true
		h := s.play(r)
		time.Sleep(time.Hour)
		if _, err := s.Continue(t.Context(), h.ID); err != nil {
			t.Fatal(err)
		}
		if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "a b" {
			t.Errorf("after a pause, the run is %s and did %q: %+v", h.Status, s.did(), h.Error)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		slow, err := s.Start(t.Context(), s.request(`steps: [{delay: 1m, tool_name: act, arguments: {name: slow}}]`, nil))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		r := s.request(`
timeout: 10s
steps: [{group_name: g, timeout: 5s, steps: [{delay: 2s, tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]}]`, nil)
		r.Queue = true
		if h := s.play(r); h.Status != Succeeded || s.did() != "slow a b" {
			t.Errorf("after queueing, the run is %s and did %q: %+v", h.Status, s.did(), h.Error)
		}
		s.rest(slow.ID)
	})
}

// stopped starts a document, waits until it stands, and stops it.
func (s *stage) stopped(r Request, times int) Header {
	s.t.Helper()
	h, err := s.Start(s.t.Context(), r)
	if err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
	for range times {
		if _, err := s.Stop(s.t.Context(), h.ID, ByUser, "enough"); err != nil {
			s.t.Fatal(err)
		}
	}
	return s.rest(h.ID)
}

// TestStopAnywhere holds what a stop ends, and what it leaves alone.
func TestStopAnywhere(t *testing.T) {
	inFinally := `
steps: [{tool_name: look, arguments: {name: a}}]
finally: [{tool_name: act, arguments: {name: slow}}, {tool_name: act, arguments: {name: g}}]`
	for _, c := range []struct {
		say     string
		doc     string
		through bool
		times   int
		did     string
		status  Status // cancelled when empty
	}{
		{say: "a stop leaves finally alone, and the run ends as it would have", doc: inFinally, times: 1, did: "a slow g", status: Succeeded},
		{say: "so its finally takes it for no failure", times: 1, did: "a slow", status: Succeeded, doc: `
steps: [{tool_name: look, arguments: {name: a}}]
finally: [{tool_name: act, arguments: {name: slow}}, {if: failure(), tool_name: act, arguments: {name: g}}]`},
		{say: "a second stop ends finally too", doc: inFinally, times: 2, did: "a"},
		{say: "a stop in the finally of a run that failed hides no failure", times: 1, did: "slow", status: Failed, doc: `
steps: [{tool_name: act, arguments: {name: a, fail: 1, clean: true}}]
finally: [{tool_name: act, arguments: {name: slow}}]`},
		{say: "nor does a second stop", times: 2, did: "", status: Failed, doc: `
steps: [{tool_name: act, arguments: {name: a, fail: 1, clean: true}}]
finally: [{tool_name: act, arguments: {name: slow}}]`},
		{say: "nor does a stop in a step that runs after a failure", times: 1, did: "f", status: Failed, doc: `
steps: [{tool_name: act, arguments: {name: a, fail: 1, clean: true}}, {if: always(), tool_name: act, arguments: {name: slow}}]
finally: [{tool_name: act, arguments: {name: f}}]`},
		{say: "a stop in the finally of a called workflow ends the run", times: 1, did: "a slow", doc: `
steps: [{workflow: w}, {tool_name: act, arguments: {name: b}}]`},
		{say: "a stop ends a pause between tries", times: 1, did: "a", doc: `
steps: [{retry: {attempts: 3, delay: 1h}, tool_name: act, arguments: {name: a, fail: 3}}]`},
		{say: "a run that waits is stopped", times: 1, did: "f", doc: `
steps: [{tool_name: ask_user, arguments: {question: "?"}}]
finally: [{tool_name: act, arguments: {name: f}}]`},
		{say: "a run that is paused is stopped", through: true, times: 1, did: "a f", doc: `
steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]
finally: [{tool_name: act, arguments: {name: f}}]`},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.hook = func(ctx context.Context, name string) error {
					if name == "slow" {
						return steps.Sleep(ctx, 5*time.Second)
					}
					return nil
				}
				r := s.request(c.doc, map[string]string{"w": "steps: [{tool_name: act, arguments: {name: a}}]\nfinally: [{tool_name: act, arguments: {name: slow}}]"})
				r.StepThrough = c.through
				h := s.stopped(r, c.times)
				if want := cmp.Or(c.status, Cancelled); h.Status != want || s.did() != c.did {
					t.Errorf("stopped, the run is %s and did %q, want %s and %q (%s)", h.Status, s.did(), want, c.did, s.types(h.ID))
				}
				if len(s.Active()) > 0 {
					t.Errorf("%v is still executed", s.Active())
				}
			})
		})
	}
	t.Run("a run that queues is stopped, and an older stop touches no later run", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t)
			slow, err := s.Start(t.Context(), s.request(`steps: [{delay: 1m, tool_name: act, arguments: {name: slow}}]`, nil))
			if err != nil {
				t.Fatal(err)
			}
			r := s.request(`steps: [{tool_name: act, arguments: {name: a}}]`, nil)
			r.Queue = true
			synctest.Wait()
			h := s.stopped(r, 1)
			if h.Status != Cancelled || s.did() != "slow" {
				t.Errorf("stopped, the run is %s and did %q", h.Status, s.did())
			}
			if _, err := s.Stop(t.Context(), h.ID, ByUser, "again"); steps.CodeOf(err) != steps.Invalid {
				t.Errorf("a run that has ended is stopped: %v", err)
			}
			if h := s.play(r); h.Status != Succeeded {
				t.Errorf("the next run is %s", h.Status)
			}
			s.rest(slow.ID)
		})
	})
}

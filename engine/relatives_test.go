package engine

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestResumeAfterACrashBetweenTwoFacts holds that a run which ends between two facts that belong
// together is resumed where it stood, and does nothing again that was done.
func TestResumeAfterACrashBetweenTwoFacts(t *testing.T) {
	for _, c := range []struct {
		say    string
		doc    string
		also   map[string]string
		after  EventType // the run is stopped when the newest event is of this sort
		path   string    // and of this step
		resume []ResumeRequest
		did    string
		status Status
	}{
		{
			say: "stopped when a group has failed and nothing follows from it yet", after: EvLeft, path: "0", doc: `
steps:
  - {group_name: g, steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b, fail: 1, clean: true}}]}
  - {tool_name: act, arguments: {name: c}}`,
			resume: []ResumeRequest{{}}, did: "a b c", status: Succeeded,
		},
		{
			say: "stopped when a called workflow has failed", after: EvLeft, path: "0", doc: `
steps: [{workflow: w}, {tool_name: act, arguments: {name: c}}]`,
			also:   map[string]string{"w": `steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b, fail: 1, clean: true}}]`},
			resume: []ResumeRequest{{}}, did: "a b c", status: Succeeded,
		},
		{
			say: "stopped when a round of a loop has failed", after: EvLeft, path: "0", doc: `
steps: [{foreach: [1, 2], as: n, steps: [{tool_name: act, arguments: {name: "a${{ n }}"}}, {tool_name: act, arguments: {name: "b${{ n }}", fail: 1, clean: true}}]}]`,
			resume: []ResumeRequest{{}, {}}, did: "a1 b1 a2 b2", status: Succeeded,
		},
		{
			say: "stopped in the finally of a called workflow, which is not done again, and the rest is", after: EvEntered, path: "0/finally", doc: `
steps: [{workflow: w}, {tool_name: act, arguments: {name: c}}]
finally: [{tool_name: act, arguments: {name: g}}]`,
			also:   map[string]string{"w": "steps: [{tool_name: act, arguments: {name: a}}]\nfinally: [{tool_name: act, arguments: {name: f}}]"},
			resume: []ResumeRequest{{}}, did: "a f g c g", status: Succeeded,
		},
		{
			say: "stopped when troubleshooting has ended the run", after: EvLeft, path: "0", doc: `
steps: [{tool_name: act, arguments: {name: a}, jumps: [{if: "true", to_id: t}]}, {tool_name: act, arguments: {name: b}}]
troubleshooting: [{id: t, tool_name: act, arguments: {name: t}}]
finally: [{tool_name: act, arguments: {name: f}}]`,
			resume: []ResumeRequest{{}}, did: "a t f f", status: Succeeded,
		},
		{
			say: "stopped between a failure and its fallback", after: EvEnded, path: "0", doc: `
steps: [{fallback_id: fix, tool_name: act, arguments: {name: a, fail: 1}}]
troubleshooting: [{id: fix, tool_name: act, arguments: {name: fix}}]`,
			resume: []ResumeRequest{{}, {Decision: SkipStep}}, did: "a", status: Succeeded,
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				done := false
				s.beforeEffect = func(w *worker) {
					if last := w.pending; !done && len(last) > 0 && last[len(last)-1].Type == c.after && last[len(last)-1].Path == c.path {
						done = true
						w.stops.interrupt(ByUser, "enough")
					}
				}
				h := s.play(s.request(c.doc, c.also))
				if h.Status != Cancelled {
					t.Fatalf("stopped, the run is %s (%s)", h.Status, s.types(h.ID))
				}
				for _, r := range c.resume {
					h = s.resume(h.ID, r)
				}
				if s.did() != c.did || h.Status != c.status {
					t.Errorf("did %q and is %s, want %q and %s: %+v\n%s", s.did(), h.Status, c.did, c.status, h.Error, s.types(h.ID))
				}
			})
		})
	}
}

// TestFailureOutsideATryDoesNotRepeatIt holds that what fails beside a try, before or
// after it, neither repeats the try nor makes it forgotten.
func TestFailureOutsideATryDoesNotRepeatIt(t *testing.T) {
	for _, c := range []struct {
		say    string
		doc    string
		also   map[string]string
		cut    int
		resume []ResumeRequest
		did    string
		status Status
		asks   string
	}{
		{
			say: "a look at the expectation that fails leaves the step in doubt", cut: 3, doc: `
steps: [{expect: "run.attempt == 1 ? false : int('x') > 1", retries: 2, tool_name: act, arguments: {name: a}}]`,
			resume: []ResumeRequest{{}, {}}, did: "a", status: Waiting, asks: AskDoubt,
		},
		{
			say: "a jump that cannot be decided does not repeat its step", doc: `
steps: [{id: a, retries: 2, tool_name: act, arguments: {name: a}, jumps: [{if: "int('x') > 1", to_id: b}]}, {id: b, tool_name: act, arguments: {name: b}}]`,
			did: "a", status: Failed,
		},
		{
			say: "a jump that cannot be decided leaves its step in doubt", doc: `
steps: [{id: a, tool_name: act, arguments: {name: a}, jumps: [{if: "int('x') > 1", to_id: b}]}, {id: b, tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{}}, did: "a", status: Waiting, asks: AskDoubt,
		},
		{
			say: "a loop whose condition cannot be decided goes on in its round", doc: `
steps:
  - {tool_name: set, arguments: {env: {n: 0}}}
  - while: "run.attempt == 1 && env.n == 2 ? int('x') > 1 : env.n < 4"
    steps: [{tool_name: act, arguments: {name: "a${{ index }}"}}, {tool_name: set, arguments: {env: {n: "${{ env.n + 1 }}"}}}]`,
			resume: []ResumeRequest{{}}, did: "a0 a1 a2 a3", status: Succeeded,
		},
		{
			say: "a loop that went round too often goes on counting, with as many rounds more", doc: `
steps: [{while: "run.attempt == 1 || env.last < 4", max: 3, steps: [{tool_name: act, arguments: {name: "a${{ index }}"}}, {tool_name: set, arguments: {env: {last: "${{ index }}"}}}]}]`,
			resume: []ResumeRequest{{}}, did: "a0 a1 a2 a3 a4", status: Succeeded,
		},
		{
			say: "a called workflow whose finally failed is not done again, only its finally is", doc: `
steps: [{workflow: w}, {tool_name: act, arguments: {name: c}}]`,
			also: map[string]string{"w": `
steps: [{tool_name: act, arguments: {name: a}}]
finally: [{tool_name: act, arguments: {name: f, fail: 1, clean: true}}]`},
			resume: []ResumeRequest{{}}, did: "a f c", status: Succeeded,
		},
		{
			say: "a step in doubt is begun again when it is named", cut: 2, doc: `
steps: [{id: a, tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{}, {From: "a"}}, did: "a a b", status: Succeeded,
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				r := s.request(c.doc, c.also)
				var h Header
				if c.cut > 0 {
					h, _ = s.Get(t.Context(), s.cut(r, c.cut))
				} else {
					h = s.play(r)
				}
				for _, rr := range c.resume {
					h = s.resume(h.ID, rr)
				}
				asks := ""
				if h.Question != nil {
					asks = h.Question.Sort
				}
				if s.did() != c.did || h.Status != c.status || asks != c.asks {
					t.Errorf("did %q, is %s and asks %q; want %q, %s and %q: %+v\n%s", s.did(), h.Status, asks, c.did, c.status, c.asks, h.Error, s.types(h.ID))
				}
			})
		})
	}
}

// TestExpectationIsLookedAtAgain holds that a step which is done again by
// decision is judged by what held before that, and not long ago.
func TestExpectationIsLookedAtAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		id := s.cut(s.request(`steps: [{expect: run.attempt > 2, tool_name: act, arguments: {name: a}}]`, nil), 3)
		if h := s.resume(id, ResumeRequest{}); h.Status != Waiting {
			t.Fatalf("cut short, the run is %s (%s)", h.Status, s.types(id))
		}
		s.cutAt(3)
		if _, err := s.Resume(t.Context(), id, ResumeRequest{Decision: Redo}); err != nil {
			t.Fatal(err)
		}
		s.rest(id)
		s.mend()
		if h := s.resume(id, ResumeRequest{}); h.Status != Waiting || s.did() != "a a" {
			t.Errorf("done again and cut short, the run is %s and did %q; what it expects held before that (%s)", h.Status, s.did(), s.types(id))
		}
	})
}

// TestBeginAgainAnywhere holds where --from leads, and what its plan says of
// it: into calls, troubleshooting, finally and the steps before a further try.
func TestBeginAgainAnywhere(t *testing.T) {
	called := map[string]string{"w": `
steps: [{id: x, tool_name: act, arguments: {name: x}}, {id: a, tool_name: act, arguments: {name: wa}}]
finally: [{id: wf, tool_name: act, arguments: {name: wf}}]`}
	for _, c := range []struct {
		say    string
		doc    string
		from   string
		kept   string // the plan
		again  string
		undone string
		did    string // after
		status Status
		left   string // where the run would be resumed then
	}{
		{
			say: "into a call", from: "x", doc: `
steps: [{id: a, tool_name: act, arguments: {name: a}}, {workflow: w}, {tool_name: act, arguments: {name: c}}]`,
			kept: "0", again: "1/0 1/1 2", undone: "1/finally.0", did: "a x wa wf c x wa wf c", status: Succeeded,
		},
		{
			say: "a path into a call", from: "1/1", doc: `
steps: [{id: a, tool_name: act, arguments: {name: a}}, {workflow: w}, {tool_name: act, arguments: {name: c}}]`,
			kept: "0 1/0", again: "1/1 2", undone: "1/finally.0", did: "a x wa wf c wa wf c", status: Succeeded,
		},
		{
			say: "an id is first that of the document itself", from: "a", doc: `
steps: [{id: a, tool_name: act, arguments: {name: a}}, {workflow: w}]`,
			again: "0 1/0 1/1", undone: "1/finally.0", did: "a x wa wf a x wa wf", status: Succeeded,
		},
		{
			say: "into the finally of a call", from: "wf", doc: `
steps: [{workflow: w}, {tool_name: act, arguments: {name: c}}]`,
			kept: "0/0 0/1", again: "1", undone: "0/finally.0", did: "x wa wf c wf c", status: Succeeded,
		},
		{
			say: "into troubleshooting", from: "fix", doc: `
steps: [{id: a, fallback_id: fix, tool_name: act, arguments: {name: a, fail: 1}}, {id: b, tool_name: act, arguments: {name: b}}]
troubleshooting: [{tool_name: act, arguments: {name: never}}, {id: fix, tool_name: act, arguments: {name: fix}, jumps: [{if: "true", to_id: b}]}]`,
			kept: "0", again: "troubleshooting.1 1", did: "a fix b fix b", status: Succeeded,
		},
		{
			say: "into the steps before a further try", from: "mend", doc: `
steps: [{retry: {attempts: 2, before: [{id: mend, tool_name: act, arguments: {name: mend}}]}, tool_name: act, arguments: {name: a, fail: 1}}]`,
			kept: "0", again: "0.before.0 0", did: "a mend a mend a", status: Succeeded,
		},
		{
			say: "into the finally of a run that succeeded", from: "g", doc: `
steps: [{tool_name: act, arguments: {name: a}}]
finally: [{tool_name: act, arguments: {name: f}}, {id: g, tool_name: act, arguments: {name: g}}]`,
			kept: "0", undone: "finally.0 finally.1", did: "a f g g", status: Succeeded,
		},
		{
			say: "into the finally of a run that failed, which stays failed", from: "f", doc: `
steps: [{id: a, tool_name: act, arguments: {name: a, fail: 9, clean: true}}]
finally: [{id: f, tool_name: act, arguments: {name: f}}]`,
			kept: "0", undone: "finally.0", did: "f f", status: Failed, left: "a",
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				h := s.play(s.request(c.doc, called))
				r := ResumeRequest{From: c.from}
				before := s.types(h.ID)
				p, err := s.Plan(t.Context(), h.ID, r)
				if err != nil {
					t.Fatal(err)
				}
				if k, a, u := paths(p.Kept), paths(p.Again), paths(p.Undone); k != c.kept || a != c.again || u != c.undone {
					t.Errorf("the plan keeps %q, does %q again, and finally undid %q; want %q, %q and %q", k, a, u, c.kept, c.again, c.undone)
				}
				if s.types(h.ID) != before {
					t.Error("a plan is stored")
				}
				if h = s.resume(h.ID, r); s.did() != c.did || h.Status != c.status || h.ResumeFrom != c.left {
					t.Errorf("did %q, is %s and would continue at %q; want %q, %s and %q: %+v\n%s", s.did(), h.Status, h.ResumeFrom, c.did, c.status, c.left, h.Error, s.types(h.ID))
				}
			})
		})
	}
}

func paths(all []PlanStep) string {
	var out strings.Builder
	for i, p := range all {
		if i > 0 {
			out.WriteString(" ")
		}
		out.WriteString(p.Path)
	}
	return out.String()
}

// TestForkBeginsAtItsStep holds that a fork does nothing that comes before the
// step at which it begins.
func TestForkBeginsAtItsStep(t *testing.T) {
	for say, c := range map[string]struct{ doc, from, did string }{
		"in a list": {
			`steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b}}, {tool_name: act, arguments: {name: "c ${{ a_status }}"}}]`,
			"b", "a b c success b c success",
		},
		"at the first": {`steps: [{id: a, tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`, "a", "a b a b"},
		"in a loop": {
			`steps: [{foreach: [1, 2], as: n, steps: [{id: a, tool_name: act, arguments: {name: "a${{ n }}"}}, {id: b, tool_name: act, arguments: {name: "b${{ n }}"}}]}]`,
			"b", "a1 b1 a2 b2 b2",
		},
		"in finally": {
			`{steps: [{tool_name: act, arguments: {name: a}}], finally: [{id: f, tool_name: act, arguments: {name: f}}, {id: g, tool_name: act, arguments: {name: g}}]}`,
			"g", "a f g g",
		},
		"after what failed": {`steps: [{continue_on_error: true, tool_name: act, arguments: {name: a, fail: 9}}, {id: b, tool_name: act, arguments: {name: b}}]`, "b", "a b b"},
	} {
		t.Run(say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				h := s.play(s.request(c.doc, nil))
				f, err := s.Fork(t.Context(), h.ID, c.from, ResumeRequest{})
				if err != nil {
					t.Fatal(err)
				}
				if f = s.rest(f.ID); f.Status != Succeeded || s.did() != c.did || f.Parent != h.ID {
					t.Errorf("the fork is %s, of %s, and did %q, want %q", f.Status, f.Parent, s.did(), c.did)
				}
			})
		})
	}
}

// TestAForkHasItsOwnTime holds that the limits of a fork count from when it
// is made, and that what failed before it is none of its.
func TestAForkHasItsOwnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(`
steps:
  - group_name: g
    timeout: 10s
    steps:
      - {tool_name: act, arguments: {name: a, fail: 1, clean: true}}
      - {if: always(), id: b, delay: 1s, tool_name: act, arguments: {name: b}}
      - {tool_name: act, arguments: {name: c}}`, nil))
		if h.Status != Failed || s.did() != "b" {
			t.Fatalf("the run is %s and did %q", h.Status, s.did())
		}
		time.Sleep(time.Hour)
		f, err := s.Fork(t.Context(), h.ID, "b", ResumeRequest{})
		if err != nil {
			t.Fatal(err)
		}
		if f = s.rest(f.ID); f.Status != Succeeded || s.did() != "b b c" {
			t.Errorf("the fork is %s and did %q: %+v", f.Status, s.did(), f.Error)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		r := s.request(`steps: [{group_name: g, timeout: 1s, steps: [{tool_name: act, arguments: {name: a}}, {id: b, timeout: 1m, tool_name: act, arguments: {name: b, hang: true}}]}]`, nil)
		r.From = "b"
		began := time.Now()
		if h := s.play(r); h.Status != Failed || time.Since(began) != time.Second {
			t.Errorf("begun inside a group, the run is %s after %s: the group may take 1s", h.Status, time.Since(began))
		}
	})
}

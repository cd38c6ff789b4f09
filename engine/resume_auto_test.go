package engine

import (
	"strings"
	"testing"

	"understudy/steps"
)

// died continues a run by itself, in a process that dies when it stores the nth
// batch of the attempt.
func (s *stage) died(id string, n int) {
	s.t.Helper()
	s.cutAt(n)
	if h, err := s.Resume(s.t.Context(), id, ResumeRequest{Auto: true}); err == nil {
		_, _ = s.Wait(s.t.Context(), h.ID)
	}
	s.mend()
}

const goesOnAlone = `
resume: auto
steps: [{id: one, tool_name: idem, arguments: {name: a}}, {id: two, tool_name: idem, arguments: {name: b}}, {id: three, tool_name: idem, arguments: {name: c}}]`

func TestRunResumesByItself(t *testing.T) {
	for _, c := range []struct {
		say    string
		doc    string
		begin  func(s *stage, r Request) string
		within *Bounds
		did    string
		status Status
		asks   string
		err    string
	}{
		{
			say: "where it was cut short", doc: goesOnAlone,
			begin: func(s *stage, r Request) string { return s.cut(r, 3) }, did: "a b b c", status: Succeeded,
		},
		{
			say: "not when its document does not say so", doc: strings.Replace(goesOnAlone, "resume: auto", "name: x", 1),
			begin: func(s *stage, r Request) string { return s.cut(r, 3) }, did: "a b", status: Interrupted, err: "does not say resume: auto",
		},
		{
			say: "not over a step that may have acted: it asks", doc: "resume: auto\nsteps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]",
			begin: func(s *stage, r Request) string { return s.cut(r, 2) }, did: "a", status: Waiting, asks: AskDoubt,
		},
		{
			say: "not without its secret: it asks", doc: "resume: auto\nvariables: {pin: {secret: true}}\nsteps: [{tool_name: idem, arguments: {name: a}}, {tool_name: idem, arguments: {name: b, value: '${{ inputs.pin }}'}}]",
			begin: func(s *stage, r Request) string {
				r.Secrets = map[string]string{"pin": "123456"}
				return s.cut(r, 2)
			}, did: "a", status: Waiting, asks: AskSecret,
		},
		{
			say: "not when it failed", doc: "resume: auto\nsteps: [{tool_name: act, arguments: {name: a, fail: 1}}]",
			begin: func(s *stage, r Request) string { return s.play(r).ID }, did: "a", status: Failed, err: "was not cut short: it is failed",
		},
		{
			say: "when its process was told to end", doc: "resume: auto\nsteps: [{tool_name: idem, arguments: {name: a}}, {tool_name: idem, arguments: {name: b, hang: true}, on_interrupt: skip}]",
			begin: func(s *stage, r Request) string {
				h, err := s.Start(s.t.Context(), r)
				if err != nil {
					s.t.Fatal(err)
				}
				for s.did() != "a b" {
					if _, err := s.Await(s.t.Context(), h.ID, h.Seq); err != nil {
						s.t.Fatal(err)
					}
				}
				if err := s.Shutdown(s.t.Context()); err != nil {
					s.t.Fatal(err)
				}
				s.again()
				return h.ID
			}, did: "a b", status: Succeeded,
		},
		{
			say: "not with more files than are handed out here", doc: goesOnAlone,
			begin: func(s *stage, r Request) string {
				r.Roots = []string{"/data/all"}
				return s.cut(r, 3)
			}, within: &Bounds{Roots: []string{"/data/all/less"}}, did: "a b", status: Interrupted, err: "which this server does not allow",
		},
		{
			say: "with the files that it had, where more are handed out", doc: goesOnAlone,
			begin: func(s *stage, r Request) string {
				r.Roots = []string{"/data/all"}
				return s.cut(r, 3)
			}, within: &Bounds{Roots: []string{"/data"}}, did: "a b b c", status: Succeeded,
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			s := newStage(t)
			id := c.begin(s, s.request(c.doc, nil))
			_, err := s.Resume(t.Context(), id, ResumeRequest{Auto: true, Within: c.within})
			if (err == nil) != (c.err == "") || err != nil && !strings.Contains(err.Error(), c.err) {
				t.Errorf("it said %v, wanted %q", err, c.err)
			}
			h := s.rest(id)
			if h.Status != c.status || s.did() != c.did || c.asks != "" && (h.Question == nil || h.Question.Sort != c.asks) {
				t.Errorf("it is %s and did %q, wanted %s and %q (asks %+v)", h.Status, s.did(), c.status, c.did, h.Question)
			}
		})
	}
}

// TestRunThatCrashesItsProcessIsAbandoned lets the process die again and again.
func TestRunThatCrashesItsProcessIsAbandoned(t *testing.T) {
	s := newStage(t)
	id := s.cut(s.request(goesOnAlone, nil), 3) // the first death, in step two
	s.died(id, 2)                               // the second
	s.died(id, 2)                               // the third
	_, err := s.Resume(t.Context(), id, ResumeRequest{Auto: true})
	if steps.CodeOf(err) != steps.Interrupted || !strings.Contains(err.Error(), "died 3 times at step two") {
		t.Fatalf("after three deaths: %v", err)
	}
	h := s.rest(id)
	if h.Status != Interrupted || h.Error == nil || !strings.Contains(h.Error.Message, "died 3 times at step two") || h.ResumeFrom != "two" {
		t.Errorf("the run says %s, %+v, from %q", h.Status, h.Error, h.ResumeFrom)
	}
	if _, err := s.Resume(t.Context(), id, ResumeRequest{Auto: true}); err == nil || s.rest(id).Seq != h.Seq {
		t.Errorf("it is given up once: %v", err)
	}
	s.died(id, 1) // nothing of that is stored
	did := s.did()
	if h = s.resume(id, ResumeRequest{}); h.Status != Succeeded || s.did() != did+" b c" {
		t.Errorf("somebody resumes it: it is %s and did %q", h.Status, s.did())
	}
}

func TestDeathsAreCountedForEachStep(t *testing.T) {
	s := newStage(t)
	id := s.cut(s.request(goesOnAlone, nil), 2) // in step one
	for _, batch := range []int{2, 4, 3, 4} {   // at one again, then at two twice, then at three
		s.died(id, batch)
	}
	if h, err := s.Resume(t.Context(), id, ResumeRequest{Auto: true}); err != nil || s.rest(h.ID).Status != Succeeded {
		t.Errorf("no step had three deaths, and yet: %v, %s", err, s.did())
	}
}

package engine

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/steps"
)

// errCut stands for the power that goes off.
var errCut = errors.New("cut")

// cutAt makes the store refuse everything from its nth batch on.
func (s *stage) cutAt(n int) {
	s.store.mu.Lock()
	defer s.store.mu.Unlock()
	count := 0
	s.store.fail = func(Batch) error {
		if count++; count >= n {
			return errCut
		}
		return nil
	}
}

// mend ends the cut, and puts a new engine over what was stored.
func (s *stage) mend() {
	s.store.mu.Lock()
	s.store.fail = nil
	s.store.mu.Unlock()
	s.mu.Lock()
	s.down = false
	s.mu.Unlock()
	s.again()
}

// newest is the id of the newest run; "" when none was stored.
func (s *stage) newest() string {
	for h := range s.store.Runs(s.t.Context(), Query{}) {
		return h.ID
	}
	return ""
}

// cut runs a document until the nth batch cannot be stored.
func (s *stage) cut(r Request, n int) (id string) {
	s.t.Helper()
	s.cutAt(n)
	h, err := s.Start(s.t.Context(), r)
	if err == nil {
		s.rest(h.ID)
	}
	s.mend()
	return s.newest()
}

func (s *stage) resume(id string, r ResumeRequest) Header {
	s.t.Helper()
	h, err := s.Resume(s.t.Context(), id, r)
	if err != nil {
		s.t.Fatal(err)
	}
	if h.Status != Running {
		return h
	}
	return s.rest(id)
}

func TestResume(t *testing.T) {
	for _, c := range []struct {
		say    string
		doc    string
		cut    int // the batch that is not stored; 0: none
		resume []ResumeRequest
		did    string // first and after
		status Status
		asks   string
	}{
		{
			say: "a run that was cut short goes on where it stood", cut: 3, doc: `
steps: [{tool_name: idem, arguments: {name: a}}, {tool_name: idem, arguments: {name: b}}, {tool_name: idem, arguments: {name: c}}]`,
			resume: []ResumeRequest{{}}, did: "a b b c", status: Succeeded,
		},
		{
			say: "a cut-short act is not repeated silently", cut: 2, doc: `steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{}}, did: "a", status: Waiting, asks: AskDoubt,
		},
		{
			say: "a cut-short act is repeated by decision", cut: 2, doc: `steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{Decision: Redo}}, did: "a a b", status: Succeeded,
		},
		{
			say: "a cut-short act is left out by decision", cut: 2, doc: `steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{Decision: SkipStep}}, did: "a b", status: Succeeded,
		},
		{
			say: "the decision may come after the question", cut: 2, doc: `steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{}, {Decision: SkipStep}}, did: "a b", status: Succeeded,
		},
		{
			say: "a cut-short further try is in doubt however often the run is resumed", cut: 4, doc: `
steps: [{tool_name: act, arguments: {name: a, fail: 1, clean: true}, retry: {attempts: 2}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{}, {}, {}}, did: "a", status: Waiting, asks: AskDoubt,
		},
		{
			say: "on_interrupt rerun repeats", cut: 2, doc: `steps: [{on_interrupt: rerun, tool_name: act, arguments: {name: a}}]`,
			resume: []ResumeRequest{{}}, did: "a a", status: Succeeded,
		},
		{
			say: "on_interrupt skip goes on", cut: 2, doc: `steps: [{on_interrupt: skip, tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{}}, did: "a b", status: Succeeded,
		},
		{
			say: "a step that is left out by decision counts as done, jumps and all", cut: 2, doc: `
steps: [{tool_name: act, arguments: {name: a}, jumps: [{if: "true", to_id: c}]}, {tool_name: act, arguments: {name: b}}, {id: c, tool_name: act, arguments: {name: c}}]`,
			resume: []ResumeRequest{{Decision: SkipStep}}, did: "a c", status: Succeeded,
		},
		{
			say: "on_interrupt ask asks, whatever the kind", cut: 2, doc: `steps: [{on_interrupt: ask, tool_name: idem, arguments: {name: a}}]`,
			resume: []ResumeRequest{{}}, did: "a", status: Waiting, asks: AskDoubt,
		},
		{
			say: "a step is done when its expectation became true", cut: 3, doc: `
steps: [{expect: run.attempt == 2, tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{}}, did: "a b", status: Succeeded,
		},
		{
			say: "an expectation that held before says nothing", cut: 3, doc: `
steps: [{expect: "true", tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{}}, did: "a", status: Waiting, asks: AskDoubt,
		},
		{
			say: "a failure before it acted is tried again", doc: `steps: [{tool_name: act, arguments: {name: a, fail: 1, clean: true}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{}}, did: "a b", status: Succeeded,
		},
		{
			say: "a failure after it acted is in doubt", doc: `steps: [{tool_name: act, arguments: {name: a, fail: 1}}, {tool_name: act, arguments: {name: b}}]`,
			resume: []ResumeRequest{{}}, did: "a", status: Waiting, asks: AskDoubt,
		},
		{
			say: "a failure in a group goes on inside it", doc: `
steps:
  - {group_name: g, steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b, fail: 1, clean: true}}, {tool_name: act, arguments: {name: c}}]}`,
			resume: []ResumeRequest{{}}, did: "a b c", status: Succeeded,
		},
		{
			say: "a failure in a loop goes on in its round", doc: `
steps:
  - {foreach: [1, 2, 3], as: n, steps: [{tool_name: act, arguments: {name: "${{ n }}"}}, {if: n == 2, tool_name: act, arguments: {name: x, fail: 1, clean: true}}]}`,
			resume: []ResumeRequest{{}}, did: "1 2 x 3", status: Succeeded,
		},
		{
			say: "always() steps and finally run in each attempt", doc: `
steps:
  - {tool_name: act, arguments: {name: a, fail: 1, clean: true}}
  - {if: always(), tool_name: act, arguments: {name: b}}
finally: [{tool_name: act, arguments: {name: f}}]`,
			resume: []ResumeRequest{{}}, did: "b f a b f", status: Succeeded,
		},
		{
			say: "a run that succeeded begins again at a step", doc: `
steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b}}, {tool_name: act, arguments: {name: c}}]`,
			resume: []ResumeRequest{{From: "b"}}, did: "a b c b c", status: Succeeded,
		},
		{
			say: "beginning again inside a loop keeps its round", doc: `
steps:
  - {foreach: [1, 2], as: n, steps: [{id: x, tool_name: act, arguments: {name: "${{ n }}"}}]}
  - {tool_name: act, arguments: {name: c}}`,
			resume: []ResumeRequest{{From: "0[0].0"}}, did: "1 2 c 1 2 c", status: Succeeded,
		},
		{
			say: "later expressions see new inputs", doc: `
variables: {who: {type: string, default: x}}
steps: [{id: a, tool_name: act, arguments: {name: "a${{ inputs.who }}"}}, {id: b, tool_name: act, arguments: {name: "b${{ inputs.who }}"}}]`,
			resume: []ResumeRequest{{From: "b", Inputs: map[string]any{"who": "y"}}}, did: "ax bx by", status: Succeeded,
		},
		{
			say: "a run can go on at a step that it never reached", doc: `
steps: [{tool_name: act, arguments: {name: a, fail: 9}}, {tool_name: act, arguments: {name: b}}, {id: c, tool_name: act, arguments: {name: c}}]`,
			resume: []ResumeRequest{{From: "c"}}, did: "a c", status: Succeeded,
		},
		{
			say: "a resumption can be resumed", doc: `
steps: [{tool_name: act, arguments: {name: a, fail: 2, clean: true}}, {tool_name: act, arguments: {name: b, fail: 1, clean: true}}]`,
			resume: []ResumeRequest{{}, {}, {}}, did: "a b", status: Succeeded,
		},
		{
			say: "an explicit retry is consent to repeat within the run", doc: `
steps: [{retries: 1, tool_name: act, arguments: {name: a, fail: 1}}, {tool_name: act, arguments: {name: b}}]`,
			did: "a a b", status: Succeeded,
		},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				r := s.request(c.doc, nil)
				var h Header
				if c.cut > 0 {
					id := s.cut(r, c.cut)
					h, _ = s.Get(t.Context(), id)
					if h.Status != Interrupted {
						t.Fatalf("after the cut the run is %s, want interrupted", h.Status)
					}
				} else {
					h = s.play(r)
				}
				for _, rr := range c.resume {
					h = s.resume(h.ID, rr)
				}
				if got := s.did(); got != c.did {
					t.Errorf("did %q, want %q", got, c.did)
				}
				asks := ""
				if h.Question != nil {
					asks = h.Question.Sort
				}
				if h.Status != c.status || asks != c.asks {
					t.Errorf("the run is %s and asks %q, want %s and %q (%+v)", h.Status, asks, c.status, c.asks, h.Error)
				}
				if t.Failed() {
					t.Log(s.types(h.ID))
				}
			})
		})
	}
}

func TestStop(t *testing.T) {
	doc := `
steps:
  - {tool_name: act, arguments: {name: a}}
  - {group_name: g, steps: [{id: b, tool_name: act, arguments: {name: b, hang: true}}]}
  - {tool_name: act, arguments: {name: c}}
finally: [{tool_name: act, arguments: {name: f}}]`
	for _, c := range []struct {
		say    string
		cause  Cause
		did    string
		status Status
	}{
		{"a stop by a user runs finally", ByUser, "a b f", Cancelled},
		{"a client that goes away cancels", ByClient, "a b f", Cancelled},
		{"a timeout is a failure", ByTimeout, "a b f", Failed},
		{"a shutdown leaves finally to a later attempt", ByShutdown, "a b", Interrupted},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				h, err := s.Start(t.Context(), s.request(doc, nil))
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				began := time.Now()
				if _, err := s.Stop(t.Context(), h.ID, c.cause, "enough"); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(began); took != 0 { // by the clock of the bubble
					t.Errorf("the stop took %s", took)
				}
				h = s.rest(h.ID)
				if s.did() != c.did || h.Status != c.status || h.ResumeFrom != "b" {
					t.Errorf("did %q, is %s, resumes from %q; want %q, %s, b", s.did(), h.Status, h.ResumeFrom, c.did, c.status)
				}
				if h = s.resume(h.ID, ResumeRequest{}); h.Status != Waiting {
					t.Errorf("resumed, the run is %s; the step that was cut short is in doubt", h.Status)
				}
			})
		})
	}
}

func TestARunInTheMiddleKnowsWhatTheLastOneKnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		doc := `
workflow_id: ledger
steps:
  - {id: a, tool_name: act, arguments: {name: a, value: x}}
  - {tool_name: set, arguments: {env: {n: 7}}}
  - {id: c, tool_name: act, arguments: {name: "c ${{ a_result.value }} ${{ env.n }}"}}`
		s.play(s.request(doc, nil))
		r := s.request(doc, nil)
		r.From = "c"
		h := s.play(r)
		if want := "a c x 7 c x 7"; s.did() != want || h.Status != Succeeded || h.Parent == "" {
			t.Errorf("did %q, is %s with the parent %q; want %q, succeeded, and the first run", s.did(), h.Status, h.Parent, want)
		}
		r.Owner = "another"
		if h := s.play(r); h.Status != Failed || h.Parent != "" {
			t.Errorf("begun by a credential, the run is %s with the parent %q, which is not a run of this credential", h.Status, h.Parent)
		}
		r.Owner = ""
		r.WorkflowID = "another"
		if h := s.play(r); h.Status != Failed || h.Error.Code != steps.Invalid {
			t.Errorf("without a run before it, the run is %s, want failed for the value that is missing", h.Status)
		}
	})
}

func TestClientDisconnects(t *testing.T) {
	for say, c := range map[string]struct {
		doc    string
		status Status
	}{
		"cancels its run":                    {`steps: [{tool_name: act, arguments: {name: a, hang: true}, timeout: 1m}]`, Cancelled},
		"does not when the document says so": {"on_disconnect: continue\nsteps: [{tool_name: act, arguments: {name: a, hang: true}, timeout: 1m}]", Failed},
	} {
		t.Run(say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s, by := newStage(t), &Caller{}
				h, err := s.For(by).Start(t.Context(), s.request(c.doc, nil))
				if err != nil {
					t.Fatal(err)
				}
				synctest.Wait()
				s.Gone(by)
				if h = s.rest(h.ID); h.Status != c.status {
					t.Errorf("the run is %s, want %s", h.Status, c.status)
				}
			})
		})
	}
}

func TestPauseAndSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		r := s.request(`steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`, nil)
		r.StepThrough = true
		h := s.play(r)
		if h.Status != Paused || s.did() != "a" {
			t.Fatalf("after one step the run is %s and did %q", h.Status, s.did())
		}
		if _, err := s.Continue(t.Context(), h.ID); err != nil {
			t.Fatal(err)
		}
		if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "a b" {
			t.Errorf("continued, the run is %s and did %q", h.Status, s.did())
		}
	})
}

func TestAsk(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(`
steps:
  - {id: q, tool_name: ask_user, arguments: {question: "which?", choices: [x, y]}}
  - {tool_name: act, arguments: {name: "${{ q_result.answer }}"}}`, nil))
		if h.Status != Waiting || h.Question.Text != "which?" {
			t.Fatalf("the run is %s and asks %+v", h.Status, h.Question)
		}
		if _, err := s.Answer(t.Context(), h.ID, Answer{Value: "z"}); steps.CodeOf(err) != steps.Invalid || !strings.Contains(err.Error(), "x, y") {
			t.Fatalf("wanted an answer that is no choice refused, got %v", err)
		}
		if _, err := s.Answer(t.Context(), h.ID, Answer{Value: "y"}); err != nil {
			t.Fatal(err)
		}
		if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "y" || h.Executed != 2 {
			t.Errorf("answered, the run is %s, did %q and executed %d steps; want succeeded, y and 2", h.Status, s.did(), h.Executed)
		}
	})
}

func TestAskForSeveralValues(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(`
steps:
  - {id: q, tool_name: ask_user, arguments: {question: "how many?", fields: {count: {type: number}}}}
  - {tool_name: act, arguments: {name: "${{ string(q_result.fields.count) }}"}}`, nil))
		if _, err := s.Answer(t.Context(), h.ID, Answer{Value: "five"}); steps.CodeOf(err) != steps.Invalid || !strings.Contains(err.Error(), "count") {
			t.Fatalf("wanted a text refused, got %v", err)
		}
		if _, err := s.Answer(t.Context(), h.ID, Answer{Value: map[string]any{"count": 5}}); err != nil {
			t.Fatal(err)
		}
		if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "5" {
			t.Errorf("answered, the run is %s and did %q", h.Status, s.did())
		}
	})
}

func TestSecrets(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		r := s.request(`
variables: {pin: {type: string, secret: true}, note: {type: string, default: ""}}
steps:
  - {id: a, tool_name: act, arguments: {name: "pin=${{ inputs.pin }}", value: "${{ inputs.pin }}"}}
  - {tool_name: set, arguments: {env: {p: "${{ inputs.pin }}"}}}
  - {tool_name: act, arguments: {name: "again ${{ env.p }} ${{ a_result.value }} ${{ upper(inputs.pin) }}"}}
  - {if: inputs.pin == 'hunter2', tool_name: act, arguments: {name: fail, fail: 9, clean: true}}`, nil)
		h := s.play(r)
		if h.Status != Waiting || h.Question.Sort != AskSecret {
			t.Fatalf("without its secret the run is %s", h.Status)
		}
		if _, err := s.Answer(t.Context(), h.ID, Answer{Secrets: map[string]string{"pin": "hunter2"}}); err != nil {
			t.Fatal(err)
		}
		h = s.rest(h.ID)
		if want := "pin=hunter2 again hunter2 hunter2 HUNTER2"; s.did() != want {
			t.Errorf("did %q, want %q", s.did(), want)
		}
		for ev := range s.store.Events(t.Context(), h.ID, 1) {
			if strings.Contains(strings.ToLower(string(ev.Data)), "hunter2") {
				t.Errorf("the secret stands in event %d: %s", ev.Seq, ev.Data)
			}
		}
		s.again()
		h, err := s.Resume(t.Context(), h.ID, ResumeRequest{})
		if err != nil || h.Status != Waiting {
			t.Errorf("resumed without its secret the run is %s, %v", h.Status, err)
		}
	})
}

func TestBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.hook = func(ctx context.Context, name string) error {
			if name == "slow" {
				return steps.Sleep(ctx, time.Minute)
			}
			return nil
		}
		slow, err := s.Start(t.Context(), s.request(`steps: [{timeout: 2m, tool_name: act, arguments: {name: slow}}]`, nil))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		quick := s.request(`steps: [{tool_name: act, arguments: {name: quick}}]`, nil)
		if _, err := s.Start(t.Context(), quick); steps.CodeOf(err) != steps.Busy {
			t.Errorf("the second run got %v, want busy", err)
		}
		quick.Queue = true
		h, err := s.Start(t.Context(), quick)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if h, _ = s.Get(t.Context(), h.ID); h.Status != Queued {
			t.Errorf("the second run is %s, want queued", h.Status)
		}
		looks := s.request(`steps: [{tool_name: look, arguments: {name: look}}]`, nil)
		if h := s.play(looks); h.Status != Succeeded {
			t.Errorf("a run that only reads is %s", h.Status)
		}
		dry := s.request(`steps: [{id: a, tool_name: act, arguments: {name: dry}}]`, nil)
		dry.DryRun = true
		first := s.play(dry)
		for say, again := range map[string]func() (Header, error){
			"a dry run that is resumed": func() (Header, error) { return s.Resume(t.Context(), first.ID, ResumeRequest{From: "a"}) },
			"a dry run that is forked":  func() (Header, error) { return s.Fork(t.Context(), first.ID, "a", ResumeRequest{}) },
		} {
			if h, err := again(); err != nil || s.rest(h.ID).Status != Succeeded {
				t.Errorf("%s is %s, %v", say, h.Status, err)
			}
		}
		if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "look slow quick" {
			t.Errorf("the second run is %s; done was %q", h.Status, s.did())
		}
		s.rest(slow.ID)
	})
}

// TestAForkWithoutAStepDoesWhatAResumptionWould begins a new run where the old one stands: at
// the step that failed, or that may have acted.
func TestAForkWithoutAStepDoesWhatAResumptionWould(t *testing.T) {
	s := newStage(t)
	h, err := s.Fork(t.Context(), s.play(s.request(failsAtB, nil)).ID, "", ResumeRequest{})
	if err != nil {
		t.Fatal(err)
	}
	if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "a b c" {
		t.Errorf("it is %s and did %q: %+v", h.Status, s.did(), h.Error)
	}
	if _, err := s.Fork(t.Context(), h.ID, "", ResumeRequest{}); steps.CodeOf(err) != steps.Invalid {
		t.Errorf("a run that has succeeded: %v", err)
	}
	for _, c := range []struct{ decision, did string }{{"", ""}, {SkipStep, "b"}, {Redo, "a b"}} {
		s := newStage(t)
		id := s.cut(s.request(`steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`, nil), 2)
		before := s.did()
		h, err := s.Fork(t.Context(), id, "", ResumeRequest{Decision: c.decision})
		if err != nil {
			t.Fatal(err)
		}
		if h = s.rest(h.ID); (h.Status == Waiting) != (c.did == "") || strings.TrimSpace(strings.TrimPrefix(s.did(), before)) != c.did {
			t.Errorf("decision %q: it is %s and did %q after %q", c.decision, h.Status, s.did(), before)
		}
	}
}

// TestTheReportSaysWhatBecameOfACutShortStep holds that a step which was cut short, and was not
// done again, has not succeeded because the run has.
func TestTheReportSaysWhatBecameOfACutShortStep(t *testing.T) {
	for say, c := range map[string]struct {
		resume []ResumeRequest
		answer string
		want   string
	}{
		"left out":                    {[]ResumeRequest{{Decision: SkipStep}}, "", "skipped success"},
		"left out, as an answer":      {[]ResumeRequest{{}}, SkipStep, "skipped success"},
		"done by a person":            {[]ResumeRequest{{Decision: DoneByHand}}, "", "success success"},
		"done again":                  {[]ResumeRequest{{Decision: Redo}}, "", "interrupted success success"},
		"passed over":                 {[]ResumeRequest{{From: "b"}}, "", "interrupted success"},
		"passed over, with no answer": {[]ResumeRequest{{}, {From: "b"}}, "", "interrupted success"},
	} {
		t.Run(say, func(t *testing.T) {
			s := newStage(t)
			id := s.cut(s.request(`steps: [{id: a, tool_name: act, arguments: {name: a}}, {id: b, tool_name: act, arguments: {name: b}}]`, nil), 2)
			for _, r := range c.resume {
				s.resume(id, r)
			}
			if c.answer != "" {
				if _, err := s.Answer(t.Context(), id, Answer{Choice: c.answer}); err != nil {
					t.Fatal(err)
				}
			}
			h := s.rest(id)
			r, err := s.Report(t.Context(), id, Page{})
			var statuses []string
			for _, step := range r.Steps {
				statuses = append(statuses, step.Status)
			}
			if got := strings.Join(statuses, " "); err != nil || h.Status != Succeeded || got != c.want {
				t.Errorf("the run is %s, its steps %s, %v; want %s", h.Status, got, err, c.want)
			}
		})
	}
}

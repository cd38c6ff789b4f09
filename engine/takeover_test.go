package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// failsAtB is a workflow whose second step fails once.
const failsAtB = `steps:
  - {id: a, tool_name: act, arguments: {name: a}}
  - {id: b, tool_name: act, arguments: {name: b, fail: 1, clean: true}}
  - {id: c, tool_name: act, arguments: {name: c}}`

// held is a failed run whose desktop ann has.
func (s *stage) held() Header {
	s.t.Helper()
	h := s.play(s.request(failsAtB, nil))
	h, err := s.TakeOver(s.t.Context(), h.ID, Takeover{By: "ann"})
	if err != nil {
		s.t.Fatal(err)
	}
	return h
}

// TestNothingActsWhileAPersonHasTheDesktop holds what a person who took over relies
// on, and that everything is as before when he hands back.
func TestNothingActsWhileAPersonHasTheDesktop(t *testing.T) {
	s := newStage(t)
	h := s.held()
	if h.TakenBy != "ann" || h.Status != Failed {
		t.Errorf("it is %s, taken over by %q", h.Status, h.TakenBy)
	}
	ctx, ended := t.Context(), h.EndedAt
	for what, do := range map[string]func() error{
		"resume":               func() error { _, err := s.Resume(ctx, h.ID, ResumeRequest{}); return err },
		"fork":                 func() error { _, err := s.Fork(ctx, h.ID, "a", ResumeRequest{}); return err },
		"another takes it":     func() error { _, err := s.TakeOver(ctx, h.ID, Takeover{By: "bob"}); return err },
		"another hands back":   func() error { _, err := s.HandBack(ctx, h.ID, "bob"); return err },
		"it is removed":        func() error { return s.Remove(ctx, h.ID, true) },
		"another run acts":     func() error { _, err := s.Start(ctx, s.request(failsAtB, nil)); return err },
		"another run is taken": func() error { _, err := s.TakeOver(ctx, h.ID, Takeover{By: "bob", Renew: true}); return err },
	} {
		if err := do(); steps.CodeOf(err) != steps.Busy || !strings.Contains(err.Error(), "ann") {
			t.Errorf("%s: %v, want busy, by ann", what, err)
		}
	}
	if _, err := s.Plan(ctx, h.ID, ResumeRequest{}); err != nil {
		t.Errorf("looking at the plan: %v", err)
	}
	h, err := s.HandBack(ctx, h.ID, "ann")
	if err != nil || h.TakenBy != "" || !h.EndedAt.Equal(ended) {
		t.Fatalf("%+v, %v", h, err)
	}
	if _, err := s.Resume(ctx, h.ID, ResumeRequest{}); err != nil {
		t.Fatal(err)
	}
	if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "a b c" {
		t.Errorf("it is %s and did %q", h.Status, s.did())
	}
	if got := s.types(h.ID); !strings.Contains(got, "finished taken returned resumed") {
		t.Errorf("its events are %s", got)
	}
}

func TestARunThatIsTakenOverPausesBetweenSteps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		entered, goOn := make(chan bool), make(chan bool)
		s.hook = func(_ context.Context, name string) error {
			if name == "a" {
				close(entered)
				<-goOn
			}
			return nil
		}
		h, err := s.Start(t.Context(), s.request(`steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`, nil))
		if err != nil {
			t.Fatal(err)
		}
		<-entered
		if _, err := s.TakeOver(t.Context(), h.ID, Takeover{By: "ann"}); steps.CodeOf(err) != steps.Busy {
			t.Errorf("in the middle of a step: %v", err)
		}
		close(goOn)
		if h = s.rest(h.ID); h.Status != Paused || s.did() != "a" {
			t.Fatalf("it is %s and did %q", h.Status, s.did())
		}
		if h, err = s.TakeOver(t.Context(), h.ID, Takeover{By: "ann"}); err != nil || h.TakenBy != "ann" || h.Status != Paused {
			t.Fatalf("%+v, %v", h, err)
		}
		if _, err := s.Stop(t.Context(), h.ID, ByUser, ""); steps.CodeOf(err) != steps.Busy {
			t.Errorf("stopping it: %v", err)
		}
		if _, err = s.HandBack(t.Context(), h.ID, "ann"); err != nil {
			t.Fatal(err)
		}
		if _, err = s.Continue(t.Context(), h.ID); err != nil {
			t.Fatal(err)
		}
		if h = s.rest(h.ID); h.Status != Succeeded || s.did() != "a b" {
			t.Errorf("it is %s and did %q", h.Status, s.did())
		}
	})
}

// TestTakeoverExpiresWithoutHeartbeat is about a tab that was closed.
func TestTakeoverExpiresWithoutHeartbeat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.held()
		for range 5 {
			time.Sleep(50 * time.Second)
			if _, err := s.TakeOver(t.Context(), h.ID, Takeover{By: "ann", Renew: true}); err != nil {
				t.Fatal(err)
			}
		}
		time.Sleep(61 * time.Second)
		synctest.Wait()
		h, err := s.Get(t.Context(), h.ID)
		if err != nil || h.TakenBy != "" || h.Status != Failed {
			t.Errorf("it is %s, taken over by %q: %v", h.Status, h.TakenBy, err)
		}
		if _, err := s.TakeOver(t.Context(), h.ID, Takeover{By: "ann", Renew: true}); steps.CodeOf(err) != steps.Invalid {
			t.Errorf("a sign of life that is late: %v", err)
		}
		if !strings.HasSuffix(s.types(h.ID), "taken returned") {
			t.Errorf("its events are %s", s.types(h.ID))
		}
		if _, err := s.Resume(t.Context(), h.ID, ResumeRequest{}); err != nil {
			t.Error(err)
		}
		s.rest(h.ID)
	})
}

func TestACrashGivesTheDesktopBack(t *testing.T) {
	s := newStage(t)
	h := s.held()
	s.again()
	if h, err := s.Get(t.Context(), h.ID); err != nil || h.TakenBy != "" {
		t.Errorf("%q has it, %v", h.TakenBy, err)
	}
	if _, err := s.Resume(t.Context(), h.ID, ResumeRequest{}); err != nil {
		t.Fatal(err)
	}
	if h = s.rest(h.ID); h.Status != Succeeded {
		t.Errorf("it is %s", h.Status)
	}
}

// TestResumeSkipsStepsDoneByHand resumes behind the step that failed.
func TestResumeSkipsStepsDoneByHand(t *testing.T) {
	for say, doc := range map[string]string{
		"it did nothing":    failsAtB,
		"it may have acted": strings.Replace(failsAtB, ", clean: true", "", 1),
		"in a group": `steps:
  - {id: a, tool_name: act, arguments: {name: a}}
  - {group_name: g, steps: [{id: b, tool_name: act, arguments: {name: b, fail: 9, clean: true}}]}
  - {id: c, if: steps.b.status == "success", tool_name: act, arguments: {name: c}}`,
	} {
		t.Run(say, func(t *testing.T) {
			s := newStage(t)
			h := s.play(s.request(doc, nil))
			before := s.did()
			if _, err := s.Resume(t.Context(), h.ID, ResumeRequest{Decision: DoneByHand}); err != nil {
				t.Fatal(err)
			}
			if h = s.rest(h.ID); h.Status != Succeeded || s.did() != before+" c" {
				t.Errorf("it is %s and did %q after %q: %+v", h.Status, s.did(), before, h.Error)
			}
		})
	}
}

// lastingDesk is a desktop that lasts, and shows nothing.
type lastingDesk struct{ desktop.Session }

func (lastingDesk) Of(DesktopRequest) Desk              { return lastingDesk{} }
func (lastingDesk) Release(DesktopRequest, bool)        {}
func (lastingDesk) Drop(*desktop.Desktop)               {}
func (lastingDesk) Pooled() bool                        { return false }
func (lastingDesk) Forget(string)                       {}
func (lastingDesk) Claim(DesktopRequest) (func(), bool) { return AnyDesktop() }
func (lastingDesk) Info(context.Context) (desktop.Info, error) {
	return desktop.Info{Name: "kept", Birth: "1"}, nil
}

func (lastingDesk) Open(context.Context) (*desktop.Desktop, error) {
	d := desktop.Missing(errors.New("no desktop in this test"))
	d.Session = lastingDesk{d.Session}
	return d, nil
}

// TestTakeoverIsRecorded stores what he did while he had the desktop with the
// event that he gave it back, and tells the recorder what must not stand in it.
func TestTakeoverIsRecorded(t *testing.T) {
	s := newStage(t)
	s.Desktops = lastingDesk{}
	var on desktop.Info
	var secret []string
	s.Watch = func(_ context.Context, d desktop.Info) (EndWatch, error) {
		on = d
		return func(values []string) ([]byte, error) {
			secret = values
			return []byte("what ann did"), nil
		}, nil
	}
	r := s.request("variables: {pin: {secret: true}}\n"+strings.Replace(failsAtB, "fail: 1, ", "", 1), nil)
	r.Secrets, r.StepThrough = map[string]string{"pin": "hunter2"}, true // one that failed keeps no secret
	h := s.play(r)
	if _, err := s.Continue(t.Context(), h.ID); err != nil { // with the step that finds the desktop
		t.Fatal(err)
	}
	s.rest(h.ID)
	if _, err := s.TakeOver(t.Context(), h.ID, Takeover{By: "ann"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.HandBack(t.Context(), h.ID, "ann"); err != nil {
		t.Fatal(err)
	}
	var got Returned
	for ev, err := range History(t.Context(), s, h.ID) {
		if err == nil && ev.Type == EvReturned {
			got, err = factOf[Returned](ev)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	raw, err := s.File(t.Context(), Artifacts, got.Recording)
	if err != nil || string(raw) != "what ann did" || on.Name != "kept" {
		t.Errorf("%q on %q, %v", raw, on.Name, err)
	}
	if !slices.Equal(secret, []string{"hunter2"}) {
		t.Errorf("the recorder was told to leave out %q", secret)
	}
}

// TestHandingBackTwiceKeepsTheRecording hands a desktop back while it is being handed back.
func TestHandingBackTwiceKeepsTheRecording(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.Desktops = lastingDesk{}
		s.Watch = func(context.Context, desktop.Info) (EndWatch, error) {
			ended := false
			return func([]string) ([]byte, error) {
				time.Sleep(time.Second)
				if ended {
					return nil, errors.New("it has ended")
				}
				ended = true
				return []byte("what ann did"), nil
			}, nil
		}
		h := s.play(s.request(`steps: [{tool_name: act, arguments: {name: a}}, {tool_name: ask_user, arguments: {question: "go on?"}}]`, nil))
		if _, err := s.TakeOver(t.Context(), h.ID, Takeover{By: "ann"}); err != nil {
			t.Fatal(err)
		}
		var again sync.WaitGroup
		again.Go(func() {
			time.Sleep(time.Second / 2)
			if _, err := s.HandBack(t.Context(), h.ID, "ann"); steps.CodeOf(err) != steps.Busy {
				t.Errorf("the second time: %v, want busy", err)
			}
			if len(s.Held()) == 0 {
				t.Error("the first call has not ended, and the desktop is free")
			}
		})
		if _, err := s.HandBack(t.Context(), h.ID, "ann"); err != nil {
			t.Fatal(err)
		}
		again.Wait()
		for ev := range s.store.Events(t.Context(), h.ID, 1) {
			if ev.Type == EvReturned && !strings.Contains(string(ev.Data), `"recording"`) {
				t.Errorf("what the person did is lost: %s", ev.Data)
			}
		}
	})
}

// slowFiles takes a second longer for each file.
type slowFiles struct {
	Files
	calls *atomic.Int32
}

func (f slowFiles) Get(ctx context.Context, sort FileSort, hash string) ([]byte, error) {
	time.Sleep(time.Duration(f.calls.Add(1)) * time.Second)
	return f.Files.Get(ctx, sort, hash)
}

// TestOneOfTwoPeopleGetsTheDesktop lets two people take over a run that is in the middle of
// a step, where there is room for two.
func TestOneOfTwoPeopleGetsTheDesktop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.Lease.Places, s.Files = 2, slowFiles{s.Files, new(atomic.Int32)}
		goOn := make(chan bool)
		s.hook = func(_ context.Context, name string) error {
			if name == "a" {
				<-goOn
			}
			return nil
		}
		h, err := s.Start(t.Context(), s.request(`steps: [{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}]`, nil))
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		var got, refused atomic.Pointer[string]
		var people sync.WaitGroup
		for _, by := range []string{"ann", "bob"} {
			people.Go(func() {
				if _, err := s.TakeOver(t.Context(), h.ID, Takeover{By: by}); err == nil {
					got.Store(&by)
				} else if steps.CodeOf(err) == steps.Busy {
					refused.Store(&by)
				}
			})
		}
		synctest.Wait()
		close(goOn)
		people.Wait()
		if got.Load() == nil || refused.Load() == nil {
			t.Fatal("both have the desktop, or nobody")
		}
		if by := s.Held()[h.ID]; by != *got.Load() {
			t.Errorf("%s has the desktop, and %s was told so", by, *got.Load())
		}
		if _, err := s.HandBack(t.Context(), h.ID, *got.Load()); err != nil {
			t.Fatal(err)
		}
		if holders, _ := s.Lease.Holders(); len(holders) > 0 {
			t.Errorf("after all is handed back, the lease is held by %q", holders)
		}
	})
}

// TestARunThatIsTakenOverMeanwhileIsNotResumed takes over a run while it is being read to
// be resumed, where there is room for two.
func TestARunThatIsTakenOverMeanwhileIsNotResumed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.play(s.request(failsAtB, nil))
		s.Lease.Places, s.Files = 2, slowFiles{s.Files, new(atomic.Int32)}
		took := make(chan error)
		go func() {
			_, err := s.TakeOver(t.Context(), h.ID, Takeover{By: "ann"})
			took <- err
		}()
		synctest.Wait()
		_, err := s.Resume(t.Context(), h.ID, ResumeRequest{})
		if taken := <-took; taken != nil || steps.CodeOf(err) != steps.Busy || !strings.Contains(err.Error(), "ann") {
			t.Errorf("taken over: %v; resumed: %v, want busy, by ann", taken, err)
		}
		synctest.Wait()
		if s.did() != "a" {
			t.Errorf("while ann has the desktop, the run did %q", s.did())
		}
	})
}

// TestAnyStepMayBeDoneByAPerson says of a step that is not the one that failed that it is done.
func TestAnyStepMayBeDoneByAPerson(t *testing.T) {
	for say, c := range map[string]struct{ fails, from, did string }{
		"one that succeeded":       {"c", "b", "a b c"},
		"the first":                {"b", "a", "a b c"},
		"one that was not reached": {"a", "b", "c"},
		"the last":                 {"a", "c", ""},
	} {
		t.Run(say, func(t *testing.T) {
			s := newStage(t)
			var doc strings.Builder
			doc.WriteString("steps:")
			for _, name := range []string{"a", "b", "c"} {
				fails := 0
				if name == c.fails {
					fails = 1
				}
				doc.WriteString(fmt.Sprintf("\n  - {id: %s, tool_name: act, arguments: {name: %s, clean: true, fail: %d}}", name, name, fails))
			}
			h := s.play(s.request(doc.String(), nil))
			if h = s.resume(h.ID, ResumeRequest{From: c.from, Decision: DoneByHand}); h.Status != Succeeded || s.did() != c.did {
				t.Errorf("it is %s and did %q, want %q: %+v", h.Status, s.did(), c.did, h.Error)
			}
		})
	}
}

// pausedAfterA is a run on a lasting desktop that was paused while its first step acted, by
// default for a person.
func (s *stage) pausedAfterA(doc string, pause func(run string)) Header {
	s.t.Helper()
	s.Desktops = lastingDesk{}
	goOn := make(chan bool)
	s.hook = func(_ context.Context, name string) error {
		if name == "a" {
			<-goOn
		}
		return nil
	}
	h, err := s.Start(s.t.Context(), s.request(doc, nil))
	if err != nil {
		s.t.Fatal(err)
	}
	synctest.Wait()
	if pause != nil {
		pause(h.ID)
	} else if err := s.Pause(s.t.Context(), h.ID); err != nil {
		s.t.Fatal(err)
	}
	close(goOn)
	if h = s.rest(h.ID); h.Status != Paused {
		s.t.Fatalf("it is %s", h.Status)
	}
	return h
}

// TestTheStepAfterAPauseIsDoneByAPerson holds that what a plan and a person say of the step at
// which a paused run continues is not taken for the step before it, where the cursor is.
func TestTheStepAfterAPauseIsDoneByAPerson(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.pausedAfterA(`steps:
  - {id: a, tool_name: act, arguments: {name: a}}
  - {id: b, tool_name: act, arguments: {name: b}, expect: "steps.a.status == 'success'"}
  - {id: c, if: 'steps.b.status == "success"', tool_name: act, arguments: {name: c}}`, nil)
		if p, err := s.Plan(t.Context(), h.ID, ResumeRequest{}); err != nil || p.From != "b" || !p.Holds {
			t.Errorf("the plan is %+v, %v", p, err)
		}
		if h = s.resume(h.ID, ResumeRequest{Decision: DoneByHand}); h.Status != Succeeded || s.did() != "a c" {
			t.Errorf("it is %s and did %q: %+v", h.Status, s.did(), h.Error)
		}
	})
}

// TestTheTakeoverEndsAfterThePersonsLastAction hands a desktop back while its person is
// in the middle of an action there.
func TestTheTakeoverEndsAfterThePersonsLastAction(t *testing.T) {
	for say, end := range map[string]func(s *stage, run string) error{
		"handed back": func(s *stage, run string) error { _, err := s.HandBack(s.t.Context(), run, "ann"); return err },
		"no heartbeat": func(*stage, string) error {
			time.Sleep(lapseTime + 2*time.Second)
			return nil
		},
	} {
		t.Run(say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				h := s.held()
				var acts sync.WaitGroup
				var over atomic.Bool
				act := func(ctx context.Context) {
					<-ctx.Done()
					time.Sleep(time.Second) // the action under way
					if len(s.Held()) == 0 {
						t.Error("the takeover ended in the middle of an action")
					}
					over.Store(true)
				}
				acts.Go(func() {
					if err := s.WhileHeld(t.Context(), h.ID, "ann", act); steps.CodeOf(err) != steps.Denied {
						t.Errorf("it ended by %v, want denied", err)
					}
				})
				synctest.Wait()
				if err := end(s, h.ID); err != nil || !over.Load() || len(s.Held()) > 0 {
					t.Errorf("the takeover ended: %t, after the action: %t, %v", len(s.Held()) == 0, over.Load(), err)
				}
				acts.Wait()
				for _, by := range []string{"ann", "bob"} {
					if err := s.WhileHeld(t.Context(), h.ID, by, act); steps.CodeOf(err) != steps.Denied {
						t.Errorf("%s acts afterwards: %v", by, err)
					}
				}
			})
		})
	}
}

// TestAnActionThatHangsKeepsTheDesktop lets an application answer a person's action only
// after a long time.
func TestAnActionThatHangsKeepsTheDesktop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		h := s.held()
		answer := make(chan bool)
		var acts sync.WaitGroup
		acts.Go(func() { _ = s.WhileHeld(t.Context(), h.ID, "ann", func(context.Context) { <-answer }) })
		synctest.Wait()
		if _, err := s.HandBack(t.Context(), h.ID, "ann"); steps.CodeOf(err) != steps.Busy || len(s.Held()) == 0 {
			t.Errorf("in the middle of an action: %v, held: %v", err, s.Held())
		}
		close(answer)
		acts.Wait()
		if _, err := s.HandBack(t.Context(), h.ID, "ann"); err != nil || len(s.Held()) > 0 {
			t.Errorf("after the action: %v, held: %v", err, s.Held())
		}
	})
}

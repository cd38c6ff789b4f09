package engine

import (
	"context"
	"maps"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unsafe"

	"understudy/internal/desktop"
)

// TestSuspendedWorkerDoesNotActTwice holds that a worker does not act which slept between the stored
// start of a step and the act, when another has taken its run meanwhile. The
// second row is what happens without the proof, so that the first one means
// something.
func TestSuspendedWorkerDoesNotActTwice(t *testing.T) {
	for _, c := range []struct {
		say     string
		certain time.Duration
		did     string
	}{
		{"with a proof before the act it is done once", time.Second, "b"},
		{"without, it is done twice", 0, "b b"},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				sleeper, other := s.Engine, &Engine{Store: s.store, Files: s.store, Kinds: s.kinds(), Desk: noDesk{}}
				sleeper.Certain, other.Certain = c.certain, c.certain
				asleep := make(chan string, 1)
				sleeper.beforeAct = func(run string) {
					asleep <- run
					time.Sleep(time.Minute)
				}
				if _, err := sleeper.Start(t.Context(), s.request(`steps: [{tool_name: act, arguments: {name: b}}]`, nil)); err != nil {
					t.Fatal(err)
				}
				run := <-asleep
				time.Sleep(40 * time.Second) // its lease has passed
				h, taken, err := other.Take(t.Context(), run, "other")
				if err != nil || !taken || h.Worker != "other" {
					t.Fatalf("taking the run over: %v, %+v, %v", taken, h, err)
				}
				if h, err = other.Wait(t.Context(), run); err != nil || h.Status != Waiting || h.Question.Sort != AskDoubt {
					t.Fatalf("the step that may have acted: %+v, %v", h, err)
				}
				if _, err := other.Answer(t.Context(), run, Answer{Choice: Redo}); err != nil {
					t.Fatal(err)
				}
				if h, err = other.Wait(t.Context(), run); err != nil || h.Status != Succeeded {
					t.Fatalf("the run: %+v, %v", h, err)
				}
				_, err = sleeper.Wait(t.Context(), run) // it wakes
				if s.did() != c.did {
					t.Errorf("did %q, want %q (the sleeper: %v)", s.did(), c.did, err)
				}
			})
		})
	}
}

// TestAProofIsOldAfterTheMachineSlept holds that a proof does not stay fresh while the machine
// of a worker is suspended, when the clock that measures durations stands still.
func TestAProofIsOldAfterTheMachineSlept(t *testing.T) {
	proved := time.Now()
	if age := elapsed(proved); age > 10*time.Second {
		t.Errorf("a proof of now is %s old", age)
	}
	const second = 1 << 30 // in the first word of a time.Time, beside the monotonic reading
	*(*uint64)(unsafe.Pointer(&proved)) -= 600 * second
	if since := time.Since(proved); since > 10*time.Second {
		t.Fatalf("the test is wrong: %s have passed", since)
	}
	if age := elapsed(proved); age < 599*time.Second {
		t.Errorf("a proof from before a sleep of 10 minutes is %s old", age)
	}
}

// TestLostWorkers holds what becomes of a run whose workers die.
func TestLostWorkers(t *testing.T) {
	for _, c := range []struct {
		say    string
		kind   string
		losses int
		status Status
		did    string
	}{
		{"a read that was cut short is made again", "look", 1, Succeeded, "a"},
		{"an act that was cut short becomes a question", "act", 1, Waiting, ""},
		{"a run that loses worker after worker fails, for it may be what they die of", "look", mostLost, Failed, ""},
	} {
		t.Run(c.say, func(t *testing.T) {
			s := newStage(t)
			died, end := make(chan string), make(chan struct{})
			t.Cleanup(func() { close(end) })
			next := func(dies bool) *Engine {
				e := &Engine{Store: s.store, Files: s.store, Kinds: s.kinds(), Desk: noDesk{}, Certain: time.Nanosecond}
				if dies {
					e.beforeAct = func(run string) { died <- run; <-end }
				}
				return e
			}
			doc := "steps: [{tool_name: " + c.kind + ", arguments: {name: a}}]"
			if _, err := next(true).Start(t.Context(), s.request(doc, nil)); err != nil {
				t.Fatal(err)
			}
			run := <-died
			var e *Engine
			for i := range c.losses {
				e = next(i < c.losses-1)
				_, taken, err := e.Take(t.Context(), run, "another")
				if err != nil || !taken && c.status != Failed {
					t.Fatalf("take %d: %v, %v", i, taken, err)
				}
				if taken && i < c.losses-1 {
					<-died
				}
			}
			h, err := e.Wait(t.Context(), run)
			if err != nil || h.Status != c.status || s.did() != c.did {
				t.Errorf("the run is %s (%+v) and did %q, %v; want %s and %q", h.Status, h.Error, s.did(), err, c.status, c.did)
			}
		})
	}
}

// beginQueued returns a run of a fleet that wants a worker again: worker w has asked in it,
// and the client has answered.
func (s *stage) beginQueued(client *Engine) string {
	s.t.Helper()
	h, err := client.Start(s.t.Context(), s.request(`
steps:
  - {id: a, tool_name: act, arguments: {name: a}}
  - {tool_name: ask_user, arguments: {question: "go on?"}}
finally: [{tool_name: act, arguments: {name: f}}]`, nil))
	if err != nil {
		s.t.Fatal(err)
	}
	if _, taken, err := s.Take(s.t.Context(), h.ID, "w"); !taken || err != nil {
		s.t.Fatalf("taken: %v, %v", taken, err)
	}
	s.rest(h.ID)
	if h, err = client.Answer(s.t.Context(), h.ID, Answer{Value: "yes"}); h.Status != Queued || err != nil {
		s.t.Fatalf("answered, the run is %s, %v", h.Status, err)
	}
	return h.ID
}

// TestASecondStopNeedsNoWorker stops a run whose worker may never come back.
func TestASecondStopNeedsNoWorker(t *testing.T) {
	s := newStage(t)
	client := &Engine{Store: s.store, Files: s.store, Kinds: s.Kinds, Desk: noDesk{}, Elsewhere: true}
	run := s.beginQueued(client)
	for i, want := range []Status{Queued, Cancelled} {
		if h, err := client.Stop(t.Context(), run, ByUser, "enough"); err != nil || h.Status != want {
			t.Errorf("after stop %d the run is %s, %v; want %s", i+1, h.Status, err, want)
		}
	}
	if h, taken, err := s.Take(t.Context(), run, "w"); taken || err != nil || h.Status != Cancelled {
		t.Errorf("taken: %v, %s, %v", taken, h.Status, err)
	}
	if s.did() != "a" {
		t.Errorf("did %q", s.did())
	}
}

// TestARunThatIsQueuedElsewhereIsQueuedAgain resumes a run on a new desktop while it waits
// for the worker that had the old one.
func TestARunThatIsQueuedElsewhereIsQueuedAgain(t *testing.T) {
	s := newStage(t)
	s.Desktops = lastingDesk{}
	client := &Engine{Store: s.store, Files: s.store, Kinds: s.Kinds, Desktops: lastingDesk{}, Elsewhere: true}
	run := s.beginQueued(client)
	var wanted []*Wanted
	s.store.after = func(_ string, b Batch) { wanted = append(wanted, b.Wanted) }
	client.Desktops = goneDesk{}
	if _, err := client.Stop(t.Context(), run, ByUser, "enough"); err != nil {
		t.Fatal(err)
	}
	if _, err := client.Resume(t.Context(), run, ResumeRequest{From: "a"}); err != nil {
		t.Fatal(err)
	}
	if len(wanted) != 2 || wanted[0] != nil || wanted[1] == nil || len(wanted[1].Needs) > 0 {
		t.Errorf("the stop and the resumption put it into the queue as %+v; want it once, for any worker", wanted)
	}
}

// goneDesk is a desktop that has ended.
type goneDesk struct{ lastingDesk }

func (goneDesk) Of(DesktopRequest) Desk { return goneDesk{} }

func (goneDesk) Open(context.Context) (*desktop.Desktop, error) { return nil, desktop.ErrGone }

// TestALostWorkersStopIsKept stops a run whose worker dies while it executes finally: who
// continues the run by itself, another worker or a program that begins again, stops it.
func TestALostWorkersStopIsKept(t *testing.T) {
	for say, goOn := range map[string]func(s *stage, run string) error{
		"another worker takes over the run": func(s *stage, run string) error {
			_, _, err := s.Take(s.t.Context(), run, "another")
			return err
		},
		"the run continues by itself": func(s *stage, run string) error {
			_, err := s.Resume(s.t.Context(), run, ResumeRequest{Auto: true})
			return err
		},
	} {
		t.Run(say, func(t *testing.T) {
			s := newStage(t)
			died, end := make(chan bool), make(chan struct{})
			t.Cleanup(func() { close(end) })
			acts := 0
			s.beforeAct = func(string) {
				if acts++; acts == 2 {
					close(died)
					<-end
				}
			}
			entered := make(chan bool)
			s.hook = func(_ context.Context, name string) error {
				if name == "a" {
					close(entered)
				}
				return nil
			}
			h, err := s.Start(t.Context(), s.request(`
resume: auto
steps: [{tool_name: act, arguments: {name: a, hang: true}}, {tool_name: act, arguments: {name: b}}]
finally: [{tool_name: act, arguments: {name: f}}]`, nil))
			if err != nil {
				t.Fatal(err)
			}
			<-entered
			if _, err := s.Stop(t.Context(), h.ID, ByUser, "enough"); err != nil {
				t.Fatal(err)
			}
			<-died
			s.again()
			if err := goOn(s, h.ID); err != nil {
				t.Fatal(err)
			}
			if h = s.rest(h.ID); h.Status != Cancelled || h.Error == nil || h.Error.Message != "enough" || s.did() != "a f" {
				t.Errorf("the run is %s (%+v) and did %q, want it cancelled, and finally done", h.Status, h.Error, s.did())
			}
		})
	}
}

// client returns a server that begins runs for the stage's engine to execute, and hands it their
// secrets.
func (s *stage) client() *Engine {
	client := &Engine{Store: s.store, Files: s.store, Kinds: s.Kinds, Desk: noDesk{}, Elsewhere: true}
	s.Handed = func(_ context.Context, run string, secrets map[string]string) {
		maps.Copy(secrets, client.Unstored(run).Secrets)
	}
	return client
}

// TestAClientForgetsTheSecretsOfARunThatHasEnded holds that a server of a fleet, which
// begins many runs, does not keep what it had to keep for them.
func TestAClientForgetsTheSecretsOfARunThatHasEnded(t *testing.T) {
	s := newStage(t)
	client := s.client()
	r := s.request("variables: {pin: {secret: true}}\nsteps: [{tool_name: act, arguments: {name: \"${{ inputs.pin }}\"}}]", nil)
	r.Secrets, r.Environ = map[string]string{"pin": "hunter2"}, []string{"A=1"}
	h, err := client.Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if _, taken, err := s.Take(t.Context(), h.ID, "w"); !taken || err != nil {
		t.Fatalf("taken: %v, %v", taken, err)
	}
	if s.rest(h.ID); s.did() != "hunter2" {
		t.Errorf("did %q", s.did())
	}
	if h, err = client.Wait(t.Context(), h.ID); h.Status != Succeeded || err != nil {
		t.Fatalf("the run is %s, %v", h.Status, err)
	}
	if u := client.Unstored(h.ID); len(u.Secrets) > 0 || u.Environ != nil {
		t.Errorf("kept is %+v", u)
	}
}

// TestNewsThatIsLost ends a run at a worker, of which its client is told nothing: the server
// that should have told it died.
func TestNewsThatIsLost(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		client := &Engine{Store: s.store, Files: s.store, Kinds: s.Kinds, Desk: noDesk{}, Elsewhere: true}
		h, err := client.Start(t.Context(), s.request(`steps: [{tool_name: act, arguments: {name: a}}]`, nil))
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan Header, 1)
		go func() {
			h, _ := client.Wait(t.Context(), h.ID)
			ended <- h
		}()
		synctest.Wait()
		if _, taken, err := s.Take(t.Context(), h.ID, "w"); !taken || err != nil {
			t.Fatalf("taken: %v, %v", taken, err)
		}
		select {
		case h = <-ended:
			if h.Status != Succeeded {
				t.Errorf("the run is %s", h.Status)
			}
		case <-time.After(time.Minute):
			t.Error("the client still waits")
		}
	})
}

// TestAWorkerUsesTheSecretsOfWhoResumed resumes a run with another secret at the worker that has
// the old one in its memory.
func TestAWorkerUsesTheSecretsOfWhoResumed(t *testing.T) {
	s := newStage(t)
	client := s.client()
	r := s.request("variables: {pin: {secret: true}}\nsteps: [{tool_name: ask_user, arguments: {question: x}}, {id: a, tool_name: act, arguments: {name: \"${{ inputs.pin }}\"}}]", nil)
	r.Secrets = map[string]string{"pin": "old-one"}
	h, err := client.Start(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []Status{Waiting, Succeeded} {
		if _, taken, err := s.Take(t.Context(), h.ID, "w"); !taken || err != nil {
			t.Fatalf("taken: %v, %v", taken, err)
		}
		if h = s.rest(h.ID); h.Status != want {
			t.Fatalf("it is %s, want %s", h.Status, want)
		}
		if want == Waiting {
			if _, err := client.Resume(t.Context(), h.ID, ResumeRequest{From: "a", Secrets: map[string]string{"pin": "new-one"}}); err != nil {
				t.Fatal(err)
			}
		}
	}
	if s.did() != "new-one" {
		t.Errorf("did %q", s.did())
	}
}

// TestOrderlyEndsAreNotLostWorkers lets worker after worker end in the middle of a step that lasts.
func TestOrderlyEndsAreNotLostWorkers(t *testing.T) {
	s := newStage(t)
	client := &Engine{Store: s.store, Files: s.store, Kinds: s.Kinds, Desk: noDesk{}, Elsewhere: true}
	h, err := client.Start(t.Context(), s.request("steps: [{tool_name: look, arguments: {name: a, hang: true}}]", nil))
	if err != nil {
		t.Fatal(err)
	}
	for i := range mostLost + 2 {
		s.again()
		now, taken, err := s.Take(t.Context(), h.ID, "w")
		if err != nil || !taken {
			t.Fatalf("take %d: %v, %v, the run is %s: %+v", i, taken, err, now.Status, now.Error)
		}
		for len(strings.Fields(s.did())) <= i {
			time.Sleep(time.Millisecond)
		}
		if err := s.Abandon(t.Context(), h.ID); err != nil {
			t.Fatal(err)
		}
	}
}

// TestAQueuedRunOfABackupIsInterrupted lists the runs of a fleet as the backup of one has them,
// where nobody executes them.
func TestAQueuedRunOfABackupIsInterrupted(t *testing.T) {
	s := newStage(t)
	client := &Engine{Store: s.store, Files: s.store, Kinds: s.Kinds, Desk: noDesk{}, Elsewhere: true}
	h, err := client.Start(t.Context(), s.request("steps: [{tool_name: act, arguments: {name: a}}]", nil))
	if err != nil {
		t.Fatal(err)
	}
	if list, err := s.List(t.Context(), Query{Status: []Status{Interrupted}}); err != nil || len(list) != 1 || list[0].ID != h.ID {
		t.Errorf("interrupted are %+v, %v", list, err)
	}
}

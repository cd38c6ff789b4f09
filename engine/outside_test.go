package engine

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/scratch"
	"understudy/steps"
	"understudy/workflows/expression"
)

// slowCamera takes pictures that are stored long after they were taken.
type slowCamera struct {
	mu    sync.Mutex
	taken int
	takes func(n int) (time.Duration, error)
}

func (c *slowCamera) Take(_ context.Context, _ *desktop.Desktop, keep func(string, int, error)) {
	c.mu.Lock()
	c.taken++
	n := c.taken
	c.mu.Unlock()
	d, err := c.takes(n)
	time.AfterFunc(d, func() { keep(fmt.Sprintf("picture%d", n), 0, err) })
}

// TestLatePictures holds that no step waits for its pictures, and that the run
// does where it comes to rest, but not for ever.
func TestLatePictures(t *testing.T) {
	each := func(d time.Duration) func(int) (time.Duration, error) {
		return func(int) (time.Duration, error) { return d, nil }
	}
	acts := `{tool_name: act, arguments: {name: a}}, {tool_name: act, arguments: {name: b}}`
	for _, c := range []struct {
		say     string
		doc     string
		through bool
		takes   func(int) (time.Duration, error)
		stored  string
		took    time.Duration
		status  Status
	}{
		{say: "the end waits for pictures", doc: "steps: [" + acts + "]", takes: each(3 * time.Second), stored: "1 2 3 4", took: 3 * time.Second, status: Succeeded},
		{say: "so does a question", doc: "steps: [" + acts + ", {tool_name: ask_user, arguments: {question: x}}]", takes: each(3 * time.Second), stored: "1 2 3 4", took: 3 * time.Second, status: Waiting},
		{say: "and a pause", doc: "steps: [" + acts + "]", through: true, takes: each(3 * time.Second), stored: "1 2", took: 3 * time.Second, status: Paused},
		{say: "but not for ever", doc: "steps: [" + acts + "]", takes: func(n int) (time.Duration, error) {
			return map[bool]time.Duration{true: time.Hour, false: time.Second}[n == 2], nil
		}, stored: "1 3 4", took: pictureTime, status: Succeeded},
		{say: "a picture that cannot be stored fails nothing", doc: "steps: [" + acts + "]", takes: func(n int) (time.Duration, error) {
			return time.Second, map[bool]error{true: errors.New("no room")}[n == 3]
		}, stored: "1 2 4", took: time.Second, status: Succeeded},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				s.Pictures = &slowCamera{takes: c.takes}
				r := s.request(c.doc, nil)
				r.StepThrough = c.through
				began := time.Now()
				h := s.play(r)
				if took := time.Since(began); took != c.took || h.Status != c.status {
					t.Errorf("the run is %s after %s, want %s after %s", h.Status, took, c.status, c.took)
				}
				var stored []string
				for ev := range s.store.Events(t.Context(), h.ID, 1) {
					if p, _ := factOf[Captured](ev); ev.Type == EvCaptured {
						stored = append(stored, strings.TrimPrefix(p.Hash, "picture"))
					}
				}
				slices.Sort(stored)
				if got := strings.Join(stored, " "); got != c.stored {
					t.Errorf("stored were the pictures %q, want %q", got, c.stored)
				}
				time.Sleep(2 * time.Hour) // the last may come when nobody wants it any more
			})
		})
	}
}

// TestPicturesAreInTheirOrder reports pictures as they were taken, also when the
// first takes longest to be stored.
func TestPicturesAreInTheirOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.Pictures = &slowCamera{takes: func(n int) (time.Duration, error) { return time.Duration(3-n) * time.Second, nil }}
		s.hook = func(ctx context.Context, _ string) error { return steps.Sleep(ctx, time.Millisecond) }
		h := s.play(s.request("steps: [{tool_name: act, arguments: {name: a}}]", nil))
		r, err := s.Report(t.Context(), h.ID, Page{})
		if err != nil || len(r.Steps) != 1 {
			t.Fatalf("%d steps, %v", len(r.Steps), err)
		}
		var when []string
		for _, c := range r.Steps[0].Captures {
			when = append(when, c.When+" "+c.Hash)
		}
		if got := strings.Join(when, ", "); got != "before picture1, after picture2" {
			t.Errorf("the pictures are %s", got)
		}
	})
}

// changing is a desktop on which a selector begins, or ends, to match.
type changing struct {
	since time.Time
	there func(time.Duration) bool
	asked *int
}

func (c changing) Exists(context.Context, string) (bool, error) {
	*c.asked++
	return c.there(time.Since(c.since)), nil
}
func (changing) Text(context.Context, string) (string, error) { return "", nil }

// TestTheDesktopChanges holds that what was seen is what counts: a condition
// is looked at once, and its value does not change when the run is resumed; an
// expectation is waited for.
func TestTheDesktopChanges(t *testing.T) {
	later := func(d time.Duration) bool { return d >= 3*time.Second }
	never := func(time.Duration) bool { return false }
	for _, c := range []struct {
		say    string
		doc    string
		there  func(time.Duration) bool
		did    string
		status Status
		took   time.Duration
	}{
		{"an expectation is waited for", `steps: [{expect: "exists('role:button')", tool_name: act, arguments: {name: a}}]`, later, "a", Succeeded, 3 * time.Second},
		{"but not longer than its step may take", `steps: [{timeout: 2s, expect: "exists('role:button')", tool_name: act, arguments: {name: a}}]`, later, "a", Failed, 2 * time.Second},
		{"nor an hour because its kind may take so long", `steps: [{expect: "exists('role:link')", tool_name: long, arguments: {name: a}}]`, never, "a", Failed, 30 * time.Second},
		{"a condition is looked at once", `steps: [{if: "exists('role:button')", tool_name: act, arguments: {name: a}}, {delay: 3s, tool_name: look, arguments: {name: l}}, {if: "exists('role:button')", tool_name: act, arguments: {name: b}}]`, later, "l b", Succeeded, 3 * time.Second},
		{"a loop goes on while it is there", `steps: [{while: "!exists('role:button')", max: 9, steps: [{delay: 1s, tool_name: look, arguments: {name: l}}]}]`, later, "l l l", Succeeded, 3 * time.Second},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := newStage(t)
				asked, began := 0, time.Now()
				s.Probe = func(func(context.Context) (*desktop.Desktop, error), string, []string) expression.Probe {
					return changing{began, c.there, &asked}
				}
				h := s.play(s.request(c.doc, nil))
				if s.did() != c.did || h.Status != c.status || time.Since(began) != c.took {
					t.Errorf("did %q and is %s after %s; want %q, %s, %s: %+v", s.did(), h.Status, time.Since(began), c.did, c.status, c.took, h.Error)
				}
				before := asked
				s.state(h.ID)
				if asked != before {
					t.Error("reading the events looked at the desktop")
				}
			})
		})
	}
}

// TestDryRun holds that a dry run looks and decides, and does nothing.
func TestDryRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		if err := s.Lease.Acquire(t.Context(), "another", AnyDesktop); err != nil {
			t.Fatal(err)
		}
		r := s.request(`
steps:
  - {id: l, tool_name: look, arguments: {name: look, value: 7}}
  - {if: l_result.value == 7, tool_name: act, arguments: {name: a}}
  - {if: l_result.value == 8, tool_name: act, arguments: {name: b}}
  - {id: s, tool_name: set, arguments: {env: {n: 1}}}
  - {foreach: [1, 2], steps: [{tool_name: idem, arguments: {name: i}}]}
finally: [{tool_name: act, arguments: {name: f}}]`, nil)
		r.DryRun = true
		h := s.play(r)
		if h.Status != Succeeded || s.did() != "look" || h.Executed != 6 {
			t.Errorf("the dry run is %s, did %q and executed %d steps; want succeeded, only the look, and 6", h.Status, s.did(), h.Executed)
		}
		if n := s.state(h.ID).Scopes[1].Env["n"]; n != nil {
			t.Errorf("a kind that acts set n to %v", n)
		}
	})
}

// TestJitter holds that pauses between tries are spread, within their share.
func TestJitter(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		began := time.Now()
		h := s.play(s.request(`steps: [{retry: {attempts: 21, delay: 10s, jitter: 0.5}, tool_name: look, arguments: {name: a, fail: 20}}]`, nil))
		seen := map[time.Duration]bool{}
		var sum time.Duration
		for ev := range s.store.Events(t.Context(), h.ID, 1) {
			w, _ := factOf[Waited](ev)
			if ev.Type != EvWaited {
				continue
			}
			if w.For < 5*time.Second || w.For > 15*time.Second {
				t.Errorf("a pause of %s, want 10s and half of it more or less", w.For)
			}
			seen[w.For] = true
			sum += w.For
		}
		if len(seen) < 2 || sum != time.Since(began) || h.Status != Succeeded {
			t.Errorf("%d different pauses of %s in all; the run is %s after %s", len(seen), sum, h.Status, time.Since(began))
		}
	})
}

// TestSecretsThatAreShortDerivedOrLogged holds where they do not stand. A short
// one is known by where a template put it: it is hidden in what comes of that
// step.
func TestSecretsThatAreShortDerivedOrLogged(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		s.Kinds = append(s.Kinds, steps.Define(steps.Kind{Name: "tell", Summary: "For tests."}, actArgs{}, func(_ context.Context, env *steps.Env, a actArgs) (actResult, error) {
			env.Logger().Info("telling "+a.Name, "what", a.Name, slog.Group("in", "side", a.Name))
			return actResult{Value: "told " + a.Name}, steps.Errorf(steps.NotFound, "no %s here", a.Name)
		}))
		r := s.request(`
variables: {pin: {type: string, secret: true}, word: {type: string, secret: true}}
steps:
  - {id: short, tool_name: act, arguments: {name: "${{ inputs.pin }}"}}
  - {id: derived, tool_name: act, arguments: {name: "${{ upper(inputs.word) }}", value: "${{ inputs.pin + inputs.word }}"}}
  - {tool_name: act, arguments: {name: "${{ len(inputs.word) }}"}}
  - {id: told, continue_on_error: true, tool_name: tell, arguments: {name: "${{ inputs.word }}"}}
  - {tool_name: act, arguments: {name: "<${{ inputs.pin }}>"}}`, nil)
		r.Secrets = map[string]string{"pin": "q7", "word": "swordfish"}
		h := s.play(r)
		if want := "q7 SWORDFISH 9 <q7>"; s.did() != want || h.Status != Succeeded {
			t.Errorf("the run is %s and did %q, want %q: %+v", h.Status, s.did(), want, h.Error)
		}
		logged := false
		for ev := range s.store.Events(t.Context(), h.ID, 1) {
			text := strings.ToLower(string(ev.Data))
			logged = logged || ev.Type == EvLogged
			if strings.Contains(text, "swordfish") {
				t.Errorf("the secret stands in event %d (%s): %s", ev.Seq, ev.Type, ev.Data)
			}
			if strings.Contains(text, "q7") {
				t.Errorf("the short secret stands in event %d (%s): %s", ev.Seq, ev.Type, ev.Data)
			}
		}
		if !logged {
			t.Error("nothing was logged")
		}
	})
}

// TestTheDesktopGoesRound holds that runs get the desktop in the order in
// which they asked for it, also when one of them gives up.
func TestTheDesktopGoesRound(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		var ids []string
		for i := range 6 {
			r := s.request(fmt.Sprintf(`steps: [{delay: 10s, tool_name: act, arguments: {name: "%d"}}, {tool_name: act, arguments: {name: "%d"}}]`, i, i), nil)
			r.Queue = true
			h, err := s.Start(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			ids = append(ids, h.ID)
			synctest.Wait()
		}
		if h, err := s.Stop(t.Context(), ids[2], ByUser, "enough"); err != nil || h.Status != Cancelled {
			t.Errorf("a run in the queue is %s when it is stopped: %v", h.Status, err)
		}
		for _, id := range ids {
			s.rest(id)
		}
		if want := "0 0 1 1 3 3 4 4 5 5"; s.did() != want {
			t.Errorf("did %q, want %q", s.did(), want)
		}
	})
}

// TestNothingIsLeftBehind holds that runs which ended, were stopped, wait, or
// were abandoned leave no goroutine.
func TestNothingIsLeftBehind(t *testing.T) {
	s := newStage(t)
	s.hook = func(ctx context.Context, name string) error {
		if name == "slow" {
			return steps.Sleep(ctx, time.Hour)
		}
		return nil
	}
	round := func() {
		s.play(s.request(`steps: [{tool_name: act, arguments: {name: a}}]`, nil))
		s.play(s.request(`steps: [{tool_name: ask_user, arguments: {question: x}}]`, nil))
		h, err := s.Start(t.Context(), s.request(`{timeout: 1h, steps: [{timeout: 1h, tool_name: act, arguments: {name: slow}}], finally: [{tool_name: look, arguments: {name: f}}]}`, nil))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Stop(t.Context(), h.ID, ByUser, "enough"); err != nil {
			t.Fatal(err)
		}
		s.rest(h.ID)
		s.play(s.request(`steps: [{tool_name: act, timeout: 1ms, arguments: {name: slow}}]`, nil))
		_, end := s.News("")
		end()
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		_, _ = s.Await(ctx, "", 0)
	}
	round()
	before := runtime.NumGoroutine()
	for range 50 {
		round()
	}
	if err := s.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	for end := scratch.Deadline(t); runtime.NumGoroutine() > before; runtime.Gosched() {
		if time.Now().After(end) {
			buf := make([]byte, 1<<20)
			t.Fatalf("there were %d goroutines and now there are %d:\n%s", before, runtime.NumGoroutine(), buf[:runtime.Stack(buf, true)])
		}
	}
	if n := len(s.Active()); n > 0 {
		t.Errorf("%d runs are still executed", n)
	}
}

// TestAPauseEndsTheWaitForTheDesktop holds that a run that waits for the desktop can be
// paused, for it stands between two steps, and begins the step when it goes on.
func TestAPauseEndsTheWaitForTheDesktop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		if err := s.Lease.Acquire(t.Context(), "another", AnyDesktop); err != nil {
			t.Fatal(err)
		}
		r := s.request(`steps: [{tool_name: act, arguments: {name: a}}]`, nil)
		r.Queue = true
		h, err := s.Start(t.Context(), r)
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if now, err := s.Get(t.Context(), h.ID); err != nil || now.Status != Queued {
			t.Fatalf("the run is %s, %v; want it queued", now.Status, err)
		}
		if err := s.Pause(t.Context(), h.ID); err != nil {
			t.Fatal(err)
		}
		if h, err = s.Wait(t.Context(), h.ID); err != nil || h.Status != Paused || s.did() != "" {
			t.Fatalf("the run is %s, %v, and did %q; want it paused before its step", h.Status, err, s.did())
		}
		s.Lease.Release("another")
		if _, err := s.Continue(t.Context(), h.ID); err != nil {
			t.Fatal(err)
		}
		if h, err = s.Wait(t.Context(), h.ID); err != nil || h.Status != Succeeded || s.did() != "a" {
			t.Errorf("the run is %s, %v, and did %q; want it to have succeeded with its one step", h.Status, err, s.did())
		}
	})
}

// TestAPauseComesAfterWhatTheStepExpects pauses a run in the middle of a step: what the step
// expects is evaluated before a person changes the screen.
func TestAPauseComesAfterWhatTheStepExpects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newStage(t)
		const doc = `steps: [{id: a, tool_name: act, arguments: {name: a}, expect: "1 == 1"}, {id: b, tool_name: act, arguments: {name: b}}]`
		h := s.pausedAfterA(doc, func(run string) { s.PauseForHandover(run) })
		if !strings.HasSuffix(s.types(h.ID), "ended paused") {
			t.Errorf("for a handover, which may not wait, it pauses after %s", s.types(h.ID))
		}
		h = s.pausedAfterA(doc, nil)
		if h.ResumeFrom != "b" || !strings.HasSuffix(s.types(h.ID), "ended evaluated paused") {
			t.Errorf("it continues at %s after %s", h.ResumeFrom, s.types(h.ID))
		}
	})
}

//go:build unix

package engine

import (
	"context"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/testing/fake"
	"understudy/steps/kinds"
)

// reached is the session of a desktop that programs reach by a variable.
type reached struct{ desktop.Session }

func (reached) Info(context.Context) (desktop.Info, error) {
	return desktop.Info{Env: []string{"DISPLAY=:77"}}, nil
}

// TestProgramsComeUpOnTheDesktopOfTheRun holds that a program that is started
// before any step has used the desktop comes up where the steps will look.
func TestProgramsComeUpOnTheDesktopOfTheRun(t *testing.T) {
	const program, look = `{id: p, tool_name: run_command, arguments: {run: "echo at $DISPLAY"}}`, `{tool_name: validate_element, arguments: {selector: name:Send}}`
	for _, c := range []struct {
		say, document string
		at            string
	}{
		{"before the first step that looks", "steps: [" + program + ", " + look + "]", "at :77"},
		{"after it", "steps: [" + look + ", " + program + "]", "at :77"},
		{"before one in a group", "steps: [" + program + ", {group_name: g, steps: [" + look + "]}]", "at :77"},
		{"where no step looks", "steps: [" + program + "]", "at"},
	} {
		t.Run(c.say, func(t *testing.T) {
			d := fake.New(fake.MustParse(twoWindows)...)
			t.Cleanup(func() { _ = d.Close() })
			desk := d.Desktop()
			desk.Session = reached{desk.Session}
			s := newStage(t)
			s.Desk, s.Kinds = fakeDesk{desk}, kinds.All()
			req := s.request(c.document, nil)
			req.Dir = t.TempDir()
			h := s.play(req)
			r, err := s.Report(t.Context(), h.ID, Page{})
			if err != nil || h.Status != Succeeded {
				t.Fatalf("%s: %+v, %v", h.Status, h.Error, err)
			}
			for _, step := range r.Steps {
				if step.ID == "p" {
					if out, _ := step.Result.(map[string]any)["stdout"].(string); strings.TrimSpace(out) != c.at {
						t.Errorf("the program is %q, want %q", out, c.at)
					}
				}
			}
		})
	}
}

// ownDesktops gives each client desktops of its own, and counts how often one is opened.
type ownDesktops struct {
	lastingDesk
	desk   Desk
	opened *atomic.Int32
}

func (d ownDesktops) Of(DesktopRequest) Desk { return d }
func (ownDesktops) Pooled() bool             { return true }
func (ownDesktops) Forget(string)            {}
func (d ownDesktops) Open(ctx context.Context) (*desktop.Desktop, error) {
	d.opened.Add(1)
	return d.desk.Open(ctx)
}

// TestProgramWaitsForTheDesktopOfItsRun holds that a run that will act gets its desktop
// before it starts a program there, so that two runs of a client that begin with a
// command do not end up on one desktop.
func TestProgramWaitsForTheDesktopOfItsRun(t *testing.T) {
	const program, log, click = `{tool_name: run_command, arguments: {run: "true"}}`, `{tool_name: log, arguments: {message: hello}}`, `{tool_name: click_element, arguments: {selector: name:Send}}`
	for _, c := range []struct {
		say, document string
		waits         bool
	}{
		{"a program before a step that acts", "steps: [" + program + ", " + click + "]", true},
		{"a program of a run that never acts", "steps: [" + program + ", {tool_name: validate_element, arguments: {selector: name:Send}}]", false},
		{"a step that starts no program", "steps: [" + log + "]", false},
	} {
		t.Run(c.say, func(t *testing.T) {
			d := fake.New(fake.MustParse(twoWindows)...)
			t.Cleanup(func() { _ = d.Close() })
			s, opened := newStage(t), new(atomic.Int32)
			s.Desktops, s.Kinds = ownDesktops{desk: fakeDesk{d.Desktop()}, opened: opened}, kinds.All()
			if err := s.Lease.Acquire(t.Context(), "another", AnyDesktop); err != nil {
				t.Fatal(err)
			}
			req := s.request(c.document, nil)
			req.Dir, req.Queue = t.TempDir(), true
			h, err := s.Start(t.Context(), req)
			if err != nil {
				t.Fatal(err)
			}
			if c.waits {
				for s.Lease.Position(h.ID) == 0 {
					time.Sleep(time.Millisecond)
				}
				if n := opened.Load(); n > 0 {
					t.Errorf("it has opened a desktop %d times while another run has the place", n)
				}
				s.Lease.Release("another")
			}
			if h = s.rest(h.ID); h.Status != Succeeded {
				t.Errorf("it is %s: %+v", h.Status, h.Error)
			}
		})
	}
}

// TestWaitingForTheDesktopTakesNoTime waits for longer than the run may take, before a step
// and before an evaluation that looks at the desktop.
func TestWaitingForTheDesktopTakesNoTime(t *testing.T) {
	for _, c := range []struct {
		step  string
		pause bool // it is paused meanwhile
	}{
		{`{tool_name: act, arguments: {name: a}}`, false},
		{`{tool_name: act, arguments: {name: a}}`, true},
		{`{tool_name: act, arguments: {name: a}, expect: "1 == 1"}`, false},
		{`{tool_name: act, arguments: {name: a}, expect: "1 == 1"}`, true},
	} {
		synctest.Test(t, func(t *testing.T) {
			s := newStage(t)
			s.Desktops = ownDesktops{desk: noDesk{}, opened: &atomic.Int32{}}
			if err := s.Lease.Acquire(t.Context(), "another", AnyDesktop); err != nil {
				t.Fatal(err)
			}
			r := s.request("timeout: 10s\nsteps: ["+c.step+"]", nil)
			r.Queue = true
			h, err := s.Start(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Minute)
			want := Succeeded
			if c.pause {
				want = Paused
				if err := s.Pause(t.Context(), h.ID); err != nil {
					t.Fatal(err)
				}
			} else {
				s.Lease.Release("another")
			}
			if h = s.rest(h.ID); h.Status != want {
				t.Errorf("%+v: the run is %s: %+v", c, h.Status, h.Error)
			}
			if !c.pause {
				return
			}
			s.Lease.Release("another")
			s.again() // it continues in another process
			if _, err := s.Continue(t.Context(), h.ID); err != nil {
				t.Fatal(err)
			}
			if h = s.rest(h.ID); h.Status != Succeeded {
				t.Errorf("%+v: continued, the run is %s: %+v", c, h.Status, h.Error)
			}
		})
	}
}

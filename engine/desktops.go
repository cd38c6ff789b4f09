package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/workflows"
)

// Desktops gives each run its desktop.
type Desktops interface {
	// Of is the desktop of a run. Open fails with desktop.ErrGone when it is
	// the one on which the run was, and has ended.
	Of(r DesktopRequest) Desk
	// Release says that a run has come to rest. A desktop that was made for it
	// is not needed any more when it succeeded.
	Release(r DesktopRequest, succeeded bool)
	// Claim takes the desktop on which a run will act, unless another run has
	// it. It is called with the lease locked.
	Claim(r DesktopRequest) (release func(), ok bool)
	// Apart says that each client has desktops of its own: what one of them
	// shows is no matter of others.
	Apart() bool
}

// DesktopRequest says which desktop is meant.
type DesktopRequest struct {
	Run    string
	Owner  string // the credential that the run belongs to
	Client string // who began it
	Single bool   // the run is a single call
	Choice DesktopChoice
	On     *desktop.Info // the lasting desktop that it is on; nil: on none yet
}

// DesktopChoice is how a run wants its desktop; the zero value is as the engine
// has it.
type DesktopChoice struct {
	Display string       `json:"display,omitempty"` // virtual, or virtual:NAME
	Screen  desktop.Size `json:"screen,omitzero"`
	Layout  string       `json:"layout,omitempty"`
	// Keep is how long a desktop that is made for the run is kept for it when it
	// did not succeed.
	Keep time.Duration `json:"keep,omitempty"`
}

// runDesktop is the desktop of a run, and what is known of it.
type runDesktop struct {
	*journal
	inbox   *inbox                       // takes the event that says which it is
	on      atomic.Pointer[desktop.Info] // the lasting one; nil: none yet
	located atomic.Bool                  // what it is has been looked at
}

func (x *runDesktop) desk() Desk {
	if x.e.Desktops == nil {
		return x.e.Desk
	}
	return x.e.Desktops.Of(x.desktopRequest())
}

func (x *runDesktop) desktopRequest() DesktopRequest {
	return DesktopRequest{Run: x.id, Owner: x.s.Created.Owner, Client: x.s.Created.Client, Single: x.s.Created.Call != "", Choice: x.s.Created.Desktop, On: x.on.Load()}
}

// claim takes the desktop of the run for it to act on.
func (x *runDesktop) claim() (release func(), ok bool) {
	if x.e.Desktops == nil {
		return AnyDesktop()
	}
	return x.e.Desktops.Claim(x.desktopRequest())
}

func (e *Engine) apart() bool { return e.Desktops != nil && e.Desktops.Apart() }

// claimsEarly says whether a run takes the lease before it looks: one that will
// act must not look at a desktop on which another run then acts.
func (x *runDesktop) claimsEarly() bool {
	return x.e.apart() && !x.s.Created.DryRun && touches(x.program, steps.Act)
}

// openDesktop opens the desktop of the run. That it is on a lasting one is
// handed to the worker, to be recorded before the next effect.
func (x *runDesktop) openDesktop(ctx context.Context) (*desktop.Desktop, error) {
	d, err := x.desk().Open(ctx)
	if err != nil || x.e.Desktops == nil || x.located.Load() {
		return d, err
	}
	info, err := d.Info(ctx)
	if err != nil {
		return d, nil //nolint:nilerr // what is missing then fails in the step
	}
	if x.located.Swap(true) || info.Name == "" || x.on.Load() != nil {
		return d, nil
	}
	x.on.Store(&info)
	ev, err := newEvent(EvLocated, "", info)
	if err == nil {
		x.inbox.located(ev)
	}
	return d, err
}

// locate opens the desktop before the first step that uses it starts, so that
// where the run is stands in its events before it acts there. It may have to be
// started, which counts for no limit; why it cannot be is for the step to say.
func (w *worker) locate(n *workflows.Node) error {
	w.noDesktop = nil
	if w.e.Desktops == nil || w.located.Load() || n.Kind.Touches == steps.None || w.s.Created.DryRun && !n.Kind.Reads {
		return nil
	}
	if w.s.Created.Desktop.Display != "" { // who began the run waits meanwhile
		if err := w.flush(w.lazy()); err != nil {
			return err
		}
	}
	ctx, done := w.context(unlimited)
	defer done()
	_, w.noDesktop = w.openDesktop(ctx)
	return w.drain()
}

// goneDesktop is why the desktop of a stored run is gone; nil: it is there, or
// the run had none of its own.
func (x *runDesktop) goneDesktop(ctx context.Context) error {
	if x.s.Desktop == nil || x.e.Desktops == nil {
		return nil
	}
	if _, err := x.desk().Open(ctx); errors.Is(err, desktop.ErrGone) {
		return err
	}
	return nil
}

// backOnDesktop makes a resumption one that the desktop of the run allows: when
// that is gone, only one that begins again, with its programs, on a new one.
func (x *runDesktop) backOnDesktop(ctx context.Context, r ResumeRequest) (ResumeRequest, error) {
	gone := x.goneDesktop(ctx)
	if gone == nil {
		return r, nil
	}
	first, err := x.firstOnDesktop(ctx)
	if err != nil {
		return r, err
	}
	lost := &steps.Error{Code: steps.Unavailable, Err: fmt.Errorf("run %s was on a desktop that is gone, and its programs with it: %w", x.id, gone)}
	switch policy := x.program.Options.OnLostDesktop; {
	case policy == workflows.FailWithoutDesktop:
		lost.Next = "start it anew: its document says on_lost_desktop: fail"
		return r, lost
	case r.From != "":
	case policy == workflows.RestartWithoutDesktop:
		r.From = first
	default:
		lost.Next = fmt.Sprintf("begin again on a new desktop, at the first step that used it: --from %s", first)
		lost.Step = first
		return r, lost
	}
	r.lost = true
	x.on.Store(nil)
	x.located.Store(false) // the new one has to be recorded
	return r, nil
}

// refuseGone says why a run that waits or pauses cannot simply go on.
func (x *runDesktop) refuseGone(ctx context.Context) error {
	r, err := x.backOnDesktop(ctx, ResumeRequest{})
	if err == nil && r.lost {
		err = &steps.Error{Code: steps.Unavailable, Err: fmt.Errorf("run %s was on a desktop that is gone", x.id), Next: "resume it: it begins again at " + r.From}
	}
	return err
}

// firstOnDesktop is the first step that used the desktop.
func (x *runDesktop) firstOnDesktop(ctx context.Context) (string, error) {
	nodes := executedNodes(x.layout)
	for ev, err := range x.e.Store.Events(ctx, x.id, 1) {
		if err != nil {
			return "", err
		}
		n := nodes[plain(ev.Path)]
		if ev.Type == EvStarted && n != nil && n.Kind != nil && n.Kind.Touches != steps.None {
			return name(n, ev.Path), nil
		}
	}
	return x.header.ResumeFrom, nil
}

// releaseDesktop gives up the desktop of the run, which has come to rest.
func (x *runDesktop) releaseDesktop(succeeded bool) {
	if x.e.Desktops != nil {
		x.e.Desktops.Release(x.desktopRequest(), succeeded)
	}
}

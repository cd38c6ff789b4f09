package engine

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/words"
	"understudy/steps"
	"understudy/workflows"
)

// Desktops assigns a desktop to each run.
type Desktops interface {
	// Of returns the desktop of a run. Its Open fails with desktop.ErrGone if the run
	// was on a desktop that has ended.
	Of(r DesktopRequest) Desk
	// Release is called when a run has come to rest. A desktop made for a run that
	// succeeded is no longer needed.
	Release(r DesktopRequest, succeeded bool)
	// Claim reserves the desktop on which a run will act, unless another run has it.
	// It is called with the mutex of the lease held.
	Claim(r DesktopRequest) (release func(), ok bool)
	// Pooled reports whether each client has desktops of its own, so that clients do
	// not see what others do.
	Pooled() bool
	// Forget ends the desktops that a client had and no run needs, once it is gone.
	Forget(client string)
}

// DesktopRequest identifies the desktop of a run.
type DesktopRequest struct {
	Run    string
	Owner  string // the credential that the run belongs to
	Client string // the client that began the run
	Single bool   // the run is a single call
	Choice DesktopChoice
	On     *desktop.Info // the lasting desktop that the run is on; nil: none yet
}

// DesktopChoice describes the desktop that a run wants; the zero value takes the
// engine's default.
type DesktopChoice struct {
	Display string       `json:"display,omitempty"` // virtual, or virtual:NAME
	Screen  desktop.Size `json:"screen,omitzero"`
	Layout  string       `json:"layout,omitempty"`
	// Keep is how long a desktop made for the run is kept after the run has ended
	// without success.
	Keep time.Duration `json:"keep,omitempty"`
}

// runDesktop is the desktop of a run, as far as it is known.
type runDesktop struct {
	*journal
	inbox   *inbox                       // receives the event that tells which desktop it is
	on      atomic.Pointer[desktop.Info] // the lasting one; nil: none yet
	located atomic.Bool                  // Info has been asked for
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

// claim reserves the desktop of the run, so that the run can act on it.
func (x *runDesktop) claim() (release func(), ok bool) {
	if x.e.Desktops == nil {
		return AnyDesktop()
	}
	return x.e.Desktops.Claim(x.desktopRequest())
}

func (x *runDesktop) pooled() bool { return x.e.Desktops != nil && x.e.Desktops.Pooled() }

// claimsEarly reports whether a run takes the lease before it looks at the desktop. A
// run that will act must not look at a desktop on which another run acts meanwhile.
func (x *runDesktop) claimsEarly() bool {
	return x.pooled() && !x.s.Created.DryRun && touches(x.program, steps.Act)
}

// needsPlace reports whether a step of a kind may start only when the run has the lease.
// A program that a step starts comes up on the desktop of the run and may do anything
// there.
func (x *runDesktop) needsPlace(k *steps.Kind) bool {
	switch {
	case k.Touches == steps.Act:
		return !x.s.Created.DryRun
	case k.Touches == steps.Look, k.Toolset == steps.Shell:
		return x.claimsEarly()
	}
	return false
}

// openDesktop opens the desktop of the run. If it is a lasting one, the event that
// records it goes to the inbox of the worker, which stores it before the next effect.
func (x *runDesktop) openDesktop(ctx context.Context) (*desktop.Desktop, error) {
	d, err := x.desk().Open(ctx)
	if err != nil || x.e.Desktops == nil || x.located.Load() {
		return d, err
	}
	info, err := d.Info(ctx)
	if err != nil {
		return d, nil //nolint:nilerr // the step fails if it needs what is missing
	}
	if x.located.Swap(true) || info.Name == "" || x.on.Load() != nil {
		return d, nil
	}
	x.on.Store(&info)
	return d, x.inbox.put(EvLocated, "", info)
}

// locate opens the desktop before the first step that uses it starts, so that the
// events tell where the run is before it acts there. A desktop may have to be
// started, which does not count towards any limit. The step reports why it cannot be
// opened.
func (w *worker) locate(n *workflows.Node) error {
	w.noDesktop = nil
	if w.e.Desktops == nil || w.located.Load() || n.Kind.Touches == steps.None || w.s.Created.DryRun && !n.Kind.Reads {
		return nil
	}
	if w.s.Created.Desktop.Display != "" { // the caller of Start waits meanwhile
		if err := w.flush(w.lazy()); err != nil {
			return err
		}
	}
	ctx, done := w.context(unlimited)
	defer done()
	_, w.noDesktop = w.openDesktop(ctx)
	return w.drain()
}

// goneDesktop returns why the desktop of a stored run is gone; nil: it exists, or the
// run had none of its own.
func (x *runDesktop) goneDesktop(ctx context.Context) error {
	if x.s.Desktop == nil || x.e.Desktops == nil {
		return nil
	}
	if _, err := x.desk().Open(ctx); errors.Is(err, desktop.ErrGone) {
		return err
	}
	return nil
}

// backOnDesktop adapts a resumption to the desktop of the run. If that is gone, the
// run can only begin again, together with its programs, on a new one.
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
		lost.Next = "start a new run: the document says on_lost_desktop: fail"
		return r, lost
	case r.From != "":
	case policy == workflows.RestartWithoutDesktop:
		r.From = first
	default:
		lost.Next = fmt.Sprintf("begin again on a new desktop, at the first step that used it: --from %s", words.Quoted(first))
		lost.Step = first
		return r, lost
	}
	r.lost = true
	x.on.Store(nil)
	x.located.Store(false) // the new desktop has to be recorded
	return r, nil
}

// refuseGone returns why a run that waits or is paused cannot simply continue.
func (x *runDesktop) refuseGone(ctx context.Context) error {
	r, err := x.backOnDesktop(ctx, ResumeRequest{})
	if err == nil && r.lost {
		err = &steps.Error{Code: steps.Unavailable, Err: fmt.Errorf("run %s was on a desktop that is gone", x.id), Next: "resume it: it begins again at " + string(words.Quoted(r.From))}
	}
	return err
}

func (x *runDesktop) firstOnDesktop(ctx context.Context) (string, error) {
	for ev, err := range x.e.Store.Events(ctx, x.id, 1) {
		if err != nil {
			return "", err
		}
		n := x.layout.nodeAt(ev.Path)
		if ev.Type == EvStarted && n != nil && n.Kind != nil && n.Kind.Touches != steps.None {
			return name(n, ev.Path), nil
		}
	}
	return x.header.ResumeFrom, nil
}

func (x *runDesktop) releaseDesktop(succeeded bool) {
	if x.e.Desktops != nil {
		x.e.Desktops.Release(x.desktopRequest(), succeeded)
	}
}

// desktopEnv returns the environment that programs started by a step need to reach
// the desktop of the run. If the run uses a desktop, it is opened first, because
// otherwise the programs would appear on another. Empty if no run has used a desktop,
// or if it is lost.
func (x *runDesktop) desktopEnv(ctx context.Context) []string {
	d := x.lastOpened(ctx)
	if d == nil && touches(x.program, steps.Act, steps.Look) {
		var err error
		if d, err = x.openDesktop(ctx); err != nil {
			x.e.log().WarnContext(ctx, "the program is started without the desktop, which cannot be opened", "run", x.id, "error", err)
			return nil
		}
		x.opened(d)
	}
	if d == nil {
		return nil
	}
	info, err := d.Info(ctx)
	if err != nil {
		return nil
	}
	return info.Env
}

// opened remembers the desktop used last by runs that chose none, for each client if
// each has its own.
func (x *runDesktop) opened(d *desktop.Desktop) {
	if x.s.Created.Desktop == (DesktopChoice{}) {
		x.e.opened.Store(x.openedKey(), d)
	}
}

// openedKey returns under which key the desktop used last is remembered.
func (x *runDesktop) openedKey() string {
	if x.pooled() {
		return x.s.Created.Client
	}
	return ""
}

// lastOpened returns the desktop used last by runs that chose none, if this run chose
// none either; nil: there is none.
func (x *runDesktop) lastOpened(ctx context.Context) *desktop.Desktop {
	if x.s.Created.Desktop != (DesktopChoice{}) || x.on.Load() != nil {
		return nil
	}
	v, _ := x.e.opened.Load(x.openedKey())
	if d, ok := v.(*desktop.Desktop); ok && d.Ping(ctx) == nil { // its display number may belong to another desktop by now
		return d
	}
	return nil
}

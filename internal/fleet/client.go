package fleet

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/remote"
	"understudy/steps"
)

var _ engine.Runs = (*Client)(nil)

// Client begins, follows and continues runs that the workers of a fleet execute.
type Client struct {
	*engine.Engine
	store  Store
	server string // the name under which this process answers questions about its clients; empty: it does not answer
}

// NewClient returns a client that receives news from workers until the context ends.
func NewClient(ctx context.Context, s Store, kinds []steps.Kind) (*Client, error) {
	c := &Client{store: s, Engine: &engine.Engine{Store: s, Files: s, Kinds: kinds, Elsewhere: true}}
	c.Engine.Desktops = workersDesktops{c}
	c.Maintainer, c.HeldElsewhere = maintainer{s}, c.heldBy
	if err := s.News(ctx, c.Notify); err != nil {
		return nil, err
	}
	return c, c.offerSecrets(ctx)
}

// Start begins a run. It refuses single kinds: each would be executed on another
// desktop.
func (c *Client) Start(ctx context.Context, r engine.Request) (engine.Header, error) {
	if r.Call != "" {
		return engine.Header{}, steps.Errorf(steps.Unavailable, "%s: a fleet executes workflows, not single steps: each step would run on another desktop", r.Call).
			WithNext("make a workflow of the steps, or use a server with desktops of its own")
	}
	// Paths and variables of this machine mean nothing on that of the worker.
	r.Dir, r.Roots, r.Private, r.Environ, r.Server = "", nil, nil, nil, c.server
	return c.Engine.Start(ctx, r)
}

func (c *Client) Get(ctx context.Context, id string) (engine.Header, error) {
	h, err := c.Engine.Get(ctx, id)
	if err == nil {
		h.TakenBy, h.Waits = c.holderOf(ctx, h), c.waitsFor(ctx, h)
	}
	return h, err
}

func (c *Client) Report(ctx context.Context, id string, p engine.Page) (engine.Report, error) {
	h, err := c.Get(ctx, id)
	if err != nil {
		return engine.Report{}, err
	}
	return engine.ReportOf(h, c.store.Events(ctx, id, 1), p)
}

func (c *Client) heldBy(ctx context.Context, id string) string {
	h, err := c.Engine.Get(ctx, id)
	if err != nil {
		return "" // the caller gets the same error
	}
	return c.holderOf(ctx, h)
}

// holderOf asks the worker of a run which person has taken over the desktop of the
// run. A takeover ends with its worker.
func (c *Client) holderOf(ctx context.Context, h engine.Header) string {
	if h.Worker == "" || h.Desktop == nil || h.Status == engine.Queued || h.Status == engine.Running {
		return ""
	}
	s, err := ask(ctx, c.store, h.Worker)
	if err != nil {
		return ""
	}
	return s.Held[h.ID]
}

// Stop stops a run. It returns when the worker has ended the step under way.
func (c *Client) Stop(ctx context.Context, id string, cause engine.Cause, message string) (engine.Header, error) {
	return c.whereExecuted(ctx, id, func(ctx context.Context, r controls) (engine.Header, error) { return r.Stop(ctx, id, cause, message) })
}

// StopAll refuses, because the runs of a fleet belong to many people.
func (c *Client) StopAll(context.Context, engine.Cause, string) ([]engine.Header, error) {
	return nil, steps.Errorf(steps.Invalid, "the runs of a fleet belong to many people").WithNext("name the run to stop")
}

func (c *Client) Pause(ctx context.Context, id string) error {
	_, err := c.whereExecuted(ctx, id, func(ctx context.Context, r controls) (engine.Header, error) { return engine.Header{}, r.Pause(ctx, id) })
	return err
}

func (c *Client) TakeOver(ctx context.Context, id string, t engine.Takeover) (engine.Header, error) {
	return c.atItsWorker(ctx, id, func(ctx context.Context, r remote.Runs) (engine.Header, error) { return r.TakeOver(ctx, id, t) })
}

func (c *Client) HandBack(ctx context.Context, id, by string) (engine.Header, error) {
	return c.atItsWorker(ctx, id, func(ctx context.Context, r remote.Runs) (engine.Header, error) { return r.HandBack(ctx, id, by) })
}

// Places tells nothing about the desktops of workers: runs wait in the queue of the
// fleet.
func (c *Client) Places(context.Context) (engine.Places, error) { return engine.Places{}, nil }

// retryTime is the delay before a run is looked up again.
const retryTime = 250 * time.Millisecond

// controls is what an engine and the worker of a run have in common.
type controls interface {
	Stop(ctx context.Context, id string, c engine.Cause, message string) (engine.Header, error)
	Pause(ctx context.Context, id string) error
}

// whereExecuted executes a call at the worker that executes the run, or here if no worker
// does. If the worker is gone, it tries again until another worker has the run, or
// the context ends.
func (c *Client) whereExecuted(ctx context.Context, id string, do func(context.Context, controls) (engine.Header, error)) (engine.Header, error) {
	for tried := false; ; tried = true {
		h, err := c.Engine.Get(ctx, id)
		if err != nil || tried && h.Stopping { // a second stop would abandon finally
			return h, err
		}
		if h.Status == engine.Running {
			h, err = c.atWorker(ctx, h, func(ctx context.Context, r remote.Runs) (engine.Header, error) { return do(ctx, r) })
		} else {
			h, err = do(ctx, c.Engine)
		}
		// Either a worker has just taken the run, or its worker is gone.
		if !engine.Lost(err) && !errors.Is(err, errNoAnswer) || steps.Sleep(ctx, retryTime) != nil {
			return h, err
		}
	}
}

var errNoAnswer = errors.New("no answer")

// atItsWorker executes a call at the worker on whose desktop a run is.
func (c *Client) atItsWorker(ctx context.Context, id string, do func(context.Context, remote.Runs) (engine.Header, error)) (engine.Header, error) {
	h, err := c.Get(ctx, id)
	if err != nil {
		return engine.Header{}, err
	}
	if h.Worker == "" {
		return engine.Header{}, steps.Errorf(steps.Invalid, "run %s was not executed by any worker yet", id)
	}
	return c.atWorker(ctx, h, do)
}

// atWorker executes a call at the worker of a run, and fails with errNoAnswer once the worker
// is gone or has lost the run to another one.
func (c *Client) atWorker(ctx context.Context, h engine.Header, do func(context.Context, remote.Runs) (engine.Header, error)) (engine.Header, error) {
	limited, cancel := context.WithCancel(ctx)
	defer cancel()
	go func() {
		for steps.Sleep(limited, askTime) == nil {
			_, err := ask(limited, c.store, h.Worker)
			now, failed := c.Engine.Get(limited, h.ID)
			if errors.Is(err, engine.ErrNobody) || failed == nil && now.Worker != h.Worker {
				cancel()
			}
		}
	}()
	after, err := do(limited, link(c.store, callsName, h.Worker).Runs())
	if errors.Is(err, errNoAnswer) {
		next := "start the worker again, because the desktop of the run is there"
		if h.Status == engine.Running {
			next = "another worker takes over the run when its lease has expired: try again then"
		}
		err = steps.Errorf(steps.Unavailable, "worker %s of run %s does not answer: %w", h.Worker, h.ID, err).WithNext(next)
	}
	return after, err
}

func link(s Store, name ...string) remote.Link {
	return func(ctx context.Context, message []byte) ([]byte, error) {
		answer, err := s.Ask(ctx, message, name...)
		if err != nil {
			err = fmt.Errorf("%s: %w: %w", strings.Join(name, " "), errNoAnswer, err)
		}
		return answer, err
	}
}

// workersDesktops are the desktops of the workers. A client knows only whether the worker of
// a desktop answers.
type workersDesktops struct{ c *Client }

func (d workersDesktops) Of(r engine.DesktopRequest) engine.Desk { return workersDesk{d.c, r} }
func (workersDesktops) Release(engine.DesktopRequest, bool)      {}
func (workersDesktops) Claim(engine.DesktopRequest) (release func(), ok bool) {
	return engine.AnyDesktop()
}
func (workersDesktops) Pooled() bool  { return false }
func (workersDesktops) Forget(string) {}

type workersDesk struct {
	c *Client
	r engine.DesktopRequest
}

var errElsewhere = errors.New("the desktops of a fleet are at its workers")

// Open fails with ErrGone if the run was on a desktop whose worker is gone.
func (d workersDesk) Open(ctx context.Context) (*desktop.Desktop, error) {
	if d.r.On == nil {
		return nil, errElsewhere
	}
	h, err := d.c.Engine.Get(ctx, d.r.Run)
	if err != nil {
		return nil, err
	}
	if _, err := ask(ctx, d.c.store, h.Worker); err != nil {
		return nil, fmt.Errorf("worker %s does not answer: %w: %w", h.Worker, err, desktop.ErrGone)
	}
	return nil, errElsewhere
}

func (workersDesk) Drop(*desktop.Desktop) {}

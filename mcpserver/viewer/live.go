package viewer

import (
	"context"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/rfb"
	"understudy/mcpserver/auth"
	"understudy/steps"
)

// A live view shows the desktop of a run as RFB over a WebSocket. The person who has
// taken the desktop over can act there; all others only look, and see no password
// fields.

const (
	// takeOverTool is the tool whose right is needed to act on a desktop.
	takeOverTool = "take_over"
	// maxViews is how many live views there may be at once, and maxViewsEach how many of
	// one credential.
	maxViews, maxViewsEach = 16, maxViews / 4
	// pingInterval is the longest interval at which the viewer is pinged and its rights
	// are checked, and pingTimeout bounds the wait for its reply.
	pingInterval = 3 * time.Second
	pingTimeout  = 10 * time.Second
)

// PageClient is the client name of pages that call tools.
const PageClient = "page"

// personOf returns the name that the tools see for the sender of a request.
func personOf(r *http.Request) string {
	if who, ok := auth.From(r.Context()); ok {
		return who.Name + "/" + PageClient
	}
	return PageClient
}

// live serves a live view of the desktop of a run.
func (v *Viewer) live(w http.ResponseWriter, r *http.Request, runs engine.Runs) error {
	h, err := runs.Get(r.Context(), r.PathValue("id"))
	if err != nil {
		return err
	}
	by, still := "", func() error { _, err := v.o.RunsFor(r, "get_run"); return err }
	if v.renewTakeover(r, h.ID) == nil {
		by, still = personOf(r), func() error { return v.renewTakeover(r, h.ID) }
	}
	last := uint64(0)
	news := func(ctx context.Context) {
		for {
			changed, err := runs.Await(ctx, "", last)
			if err != nil {
				<-ctx.Done()
				return
			}
			if last = changed.Seq; changed.ID == "" || changed.ID == h.ID {
				return
			}
		}
	}
	return v.serveView(w, r, news, still, func() (rfb.Live, error) { return v.open(r.Context(), h, by) })
}

// serveView serves a live view until one side ends it, or the viewer loses the right to
// it. News returns when that may be so, or its context ends.
func (v *Viewer) serveView(w http.ResponseWriter, r *http.Request, news func(context.Context), still func() error, open func() (rfb.Live, error)) error {
	if auth.FromElsewhere(r) {
		return steps.Errorf(steps.Denied, "a page of another origin cannot show a desktop")
	}
	done, err := v.takeView(r)
	if err != nil {
		return err
	}
	defer done()
	s, err := open()
	if err != nil {
		return err
	}
	defer s.Close()
	conn, err := websocket.Accept(w, r, &websocket.AcceptOptions{
		InsecureSkipVerify: true, // the origin was checked above
		Subprotocols:       []string{"binary"}, CompressionMode: websocket.CompressionDisabled,
	})
	if err != nil {
		return nil //nolint:nilerr // Accept has replied
	}
	defer func() { _ = conn.CloseNow() }()
	conn.SetReadLimit(rfb.LongestMessage)
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(v.o.Life, func() { cancel(context.Cause(v.o.Life)) })()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		cancel(monitor(ctx, conn, news, still))
	}()
	_ = s.Serve(ctx, websocket.NetConn(ctx, conn, websocket.MessageBinary)) // however it ends, the view is over
	cancel(nil)
	<-watched
	_ = conn.Close(websocket.StatusNormalClosure, "the view has ended")
	return nil
}

// takeView counts a live view of the sender of a request until done is called.
func (v *Viewer) takeView(r *http.Request) (done func(), err error) {
	who, _ := auth.From(r.Context())
	v.mu.Lock()
	defer v.mu.Unlock()
	all := 0
	for _, n := range v.views {
		all += n
	}
	if all >= maxViews || who.Name != "" && v.views[who.Name] >= maxViewsEach {
		return nil, steps.Errorf(steps.Busy, "%d live views are open, %d of them yours: the most at once are %d, and %d of one credential", all, v.views[who.Name], maxViews, maxViewsEach)
	}
	v.views[who.Name]++
	return func() {
		v.mu.Lock()
		defer v.mu.Unlock()
		v.views[who.Name]--
	}, nil
}

// open opens the desktop of a run once more, for the person who acts there, or to watch
// if by is "".
func (v *Viewer) open(ctx context.Context, h engine.Header, by string) (rfb.Live, error) {
	if h.Desktop == nil || h.Desktop.Name == "" || v.o.Open == nil {
		return nil, steps.Errorf(steps.Unavailable, "run %s has no lasting desktop", h.ID).WithNext("play it with --display virtual")
	}
	d, err := v.o.Open(ctx, h, by)
	if err != nil {
		return nil, &steps.Error{Code: steps.Unavailable, Err: fmt.Errorf("the desktop of run %s: %w", h.ID, err)}
	}
	return d, nil
}

// renewTakeover returns nil if a person has taken over the desktop of a run and may
// still act there, and renews the takeover.
func (v *Viewer) renewTakeover(r *http.Request, id string) error {
	runs, err := v.o.RunsFor(r, takeOverTool)
	if err == nil {
		_, err = runs.TakeOver(r.Context(), id, engine.Takeover{By: personOf(r), Renew: true})
	}
	return err
}

// monitor returns when a viewer does not answer any more, or has lost its right. A viewer
// that does not answer does not delay the check of its right.
func monitor(ctx context.Context, conn interface{ Ping(context.Context) error }, news func(context.Context), still func() error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	var pings sync.WaitGroup
	defer pings.Wait()
	defer cancel(nil)
	pings.Go(func() { cancel(ping(ctx, conn.Ping)) })
	for ctx.Err() == nil {
		interval, cancel := context.WithTimeout(ctx, pingInterval)
		news(interval)
		cancel()
		if err := still(); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// ping pings a viewer until it does not answer any more.
func ping(ctx context.Context, send func(context.Context) error) error {
	for {
		timed, cancel := context.WithTimeout(ctx, pingTimeout)
		err := send(timed)
		cancel()
		if err != nil {
			return fmt.Errorf("the viewer does not answer: %w", err)
		}
		if err := desktop.Sleep(ctx, pingInterval); err != nil {
			return err
		}
	}
}

type desktopPage struct {
	frame
	engine.Header
	Gone  string // why its desktop cannot be shown
	Mine  bool   // the person who views the page has taken it over
	Plan  *engine.Plan
	Steps []engine.StepReport // at which the run can continue
}

// desktop shows the desktop of a run, live.
func (v *Viewer) desktop(w http.ResponseWriter, r *http.Request, runs engine.Runs, failed error) error {
	id := r.PathValue("id")
	h, err := runs.Get(r.Context(), id)
	if err != nil {
		return err
	}
	p := desktopPage{frame: frame{Title: "Desktop of " + name(h), Page: "runs"}.withForms(r, id, failed), Header: h, Mine: h.TakenBy != "" && h.TakenBy == personOf(r)}
	if d, err := v.open(r.Context(), h, ""); err != nil {
		p.Gone = err.Error()
	} else {
		_ = d.Close()
	}
	if p.Mine {
		plan, err := runs.Plan(r.Context(), id, engine.ResumeRequest{})
		if err == nil {
			p.Plan = &plan
		}
		if p.Steps, err = namedSteps(r.Context(), runs, id); err != nil {
			return err
		}
	}
	allowCursors(w.Header())
	return show(w, statusAfter(failed), "desktop", p)
}

// allowCursors permits data: URLs of cursors, which noVNC uses.
func allowCursors(h http.Header) {
	h.Set("Content-Security-Policy", policyWith("img-src 'self'", "img-src 'self' data:"))
}

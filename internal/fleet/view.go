package fleet

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"

	"understudy/engine"
	"understudy/internal/remote"
	"understudy/internal/rfb"
	"understudy/steps"
)

// A live view of a desktop of a worker is RFB between the worker and the viewer,
// carried by a stream. The server of the viewer authenticates the viewer; the worker
// lets only the person act who has taken over the desktop.

type viewQuestion struct {
	Run    string `json:"run"`
	By     string `json:"by,omitempty"` // the person who acts; empty: the view is read-only
	Stream string `json:"stream"`
	Key    []byte `json:"key"`
}

type viewAnswer struct {
	Key []byte `json:"key"`
}

// mostViews limits the live views of a worker.
const mostViews = 16

func (w *Worker) show(ctx context.Context, q viewQuestion) (a viewAnswer, err error) {
	h, err := w.Engine.Get(ctx, q.Run)
	switch {
	case err != nil:
		return viewAnswer{}, err
	case h.Worker != w.Name || h.Desktop == nil || w.Desktop == nil:
		return viewAnswer{}, steps.Errorf(steps.Unavailable, "run %s is on no desktop of worker %s", q.Run, w.Name)
	case q.By != "" && h.TakenBy != q.By:
		return viewAnswer{}, steps.Errorf(steps.Denied, "%s has not taken over the desktop of run %s", q.By, q.Run)
	case w.views.Add(1) > mostViews:
		w.views.Add(-1)
		return viewAnswer{}, steps.Errorf(steps.Busy, "worker %s shows its desktops to %d viewers, which is the most at once", w.Name, mostViews)
	}
	defer func() {
		if err != nil {
			w.views.Add(-1)
		}
	}()
	d, err := w.Desktop(ctx, *h.Desktop)
	if err != nil {
		return viewAnswer{}, &steps.Error{Code: steps.Unavailable, Err: err}
	}
	var while rfb.While
	if q.By != "" { // whatever the server of the viewer says
		while = func(ctx context.Context, act func(context.Context)) error {
			return w.Engine.WhileHeld(ctx, q.Run, q.By, act)
		}
	}
	view := rfb.Of(d, h.Desktop.Name, while)
	x, err := newStream(ctx, w.Store, q.Stream, desktopSide, viewerSide)
	if err == nil {
		err = x.open(q.Key)
	}
	if err != nil {
		return viewAnswer{}, errors.Join(err, view.Close())
	}
	w.viewing.Go(func() {
		defer w.views.Add(-1)
		defer view.Close()
		defer x.Close()
		_ = view.Serve(x.life, x) // any error ends the view
	})
	return viewAnswer{x.private.PublicKey().Bytes()}, nil
}

// Live opens the desktop of a run at its worker for a viewer.
func (c *Client) Live(ctx context.Context, h engine.Header, by string) (rfb.Live, error) {
	x, err := newStream(context.WithoutCancel(ctx), c.store, rand.Text(), viewerSide, desktopSide)
	if err != nil {
		return nil, err
	}
	limited, cancel := context.WithTimeout(ctx, openTime)
	defer cancel()
	q := viewQuestion{Run: h.ID, By: by, Stream: x.id, Key: x.private.PublicKey().Bytes()}
	a, err := remote.Ask[viewAnswer](limited, link(c.store, viewName, h.Worker), q)
	if err == nil {
		err = x.open(a.Key)
	}
	if err != nil {
		_ = x.Close()
		if errors.Is(err, errNoAnswer) {
			err = fmt.Errorf("worker %s does not answer: %w", h.Worker, err)
		}
		return nil, err
	}
	return tunnel{x}, nil
}

// tunnel is a desktop of a worker, for a viewer of this server.
type tunnel struct{ *stream }

// Serve copies data in both directions.
func (t tunnel) Serve(ctx context.Context, conn io.ReadWriteCloser) error {
	defer context.AfterFunc(ctx, func() { _ = t.Close() })()
	defer context.AfterFunc(t.life, func() { _ = conn.Close() })()
	var both sync.WaitGroup
	carry := func(to io.Writer, from io.Reader) func() {
		return func() {
			_, _ = io.Copy(to, from) // any error ends the view
			_ = t.Close()
		}
	}
	both.Go(carry(t.stream, conn))
	both.Go(carry(conn, t.stream))
	both.Wait()
	return context.Cause(t.life)
}

package engine

import (
	"cmp"
	"context"
	"log/slog"
	"slices"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
	"understudy/workflows"
)

// Pictures takes pictures of steps. It is plugged in; without it there are
// none.
type Pictures interface {
	// Take takes a picture and returns as soon as it is taken. It is encoded
	// and stored beside the run; keep is called once, with its hash and
	// size, or with an error.
	Take(ctx context.Context, d *desktop.Desktop, keep func(hash string, size int, err error))
}

// pictureTime is how long the end of a run waits for its pictures.
const pictureTime = 5 * time.Second

// capturePolicy is when pictures of a step are taken: as the step says, else as the
// document says, else around what acts.
func (j *journal) capturePolicy(n *workflows.Node) workflows.Policy {
	p := cmp.Or(n.Screenshots, j.program.Options.Screenshots)
	switch {
	case n.Kind.Touches == steps.None:
		return workflows.NoPicture
	case p == "" && n.Kind.Touches == steps.Act:
		return workflows.Around
	case p == "":
		return workflows.NoPicture
	}
	return p
}

func (w *worker) picture(ctx context.Context, env *steps.Env, e start, p workflows.Policy, when string) {
	wanted := p == workflows.Around || p == workflows.After && when == "after"
	if !wanted || w.e.Pictures == nil || env.Desktop == nil {
		return
	}
	taken := time.Now().UTC()
	w.inbox.expect()
	w.e.Pictures.Take(ctx, env.Desktop, func(hash string, size int, err error) {
		if err != nil {
			w.e.log().Warn("picture not stored", "run", w.id, "step", e.path, "error", err)
			w.inbox.picture(nil)
			return
		}
		ev, err := newEvent(EvCaptured, e.path, Captured{Try: e.try, When: when, Hash: hash, Bytes: size, TakenAt: taken})
		if err == nil {
			w.inbox.picture(&ev)
		}
	})
}

// drain records what other goroutines handed over.
func (w *worker) drain() error {
	for _, ev := range w.inbox.take() {
		if err := w.append(ev); err != nil {
			return err
		}
	}
	return nil
}

// awaitPictures waits until no picture is under way, but not for long.
func (w *worker) awaitPictures() {
	if left := w.inbox.await(pictureTime); left > 0 {
		w.e.log().Warn("the run ended before all its pictures were stored", "run", w.id, "missing", left)
	}
}

func (w *worker) logger(path string) *slog.Logger {
	return slog.New(&runLog{w: w, secrets: w.secrets, near: slices.Concat(w.near, w.typed), path: path, next: w.e.log().Handler()})
}

type runLog struct {
	w       *worker
	secrets secrets
	near    []string
	path    string
	next    slog.Handler
	attrs   []slog.Attr
}

func (h *runLog) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

func (h *runLog) Handle(ctx context.Context, r slog.Record) error {
	attrs := map[string]any{}
	add := func(a slog.Attr) bool {
		attrs[a.Key] = h.secrets.maskText(a.Value.String(), h.near...)
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	message := h.secrets.maskText(r.Message, h.near...)
	ev, err := newEvent(EvLogged, h.path, Logged{Level: r.Level.String(), Message: message, Attrs: attrs})
	if err != nil {
		return err
	}
	h.w.inbox.log(ev)
	if h.next.Enabled(ctx, r.Level) {
		out := slog.NewRecord(r.Time, r.Level, message, r.PC)
		for k, v := range attrs {
			out.AddAttrs(slog.Any(k, v))
		}
		return h.next.Handle(ctx, out)
	}
	return nil
}

func (h *runLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *h
	out.attrs = append(out.attrs[:len(out.attrs):len(out.attrs)], attrs...)
	return &out
}

// WithGroup leaves groups out: a step's messages are flat.
func (h *runLog) WithGroup(string) slog.Handler { return h }

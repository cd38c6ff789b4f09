package engine

import (
	"context"
	"log/slog"
	"slices"
)

func (w *worker) logger(path string) *slog.Logger {
	return slog.New(&runLog{inbox: &w.inbox, secrets: w.secrets, near: slices.Concat(w.near, w.typed), path: path, next: w.e.log().Handler()})
}

type runLog struct {
	inbox   *inbox
	secrets secrets
	near    []string
	path    string
	next    slog.Handler
	attrs   []slog.Attr
}

func (h *runLog) Enabled(_ context.Context, l slog.Level) bool { return l >= slog.LevelInfo }

func (h *runLog) Handle(ctx context.Context, r slog.Record) error {
	attrs := map[string]any{}
	out := slog.NewRecord(r.Time, r.Level, h.secrets.maskText(r.Message, h.near...), r.PC)
	add := func(a slog.Attr) bool {
		text := h.secrets.maskText(a.Value.String(), h.near...)
		attrs[a.Key] = text
		out.AddAttrs(slog.String(a.Key, text))
		return true
	}
	for _, a := range h.attrs {
		add(a)
	}
	r.Attrs(add)
	if err := h.inbox.put(EvLogged, h.path, Logged{Level: r.Level.String(), Message: out.Message, Attrs: attrs}); err != nil {
		return err
	}
	if h.next.Enabled(ctx, r.Level) {
		return h.next.Handle(ctx, out)
	}
	return nil
}

func (h *runLog) WithAttrs(attrs []slog.Attr) slog.Handler {
	out := *h
	out.attrs = append(out.attrs[:len(out.attrs):len(out.attrs)], attrs...)
	return &out
}

// WithGroup ignores groups: the attributes of a step's messages are flat.
func (h *runLog) WithGroup(string) slog.Handler { return h }

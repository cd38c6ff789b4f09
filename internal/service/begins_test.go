package service

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/internal/remote"
	"understudy/steps"
)

// TestWhatBeginsARunIsHeldToTheRightsOfItsServer begins and continues runs in
// each way that there is: a server whose clients may not use the kind
// does nothing, and the owner does the same.
func TestWhatBeginsARunIsHeldToTheRightsOfItsServer(t *testing.T) {
	dir := t.TempDir()
	folder := filepath.Join(dir, "sub")
	served := host(t, dir)
	owner := join(t, optionsFor(dir))
	guest := served.Engine.For(&engine.Caller{Allow: refusing})
	document := func(before string) engine.Request {
		r := marking(dir, 1)
		text := strings.Replace(string(r.Bundle.Main.Text), filepath.Join(dir, "marks"), filepath.Join(folder, "marks"), 1)
		r.Bundle.Main.Text = []byte(strings.Replace(text, `"steps":[`, `"steps":[`+before, 1))
		return r
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	// began is a run of the owner that stands still: it failed, or asks.
	began := func(before string) string {
		t.Helper()
		if err := os.RemoveAll(folder); err != nil {
			t.Fatal(err)
		}
		h, err := owner.Start(t.Context(), document(before))
		if err == nil {
			h, err = owner.Wait(t.Context(), h.ID)
		}
		if err = errors.Join(err, os.MkdirAll(folder, 0o700)); err != nil || h.Status == engine.Succeeded {
			t.Fatalf("%s, %v", h.Status, err)
		}
		return h.ID
	}
	ways := map[string]func(context.Context, engine.Runs) (engine.Header, error){
		"start": func(ctx context.Context, m engine.Runs) (engine.Header, error) { return m.Start(ctx, document("")) },
		"resume": func(ctx context.Context, m engine.Runs) (engine.Header, error) {
			return m.Resume(ctx, began(""), engine.ResumeRequest{Decision: engine.Redo})
		},
		"fork": func(ctx context.Context, m engine.Runs) (engine.Header, error) {
			return m.Fork(ctx, began(""), "s0", engine.ResumeRequest{})
		},
		"answer": func(ctx context.Context, m engine.Runs) (engine.Header, error) {
			return m.Answer(ctx, began(`{"tool_name": "ask_user", "arguments": {"question": "Which?"}},`), engine.Answer{Value: "x"})
		},
	}
	for m := range reflect.TypeFor[engine.Runs]().Methods() {
		name := strings.ToLower(m.Name)
		if _, ok := ways[name]; remote.Repeats(m.Name) && !remote.Reads(m.Name) && !ok {
			t.Errorf("%s is new, and begins a run: it wants a way here", name)
		}
	}
	for name, way := range ways {
		for _, c := range []struct {
			say  string
			by   engine.Runs
			want engine.Status
		}{{"a server", guest, engine.Failed}, {"the owner", owner, engine.Succeeded}} {
			ctx, m := t.Context(), c.by
			h, err := way(ctx, m)
			if err != nil {
				t.Errorf("%s by %s: %v", name, c.say, err)
				continue
			}
			if h, err = m.Wait(ctx, h.ID); err != nil || h.Status != c.want || c.want == engine.Failed && h.Error.Code != steps.Denied {
				t.Errorf("%s by %s: %s, %+v, %v, want %s", name, c.say, h.Status, h.Error, err, c.want)
			}
		}
	}
	if _, err := os.Stat(filepath.Join(folder, "marks")); errors.Is(err, os.ErrNotExist) {
		t.Error("the owner left no mark")
	}
}

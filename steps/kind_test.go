package steps

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

type echoArgs struct {
	Text  string   `json:"text" jsonschema:"what to say"`
	Times int      `json:"times,omitzero" jsonschema:"how often"`
	Pause Duration `json:"pause,omitzero" jsonschema:"the time between"`
}

type echoResult struct {
	Said string `json:"said"`
}

var echo = Define(Kind{Name: "echo", Summary: "Say it."}, echoArgs{Times: 2}, func(_ context.Context, _ *Env, a echoArgs) (echoResult, error) {
	r := echoResult{}
	for range a.Times {
		r.Said += a.Text
	}
	return r, nil
})

func TestDefine(t *testing.T) {
	if got := string(echo.Args().Properties["times"].Default); got != "2" {
		t.Errorf("the default in the schema is %q, want 2", got)
	}
	if len(echo.Args().Required) != 1 || echo.Args().Required[0] != "text" {
		t.Errorf("required is %v, want only text", echo.Args().Required)
	}
	o := echo.Run(t.Context(), &Env{}, map[string]any{"text": "a"})
	if o.Err != nil || o.Result["said"] != "aa" || o.Acted != ActedNo {
		t.Errorf("outcome %+v", o)
	}
}

func TestCheck(t *testing.T) {
	expression := func(v any) bool { return v == "${{ x }}" }
	for _, c := range []struct {
		say  string
		args map[string]any
		want string
	}{
		{"good arguments", map[string]any{"text": "a", "times": 3.0, "pause": "1s"}, ""},
		{"milliseconds are a duration", map[string]any{"text": "a", "pause": 20.0}, ""},
		{"an expression fits everywhere", map[string]any{"text": "a", "times": "${{ x }}"}, ""},
		{"a missing argument", map[string]any{}, `"text" is missing`},
		{"a misspelled argument", map[string]any{"text": "a", "tims": 1.0}, `tims: there is no argument "tims"; did you mean times?`},
		{"text for a number", map[string]any{"text": "a", "times": "3"}, `times: wanted integer, found the string "3"`},
		{"a bad duration", map[string]any{"text": "a", "pause": "soon"}, `pause: "soon" is not a duration: wanted something like 500ms, 2s or 1m30s`},
	} {
		t.Run(c.say, func(t *testing.T) {
			var got strings.Builder
			for _, p := range echo.Check(c.args, expression) {
				got.WriteString(p.String())
			}
			if got.String() != c.want {
				t.Errorf("got %q, want %q", got.String(), c.want)
			}
		})
	}
}

func TestRun(t *testing.T) {
	kind := func(f func(context.Context, *Env) error) Kind {
		return Define(Kind{Name: "k"}, struct{}{}, func(ctx context.Context, e *Env, _ struct{}) (struct{}, error) {
			return struct{}{}, f(ctx, e)
		})
	}
	boom := errors.New("boom")
	for _, c := range []struct {
		say   string
		do    func(context.Context, *Env) error
		code  Code
		acted Acted
		left  bool
	}{
		{"a step that does nothing has not acted", func(context.Context, *Env) error { return nil }, "", ActedNo, false},
		{"a step that acted has", func(_ context.Context, e *Env) error { return e.Act(func() error { return nil }) }, "", ActedYes, false},
		{"a failed act leaves doubt", func(_ context.Context, e *Env) error { return e.Act(func() error { return boom }) }, Internal, ActedMaybe, false},
		{"an act that was not begun leaves none", func(_ context.Context, e *Env) error { return e.Act(func() error { return Errorf(NotFound, "gone") }) }, NotFound, ActedNo, false},
		{"doubt stays, whatever follows", func(_ context.Context, e *Env) error {
			_ = e.Act(func() error { return boom })
			return e.Act(func() error { return nil })
		}, "", ActedMaybe, false},
		{"a panic is an internal error", func(context.Context, *Env) error { panic("x") }, Internal, ActedNo, false},
		{"a timeout is told from a cancel", func(ctx context.Context, _ *Env) error { <-ctx.Done(); return ctx.Err() }, Timeout, ActedNo, false},
		{"a step that does not return is abandoned", func(_ context.Context, e *Env) error {
			return e.Act(func() error { time.Sleep(time.Hour); return nil })
		}, Timeout, ActedMaybe, true},
	} {
		t.Run(c.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Second)
				defer cancel()
				start := time.Now()
				o := kind(c.do).Run(ctx, &Env{}, nil)
				var code Code
				if o.Err != nil {
					code = o.Err.Code
				}
				if code != c.code || o.Acted != c.acted || o.Abandoned != c.left {
					t.Errorf("got %q %s abandoned=%t, want %q %s abandoned=%t", code, o.Acted, o.Abandoned, c.code, c.acted, c.left)
				}
				want := time.Duration(0)
				if c.code == Timeout {
					want = time.Second
				}
				if c.left {
					want += grace
				}
				if took := time.Since(start); took != want {
					t.Errorf("it returned after %s, want %s", took, want)
				}
				time.Sleep(2 * time.Hour) // let an abandoned attempt end
			})
		})
	}
}

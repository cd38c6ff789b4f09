package kinds

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"understudy/steps"
)

func TestAssert(t *testing.T) {
	for _, c := range []struct {
		say   string
		value any
		want  steps.Code
	}{
		{"true", true, ""},
		{"false", false, steps.Unexpected},
		{"a number", 3.0, ""},
		{"zero", 0.0, steps.Unexpected},
		{"nothing", nil, steps.Unexpected},
		{"an empty text", "", steps.Unexpected},
		{"the word true", "true", ""},
		{"the word false", "false", steps.Unexpected},
		{"a list", []any{1.0}, ""},
		{"an empty list", []any{}, steps.Unexpected},
		{"an object", map[string]any{"a": 1.0}, ""},
		{"an expression that nobody evaluated is not taken for true", "a == b", steps.Invalid},
	} {
		t.Run(c.say, func(t *testing.T) {
			if o := Assert.Run(t.Context(), &steps.Env{}, map[string]any{"condition": c.value}); code(o) != c.want {
				t.Errorf("got %v, want code %q", o.Err, c.want)
			}
		})
	}
	o := Assert.Run(t.Context(), &steps.Env{}, map[string]any{"condition": false, "message": "the bill is empty"})
	if o.Err == nil || o.Err.Error() != "the bill is empty" {
		t.Errorf("got %v, want the message", o.Err)
	}
}

func TestAVeryLongDelayDoesNotEndAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		if o := Delay.Run(ctx, &steps.Env{}, args("delay_ms", 1e13)); o.Err == nil {
			t.Errorf("it ended well: %v", o.Result)
		}
	})
}

func TestSetEnv(t *testing.T) {
	want := map[string]any{"a": 1.0, "b": map[string]any{"c": "x"}}
	o := SetEnv.Run(t.Context(), &steps.Env{}, map[string]any{"values": want})
	if d := cmp.Diff(want, o.Sets); d != "" || o.Err != nil {
		t.Errorf("%v (-want +got):\n%s", o.Err, d)
	}
	if o := SetEnv.Run(t.Context(), &steps.Env{}, map[string]any{"values": map[string]any{"": 1.0}}); code(o) != steps.Invalid {
		t.Errorf("got %v, want invalid", o.Err)
	}
}

func TestLog(t *testing.T) {
	b := &bytes.Buffer{}
	env := &steps.Env{Log: slog.New(slog.NewTextHandler(b, nil))}
	o := Log.Run(t.Context(), env, map[string]any{"message": "hello", "level": "warn", "data": map[string]any{"n": 1.0}})
	if o.Err != nil || !strings.Contains(b.String(), "level=WARN msg=hello n=1") {
		t.Errorf("%v: %s", o.Err, b)
	}
}

func TestFail(t *testing.T) {
	o := Fail.Run(t.Context(), &steps.Env{}, map[string]any{"message": "no"})
	if code(o) != steps.Unexpected || o.Err.Error() != "no" || o.Acted != steps.ActedNo {
		t.Errorf("outcome %+v", o)
	}
}

func TestAskUserIsAnsweredByTheEngine(t *testing.T) {
	if o := AskUser.Run(t.Context(), &steps.Env{}, map[string]any{"question": "which?"}); code(o) != steps.Unavailable {
		t.Errorf("got %v, want unavailable", o.Err)
	}
}

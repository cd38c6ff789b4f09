package owner

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/steps"
)

func TestErrorsAreTheSameOnBothSides(t *testing.T) {
	owner, guest := pair(t, optionsFor(t.TempDir()))
	unknown := engine.NewKey()
	for what, ask := range map[string]func(*Member) error{
		"no such run": func(m *Member) error { _, err := m.Get(t.Context(), unknown); return err },
		"no such file": func(m *Member) error {
			_, err := m.File(t.Context(), engine.Documents, strings.Repeat("a", 64))
			return err
		},
		"no such kind": func(m *Member) error { _, err := m.Start(t.Context(), engine.Request{Call: "fly"}); return err },
		"not executed": func(m *Member) error { return m.Pause(t.Context(), unknown) },
		"a document with mistakes": func(m *Member) error {
			r := engine.Request{}
			r.Bundle.Main.Text = []byte("steps: [{tool_name: fly}]")
			_, err := m.Start(t.Context(), r)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			want, got := ask(owner), ask(guest)
			if want == nil || got == nil {
				t.Fatalf("wanted errors, got %v and %v", want, got)
			}
			if a, b := steps.CodeOf(want), steps.CodeOf(got); a != b {
				t.Errorf("codes: %s in the owner, %s in the guest", a, b)
			}
			if a, b := steps.AsError(want).Next, steps.AsError(got).Next; a != b {
				t.Errorf("next: %q in the owner, %q in the guest", a, b)
			}
			if want.Error() != got.Error() {
				t.Errorf("texts:\n%v\n%v", want, got)
			}
			for _, c := range []error{engine.ErrNoRun, engine.ErrNoFile} {
				if errors.Is(want, c) != errors.Is(got, c) {
					t.Errorf("errors.Is(%v): %t in the owner, %t in the guest", c, errors.Is(want, c), errors.Is(got, c))
				}
			}
		})
	}
}

func TestFailuresKeepWhatTheySay(t *testing.T) {
	inner := &steps.Error{Code: steps.NotFound, Step: "s", Err: engine.ErrNoRun, Next: "look", Candidates: []steps.Candidate{{Selector: "button", Matches: 2}}}
	for _, err := range []error{
		inner,
		fmt.Errorf("run 1: %w", inner),
		engine.ErrFull,
		fmt.Errorf("storing: %w", engine.ErrFull),
		context.Canceled,
		fmt.Errorf("waiting: %w", context.DeadlineExceeded),
		errors.New("plain"),
		&steps.Error{Code: steps.Busy},
	} {
		t.Run(err.Error(), func(t *testing.T) {
			got := failureOf(err).error()
			if got.Error() != err.Error() || steps.CodeOf(got) != steps.CodeOf(err) {
				t.Errorf("wanted %v (%s), got %v (%s)", err, steps.CodeOf(err), got, steps.CodeOf(got))
			}
			for _, c := range []error{engine.ErrNoRun, engine.ErrFull, context.Canceled, context.DeadlineExceeded} {
				if errors.Is(got, c) != errors.Is(err, c) {
					t.Errorf("errors.Is(%v): wanted %t", c, errors.Is(err, c))
				}
			}
			var a, b *steps.Error
			if errors.As(err, &a) && (!errors.As(got, &b) || a.Step != b.Step || a.Next != b.Next || len(a.Candidates) != len(b.Candidates)) {
				t.Errorf("wanted %+v, got %+v", a, b)
			}
		})
	}
}

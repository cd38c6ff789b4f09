package service

import (
	"errors"
	"strings"
	"testing"

	"understudy/engine"
	"understudy/steps"
)

func TestErrorsAreTheSameOnBothSides(t *testing.T) {
	owner, guest := pair(t, t.TempDir())
	unknown := engine.NewKey()
	for what, ask := range map[string]func(engine.Runs) error{
		"no such run": func(m engine.Runs) error { _, err := m.Get(t.Context(), unknown); return err },
		"no such file": func(m engine.Runs) error {
			_, err := m.File(t.Context(), engine.Documents, strings.Repeat("a", 64))
			return err
		},
		"no such kind": func(m engine.Runs) error { _, err := m.Start(t.Context(), engine.Request{Call: "fly"}); return err },
		"not executed": func(m engine.Runs) error { return m.Pause(t.Context(), unknown) },
		"a document with mistakes": func(m engine.Runs) error {
			r := engine.Request{}
			r.Bundle.Main.Text = []byte("steps: [{tool_name: fly}]")
			_, err := m.Start(t.Context(), r)
			return err
		},
	} {
		t.Run(what, func(t *testing.T) {
			want, got := ask(owner.Engine), ask(guest)
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

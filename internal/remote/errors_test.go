package remote

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"understudy/engine"
	"understudy/steps"
)

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
			got := FailureOf(err).Err()
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

package aim

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"understudy/steps"
)

func TestPatienceCountsLooksWhereTheyAreSlow(t *testing.T) {
	p := EffectLimit{Least: time.Second, Looks: 10}
	for _, row := range []struct {
		say        string
		look       time.Duration // what one takes; the pauses are as long
		there      int           // the look that finds it; 0 is none
		err        string
		from, upto time.Duration // how long it is waited
	}{
		{say: "what is there at once is not waited for", look: time.Millisecond, there: 1, upto: time.Millisecond},
		{say: "what never comes is waited for until the time is over", look: time.Millisecond, err: "after waiting 1.0", from: time.Second, upto: 1100 * time.Millisecond},
		{say: "where looks are slow what comes late is awaited", look: 400 * time.Millisecond, there: 10, from: 4 * time.Second, upto: 8 * time.Second},
		{say: "and what never comes is given as many looks", look: 400 * time.Millisecond, err: "not yet", from: 4 * time.Second, upto: 8 * time.Second},
		{say: "but not without end", look: 4 * time.Second, err: "not yet", from: patienceEnds, upto: patienceEnds + 4*time.Second},
	} {
		t.Run(row.say, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began, looks := time.Now(), 0
				err := WaitForEffect(t.Context(), p, func(ctx context.Context) error {
					looks++
					if err := steps.Sleep(ctx, row.look); err != nil {
						return err
					}
					if looks == row.there {
						return nil
					}
					return steps.Errorf(steps.Unexpected, "not yet")
				})
				if took := time.Since(began); took < row.from || took > row.upto {
					t.Errorf("it was waited %s, want %s to %s", took, row.from, row.upto)
				}
				if (err == nil) != (row.err == "") || err != nil && !strings.Contains(err.Error(), row.err) {
					t.Errorf("got %v, want %q", err, row.err)
				}
			})
		})
	}
}

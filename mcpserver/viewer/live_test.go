package viewer

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// mute is a viewer that answers no ping.
type mute struct{}

func (mute) Ping(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

// TestSilentViewerLosesItsRightToAct takes a right away from a viewer that does not
// answer.
func TestSilentViewerLosesItsRightToAct(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, lost := time.Now(), errors.New("no right any more")
		still := func() error {
			if time.Since(began) >= pingInterval {
				return lost
			}
			return nil
		}
		err := monitor(t.Context(), mute{}, func(ctx context.Context) {
			select {
			case <-ctx.Done():
			case <-time.After(time.Second):
			}
		}, still)
		if took := time.Since(began); !errors.Is(err, lost) || took > pingInterval {
			t.Errorf("the view ended after %s: %v", took, err)
		}
	})
}

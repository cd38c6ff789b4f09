package input

import (
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
)

func TestAWindowHasSettledOnceItKeepsItsBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s Settling
		small, large := desktop.Rect{W: 10, H: 10}, desktop.Rect{W: 20, H: 20}
		for _, row := range []struct {
			after  time.Duration
			bounds desktop.Rect
			want   bool
		}{
			{0, desktop.Rect{}, false}, // also a window without a size has to keep that
			{calm + 1, desktop.Rect{}, true},
			{0, small, false},
			{calm, small, false},
			{1, small, true},
			{time.Hour, large, false},
			{1, small, false},
			{calm + 1, small, true},
		} {
			time.Sleep(row.after)
			if got := s.Settled(row.bounds); got != row.want {
				t.Errorf("%s after %v: settled is %v, want %v", row.bounds, row.after, got, row.want)
			}
		}
	})
}

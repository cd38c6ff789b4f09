//go:build linux || windows || darwin

package robot

import (
	"testing"
	"testing/synctest"
	"time"

	"understudy/steps/desktop"
)

func TestHowLongAClickWaitsForThoseBefore(t *testing.T) {
	const ago = 100 * time.Millisecond // between one press and the next
	here, there := desktop.Point{X: 100, Y: 100}, desktop.Point{X: 300, Y: 100}
	left, right, elsewhere := click{here, desktop.Left}, click{here, desktop.Right}, click{there, desktop.Left}
	for _, row := range []struct {
		name   string
		before []click
		next   click
		count  int
		want   time.Duration
	}{
		{"the first click waits for none", nil, left, 1, 0},
		{"one at the same place waits", []click{left}, left, 1, clickRest - ago},
		{"one a little beside it waits too", []click{left}, click{desktop.Point{X: 100 + near, Y: 100 - near}, desktop.Left}, 1, clickRest - ago},
		{"one elsewhere does not", []click{left}, elsewhere, 1, 0},
		{"one with another button does not", []click{left}, right, 1, 0},
		{"a click elsewhere in between does not set it apart", []click{left, elsewhere}, left, 1, clickRest - 2*ago},
		{"nor does another button", []click{left, right}, left, 1, clickRest - 2*ago},
		{"the latest of several counts", []click{left, elsewhere, left}, left, 1, clickRest - ago},
		{"a double click waits also elsewhere", []click{left}, elsewhere, 2, clickRest - ago},
		{"what was long ago is forgotten", []click{left, elsewhere, right, elsewhere, right, elsewhere}, left, 1, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p pressed
				for _, c := range row.before {
					p.add(c)
					time.Sleep(ago)
				}
				if got := max(0, p.rest(row.next, row.count)); got != row.want {
					t.Errorf("it waits %s, wanted %s", got, row.want)
				}
				if most := int(clickRest/ago) + 1; len(p) > most {
					t.Errorf("%d presses are remembered, wanted no more than %d", len(p), most)
				}
			})
		})
	}
}

func TestAButtonThatWasHeldCountsFromWhenItWasLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		here := desktop.Point{X: 100, Y: 100}
		var p pressed
		p.add(click{here, desktop.Left})
		p.add(click{here, desktop.Right})
		time.Sleep(2 * clickRest)
		p.letGo(desktop.Left)
		if got := p.rest(click{here, desktop.Left}, 1); got != clickRest {
			t.Errorf("a click there waits %s, wanted %s", got, clickRest)
		}
		if got := p.rest(click{here, desktop.Right}, 1); got > 0 {
			t.Errorf("the other button waits %s, wanted that it does not", got)
		}
	})
}

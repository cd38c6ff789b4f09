package input

import (
	"testing"
	"testing/synctest"
	"time"

	"understudy/steps/desktop"
)

func TestHowLongAClickWaitsForThoseBefore(t *testing.T) {
	const ago = 100 * time.Millisecond // between one press and the next
	here, there := desktop.Point{X: 100, Y: 100}, desktop.Point{X: 300, Y: 100}
	left, right, elsewhere := Click{here, desktop.Left}, Click{here, desktop.Right}, Click{there, desktop.Left}
	for _, row := range []struct {
		name   string
		before []Click
		next   Click
		count  int
		want   time.Duration
	}{
		{"the first click waits for none", nil, left, 1, 0},
		{"one at the same place waits", []Click{left}, left, 1, clickRest - ago},
		{"one a little beside it waits too", []Click{left}, Click{desktop.Point{X: 100 + near, Y: 100 - near}, desktop.Left}, 1, clickRest - ago},
		{"one elsewhere does not", []Click{left}, elsewhere, 1, 0},
		{"one with another button does not", []Click{left}, right, 1, 0},
		{"a click elsewhere in between does not set it apart", []Click{left, elsewhere}, left, 1, clickRest - 2*ago},
		{"nor does another button", []Click{left, right}, left, 1, clickRest - 2*ago},
		{"the latest of several counts", []Click{left, elsewhere, left}, left, 1, clickRest - ago},
		{"a double click waits also elsewhere", []Click{left}, elsewhere, 2, clickRest - ago},
		{"what was long ago is forgotten", []Click{left, elsewhere, right, elsewhere, right, elsewhere}, left, 1, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p Presses
				for _, c := range row.before {
					p.Add(c, 1)
					time.Sleep(ago)
				}
				if got := max(0, p.Rest(row.next, row.count)); got != row.want {
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
		var p Presses
		p.Add(Click{here, desktop.Left}, 1)
		p.Add(Click{here, desktop.Right}, 1)
		time.Sleep(2 * clickRest)
		p.LetGo(desktop.Left)
		if got := p.Rest(Click{here, desktop.Left}, 1); got != clickRest {
			t.Errorf("a click there waits %s, wanted %s", got, clickRest)
		}
		if got := p.Rest(Click{here, desktop.Right}, 1); got > 0 {
			t.Errorf("the other button waits %s, wanted that it does not", got)
		}
	})
}

// After a double click a third press soon makes a triple click, for which GTK
// waits longer.
func TestAClickWaitsLongerAfterADoubleClick(t *testing.T) {
	here, there := desktop.Point{X: 100, Y: 100}, desktop.Point{X: 300, Y: 100}
	const ago = clickRest + 100*time.Millisecond
	for _, row := range []struct {
		name  string
		next  Click
		count int
		want  time.Duration
	}{
		{"at the same place", Click{here, desktop.Left}, 1, tripleRest - ago},
		{"a second double click there", Click{here, desktop.Left}, 2, tripleRest - ago},
		{"but not elsewhere", Click{there, desktop.Left}, 1, 0},
		{"nor does a double click elsewhere", Click{there, desktop.Left}, 2, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p Presses
				p.Add(Click{here, desktop.Left}, 2)
				time.Sleep(ago)
				if got := max(0, p.Rest(row.next, row.count)); got != row.want {
					t.Errorf("it waits %s, wanted %s", got, row.want)
				}
			})
		})
	}
}

package input

import (
	"testing"
	"testing/synctest"
	"time"

	"understudy/internal/desktop"
)

func click(at desktop.Point, b desktop.Button) desktop.Click { return desktop.Click{At: at, Button: b} }

func TestHowLongAClickWaitsForThoseBefore(t *testing.T) {
	const ago = 100 * time.Millisecond // between one press and the next
	here, there := desktop.Point{X: 100, Y: 100}, desktop.Point{X: 300, Y: 100}
	left, right, elsewhere := click(here, desktop.Left), click(here, desktop.Right), click(there, desktop.Left)
	double := elsewhere
	double.Count = 2
	// moved returns a click on an element or window that has moved to a point
	moved := func(c desktop.Click, to desktop.Point, el desktop.Handle, w desktop.WindowID) desktop.Click {
		c.At, c.On, c.In = to, &desktop.Element{Handle: el}, &desktop.Window{ID: w}
		c.On.Bounds, c.In.Bounds = desktop.Rect{X: to.X - 20, Y: 90, W: 40, H: 20}, desktop.Rect{X: to.X - 50, W: 800, H: 600}
		return c
	}
	for _, row := range []struct {
		name   string
		before []desktop.Click
		next   desktop.Click
		want   time.Duration
	}{
		{"the first click waits for none", nil, left, 0},
		{"one at the same place waits", []desktop.Click{left}, left, clickRest - ago},
		{"one a little beside it waits too", []desktop.Click{left}, click(desktop.Point{X: 100 + near, Y: 100 - near}, desktop.Left), clickRest - ago},
		{"one elsewhere does not", []desktop.Click{left}, elsewhere, 0},
		{"one with another button does not", []desktop.Click{left}, right, 0},
		{"a click elsewhere in between does not set it apart", []desktop.Click{left, elsewhere}, left, clickRest - 2*ago},
		{"nor does another button", []desktop.Click{left, right}, left, clickRest - 2*ago},
		{"the latest of several counts", []desktop.Click{left, elsewhere, left}, left, clickRest - ago},
		{"a double click waits also elsewhere", []desktop.Click{left}, double, clickRest - ago},
		{"an element that went elsewhere since waits", []desktop.Click{moved(left, here, "one", 1)}, moved(left, there, "one", 2), clickRest - ago},
		{"so does a window", []desktop.Click{moved(left, here, "one", 1)}, moved(left, there, "other", 1), clickRest - ago},
		{"another one there does not", []desktop.Click{moved(left, here, "one", 1)}, moved(left, there, "other", 2), 0},
		{"what was long ago is forgotten", []desktop.Click{left, elsewhere, right, elsewhere, right, elsewhere}, left, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p Presses
				for _, c := range row.before {
					p.Add(c)
					time.Sleep(ago)
				}
				if got := max(0, p.Rest(row.next)); got != row.want {
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
		p.Add(click(here, desktop.Left))
		p.Add(click(here, desktop.Right))
		time.Sleep(2 * clickRest)
		p.LetGo(desktop.Left)
		if got := p.Rest(click(here, desktop.Left)); got != clickRest {
			t.Errorf("a click there waits %s, wanted %s", got, clickRest)
		}
		if got := p.Rest(click(here, desktop.Right)); got > 0 {
			t.Errorf("the other button waits %s, wanted that it does not", got)
		}
	})
}

// After a double click a third press can make a triple click, for which GTK waits longer.
func TestAClickWaitsLongerAfterADoubleClick(t *testing.T) {
	here, there := desktop.Point{X: 100, Y: 100}, desktop.Point{X: 300, Y: 100}
	const ago = clickRest + 100*time.Millisecond
	single, other := click(here, desktop.Left), click(there, desktop.Left)
	double, elsewhere := single, other
	double.Count, elsewhere.Count = 2, 2
	for _, row := range []struct {
		name string
		next desktop.Click
		want time.Duration
	}{
		{"at the same place", single, tripleRest - ago},
		{"a second double click there", double, tripleRest - ago},
		{"but not elsewhere", other, 0},
		{"nor does a double click elsewhere", elsewhere, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var p Presses
				p.Add(double)
				time.Sleep(ago)
				if got := max(0, p.Rest(row.next)); got != row.want {
					t.Errorf("it waits %s, wanted %s", got, row.want)
				}
			})
		})
	}
}

package input

import (
	"context"
	"slices"
	"time"

	"understudy/internal/desktop"
)

// Applications take two clicks for a double click if they are close in time and place.
// So the clicks of one step must be close together, and those of two steps apart, however
// fast the steps follow one another.

const (
	// clickRest is the time between two clicks that must not become a double click:
	// the double-click time of the slowest toolkit.
	clickRest = 500 * time.Millisecond
	// tripleRest is the same after a double click: GTK accepts the third press of a
	// triple click up to twice its double-click time after the first.
	tripleRest = 2 * clickRest
	// near is the distance in pixels up to which two clicks count as one place. No
	// toolkit allows more.
	near = 10
	// StrokeGap is the time between the clicks of a multiple click. Browsers take two
	// clicks at the same time for one.
	StrokeGap = 8 * time.Millisecond
)

// Presses are the recent presses with which the next click could form a multiple click.
// One is not enough: parts of a window that see only their own presses, such as the
// widgets of GTK, count across a press elsewhere.
type Presses []press

// press is a click, the time when its button was last pressed or released, and how long
// the next click at the same place must wait after that.
type press struct {
	desktop.Click
	when time.Time
	rest time.Duration
}

// Rest returns how long to wait before a click. Before a multiple click the place does
// not matter: after a single click GTK accepts no multiple click elsewhere either.
func (p Presses) Rest(next desktop.Click) (d time.Duration) {
	for _, before := range p {
		switch since := time.Since(before.when); {
		case together(before.Click, next):
			d = max(d, before.rest-since)
		case next.Count > 1:
			d = max(d, clickRest-since)
		}
	}
	return d
}

// Wait sleeps until a click counts as one of its own.
func (p Presses) Wait(ctx context.Context, next desktop.Click) error {
	return desktop.Sleep(ctx, p.Rest(next))
}

// together reports whether two clicks are near enough to form a double click. GTK measures
// from the corner of the window, or of an element with a window of its own, which may have
// moved in between.
func together(a, b desktop.Click) bool {
	return a.Button == b.Button && (isNear(a.At, b.At) ||
		a.In != nil && b.In != nil && a.In.ID == b.In.ID && isNear(within(a.At, a.In.Bounds), within(b.At, b.In.Bounds)) ||
		a.On != nil && b.On != nil && a.On.Handle != "" && a.On.Handle == b.On.Handle && isNear(within(a.At, a.On.Bounds), within(b.At, b.On.Bounds)))
}

func isNear(a, b desktop.Point) bool {
	return max(a.X-b.X, b.X-a.X, a.Y-b.Y, b.Y-a.Y) <= near
}

func within(at desktop.Point, r desktop.Rect) desktop.Point {
	return desktop.Point{X: at.X - r.X, Y: at.Y - r.Y}
}

// Add adds a click that was made now and drops those that no longer matter.
func (p *Presses) Add(c desktop.Click) {
	*p = slices.DeleteFunc(*p, func(before press) bool { return time.Since(before.when) > before.rest })
	rest := clickRest
	if c.Count > 1 {
		rest = tripleRest
	}
	*p = append(*p, press{c, time.Now(), rest})
}

// Press calls press, which presses a button at a point. It waits first, unless the press is
// meant to form a multiple click with the one before.
func (p *Presses) Press(ctx context.Context, at desktop.Point, a desktop.ButtonDown, press func() error) error {
	c := desktop.Click{At: at, Button: a.Button}
	if !a.Follows {
		if err := p.Wait(ctx, c); err != nil {
			return err
		}
	}
	defer p.Add(c)
	return press()
}

// LetGo notes that a button was released now: some toolkits measure from there. The place
// of the release does not matter, since toolkits compare the places of presses.
func (p Presses) LetGo(b desktop.Button) {
	for i := range slices.Backward(p) {
		if p[i].Button == b {
			p[i].when = time.Now()
			return
		}
	}
}

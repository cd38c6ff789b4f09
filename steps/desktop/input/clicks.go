package input

import (
	"context"
	"slices"
	"time"

	"understudy/steps/desktop"
)

// An application takes two clicks for a double click when they are at one place
// and no more than some time apart. So the clicks of one step have to keep
// together, and those of two steps apart, however fast the steps are.

const (
	// clickRest is what is between clicks that are not to make one. It is as
	// long as the time of a double click in the slowest toolkit.
	clickRest = 500 * time.Millisecond
	// tripleRest is the same after a double click: GTK takes a third press for a
	// triple click within twice that time of the first.
	tripleRest = 2 * clickRest
	// near is how far from each other clicks may be, to count for one place. It
	// is more than in any toolkit.
	near = 10
)

// Click is a button that is pressed at a point.
type Click struct {
	At     desktop.Point
	Button desktop.Button
}

// Presses are the presses of late, any of which the next click may be taken
// together with: the parts of a window that only see their own presses, such as
// each widget of GTK, count across one elsewhere.
type Presses []press

// press is a click, when its button was pressed or let go of last, and how long
// the next click at the same place waits from then.
type press struct {
	Click
	when time.Time
	rest time.Duration
}

// Rest is how long to wait before another click. Before a multiple click it is
// the same wherever that is: after one click GTK takes none elsewhere for one.
func (p Presses) Rest(next Click, count int) (d time.Duration) {
	for _, before := range p {
		switch since := time.Since(before.when); {
		case before.together(next):
			d = max(d, before.rest-since)
		case count > 1:
			d = max(d, clickRest-since)
		}
	}
	return d
}

// together says whether two clicks are near enough to count for one.
func (c Click) together(next Click) bool {
	away := max(next.At.X-c.At.X, c.At.X-next.At.X, next.At.Y-c.At.Y, c.At.Y-next.At.Y)
	return away <= near && next.Button == c.Button
}

// Add remembers a click of so many presses, and forgets those that count no more.
func (p *Presses) Add(c Click, count int) {
	*p = slices.DeleteFunc(*p, func(before press) bool { return time.Since(before.when) > before.rest })
	rest := clickRest
	if count > 1 {
		rest = tripleRest
	}
	*p = append(*p, press{c, time.Now(), rest})
}

// Press presses a button, after a rest unless the press follows the one before.
func (p *Presses) Press(ctx context.Context, c Click, follows bool, press func() error) error {
	if !follows {
		if err := desktop.Sleep(ctx, p.Rest(c, 1)); err != nil {
			return err
		}
	}
	defer p.Add(c, 1)
	return press()
}

// LetGo remembers when a button was let go of: some toolkits count from there.
// Where that was is of no matter to them, as they compare the presses.
func (p Presses) LetGo(b desktop.Button) {
	for i := len(p) - 1; i >= 0; i-- {
		if p[i].Button == b {
			p[i].when = time.Now()
			return
		}
	}
}

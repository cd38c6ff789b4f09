package input

import (
	"context"
	"fmt"
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

// Presses are the presses of late, any of which the next click may be taken
// together with: the parts of a window that only see their own presses, such as
// each widget of GTK, count across one elsewhere.
type Presses []press

// press is a click, when its button was pressed or let go of last, and how long
// the next click at the same place waits from then.
type press struct {
	desktop.Click
	when time.Time
	rest time.Duration
}

// Rest is how long to wait before another click. Before a multiple click it is
// the same wherever that is: after one click GTK takes none elsewhere for one.
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

// together says whether two clicks are near enough to count for one. GTK counts from
// the corner of the window, or of an element that has a window of its own, which may
// have moved since.
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

// Add remembers a click, and forgets those that count no more.
func (p *Presses) Add(c desktop.Click) {
	*p = slices.DeleteFunc(*p, func(before press) bool { return time.Since(before.when) > before.rest })
	rest := clickRest
	if c.Count > 1 {
		rest = tripleRest
	}
	*p = append(*p, press{c, time.Now(), rest})
}

// Press presses a button, after a rest unless the press follows the one before.
func (p *Presses) Press(ctx context.Context, c desktop.Click, follows bool, press func() error) error {
	if !follows {
		if err := desktop.Sleep(ctx, p.Rest(c)); err != nil {
			return err
		}
	}
	defer p.Add(c)
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

// VerifyTarget fails with desktop.ErrMoved unless the window of a click is where it
// was seen, and above all others at the point. It is now nil when it is gone.
func VerifyTarget(a desktop.Click, now *desktop.Window, above bool) error {
	switch {
	case now == nil:
		return fmt.Errorf("the window %q is gone: %w", a.In.Title, desktop.ErrMoved)
	case now.Bounds != a.In.Bounds:
		return fmt.Errorf("the window %q moved from %s to %s: %w", a.In.Title, a.In.Bounds, now.Bounds, desktop.ErrMoved)
	case !above:
		return fmt.Errorf("the window %q came under another one at %s: %w", a.In.Title, a.At, desktop.ErrMoved)
	}
	return nil
}

// VerifyStayed fails with desktop.ErrUnclear when a window is not where it was when it
// was clicked. One that has got another size did so because of the click, as when a
// title bar is clicked twice.
func VerifyStayed(w, now desktop.Window) error {
	if now.Bounds == w.Bounds || now.Bounds.W != w.Bounds.W || now.Bounds.H != w.Bounds.H {
		return nil
	}
	return fmt.Errorf("the window %q moved from %s to %s while it was clicked: %w", w.Title, w.Bounds, now.Bounds, desktop.ErrUnclear)
}

//go:build linux || windows || darwin

package robot

import (
	"time"

	"understudy/steps/desktop"
)

// An application takes two clicks for a double click when they are at one place
// and no more than some time apart. So the clicks of one step have to keep
// together, and those of two steps apart, however fast the steps are.

const (
	// pressTime is how long a button is down in a click. Some toolkits see no
	// click when it is shorter.
	pressTime = 8 * time.Millisecond
	// clickRest is what is between clicks that are not to make one. It is as
	// long as the time of a double click in the slowest toolkit.
	clickRest = 500 * time.Millisecond
	// near is how far from each other clicks may be, to count for one place. It
	// is more than in any toolkit.
	near = 10
)

// click is a button that is pressed at a point.
type click struct {
	at     desktop.Point
	button desktop.Button
}

// lastClick is the click that the next may be taken together with.
type lastClick struct {
	click
	when time.Time
}

// rest is how long to wait before another click. Before a multiple click it is
// the same wherever that is: after one click GTK takes none elsewhere for one.
func (c lastClick) rest(next click, count int) time.Duration {
	elsewhere := max(next.at.X-c.at.X, c.at.X-next.at.X, next.at.Y-c.at.Y, c.at.Y-next.at.Y) > near
	if count <= 1 && (elsewhere || next.button != c.button) {
		return 0
	}
	return clickRest - time.Since(c.when)
}

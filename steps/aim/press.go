package aim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/steps/desktop"
)

// freshness is how long what was seen of an element counts as seen just now.
const freshness = 5 * time.Millisecond

// reachability is how an element can be reached: through which window, and when
// the element was read last before that was known.
type reachability struct {
	window desktop.Window
	looked time.Time
}

// Press clicks an element at a point at which it was found to be reachable.
// It presses nothing when the element, or the window there, has moved since,
// or when another window came in between.
func Press(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point, b desktop.Button, count int) error {
	met, known := hand.reachable[el]
	if !known {
		if err := DismissTooltipAt(ctx, hand, at); err != nil {
			return err
		}
		return hand.Desktop.Do(ctx, desktop.Click{At: at, Button: b, Count: count})
	}
	if err := hand.Desktop.RestBeforeClick(ctx, at, b, count); err != nil {
		return err
	}
	if time.Since(met.looked) > freshness {
		if err := checkUnmoved(ctx, hand, el); err != nil {
			return err
		}
	}
	return hand.Desktop.Do(ctx, desktop.Click{At: at, Button: b, Count: count, In: &met.window})
}

// checkUnmoved fails with ErrMoved when an element is not where it was seen. The
// window was looked at before: if it moved after that, it moves before the
// click, which sees it.
func checkUnmoved(ctx context.Context, hand *Hand, el *desktop.Element) error {
	now, err := refresh(ctx, hand, el)
	switch {
	case errors.Is(err, desktop.ErrNotFound):
		return fmt.Errorf("%s went away: %w", Describe(el), desktop.ErrMoved)
	case err != nil:
		return err
	case now.Bounds != el.Bounds:
		return fmt.Errorf("%s went from %s to %s: %w", Describe(el), el.Bounds, now.Bounds, desktop.ErrMoved)
	}
	return nil
}

// noteReachable remembers how an element can be reached.
func noteReachable(hand *Hand, el *desktop.Element, w *desktop.Window, looked time.Time) {
	if w == nil {
		delete(hand.reachable, el)
		return
	}
	if hand.reachable == nil {
		hand.reachable = map[*desktop.Element]reachability{}
	}
	hand.reachable[el] = reachability{*w, looked}
}

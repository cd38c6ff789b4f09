package aim

import (
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/steps/desktop"
)

// freshness is the greatest age of the last read of an element for a click without
// another read.
const freshness = 5 * time.Millisecond

// reachability is the window at the point of a reachable element, and when the element
// was last read.
type reachability struct {
	window desktop.Window
	looked time.Time
}

// Press clicks el at a point that checkReady returned. It returns ErrMoved and presses
// nothing if the element or its window has moved since, or another window is in
// between.
func Press(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point, b desktop.Button, count int) error {
	c := desktop.Click{At: at, Button: b, Count: count, On: el}
	met, known := hand.reachable[el]
	if !known {
		if err := DismissTooltipAt(ctx, hand, at); err != nil {
			return err
		}
		return hand.Desktop.Do(ctx, c)
	}
	c.In = &met.window
	if err := hand.Desktop.RestBeforeClick(ctx, c); err != nil {
		return err
	}
	if time.Since(met.looked) > freshness {
		if err := checkUnmoved(ctx, hand, el); err != nil {
			return err
		}
	}
	return hand.Desktop.Do(ctx, c)
}

// elusive bounds how often an element is followed that moves just before the press.
const elusive = 10

// Follow calls press, and aimAnew before each retry as long as press returns ErrMoved,
// which means that the target moved just before and nothing was pressed.
func Follow(press, aimAnew func() error) error {
	for try := 0; ; try++ {
		err := press()
		if try == elusive || !errors.Is(err, desktop.ErrMoved) {
			return err
		}
		if err := aimAnew(); err != nil {
			return err
		}
	}
}

// PressElement clicks the middle of an element that was found already, once it can be
// reached and stands still.
func PressElement(ctx context.Context, hand *Hand, el *desktop.Element, enabled bool) error {
	var at desktop.Point
	aimAtIt := func() (err error) {
		el, at, err = atElement(ctx, hand, el, Requirement{Enabled: enabled, Point: Middle})
		return err
	}
	if err := aimAtIt(); err != nil {
		return err
	}
	return Follow(func() error { return Press(ctx, hand, el, at, desktop.Left, 1) }, aimAtIt)
}

// checkUnmoved returns ErrMoved if el is not where it was seen. A move of its window
// after this check is caught by ClickIn.
func checkUnmoved(ctx context.Context, hand *Hand, el *desktop.Element) error {
	now, err := refresh(ctx, hand, el)
	switch {
	case errors.Is(err, desktop.ErrNotFound):
		return fmt.Errorf("%s went away: %w", Describe(el), desktop.ErrMoved)
	case err != nil:
		return err
	case !sameRow(el, now):
		return fmt.Errorf("%s shows %q now: %w", Describe(el), now.Name, desktop.ErrMoved)
	case now.Bounds != el.Bounds:
		return fmt.Errorf("%s went from %s to %s: %w", Describe(el), el.Bounds, now.Bounds, desktop.ErrMoved)
	}
	return nil
}

func noteReachable(hand *Hand, el *desktop.Element, w *desktop.Window, looked time.Time) {
	if w == nil {
		delete(hand.reachable, el)
		return
	}
	hand.reachable[el] = reachability{*w, looked}
}

package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
)

// freshness is the greatest age of the last read of an element for a click without
// another read.
const freshness = 5 * time.Millisecond

// reachability is the window at the point of a reachable element, when the element was last
// read, and whether it is in a page that has hit tests of its own.
type reachability struct {
	window desktop.Window
	looked time.Time
	inPage bool
}

// guardTime is longer than a dialog of Chromium ignores clicks after it has opened, because they may
// be meant for what it covers; guardedClass is the class of its buttons.
const (
	guardTime    = 600 * time.Millisecond
	guardedClass = "MdTextButton"
)

// Press clicks el at a point that checkReady returned. It returns ErrMoved and presses
// nothing if the element or its window has moved since, or another window is in
// between.
func Press(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point, b desktop.Button, count int) error {
	c := desktop.Click{At: at, Button: b, Count: count, On: el}
	met, known := hand.reachable[el]
	if el == nil || !known {
		if err := DismissTooltipAt(ctx, hand, at); err != nil {
			return err
		}
	}
	if !known {
		return hand.Desktop.Do(ctx, c)
	}
	c.In = &met.window
	if el != nil && el.Class == guardedClass {
		if err := desktop.Sleep(ctx, guardTime); err != nil {
			return err
		}
	}
	if rest, err := hand.Desktop.ClickRest(ctx, c); err != nil {
		return err
	} else if err := desktop.Sleep(ctx, rest); err != nil {
		return err
	}
	if met.inPage {
		return hand.pressInPage(ctx, el, c)
	} else if el != nil && time.Since(met.looked) > freshness {
		if err := CheckUnmoved(ctx, hand, el); err != nil {
			return err
		}
	}
	return hand.Desktop.Do(ctx, c)
}

// arrivalTime is how long a page that is not connected has for what it changes as the pointer arrives: it
// is told of the pointer, and draws, once in a frame.
const arrivalTime = 2 * StillTime

// maxFollows limits how often an element that moves just before the press is aimed at again.
const maxFollows = 10

// Follow calls press, and aimAnew before each retry as long as press returns ErrMoved,
// which means that the target moved just before and nothing was pressed.
func Follow(press, aimAnew func() error) error {
	for try := 0; ; try++ {
		err := press()
		if try == maxFollows || !errors.Is(err, desktop.ErrMoved) {
			return err
		}
		if err := aimAnew(); err != nil {
			return err
		}
	}
}

// PointAt calls act with an element and a point that At returned for t and n, unless the
// element has moved since; then it aims anew.
func PointAt(ctx context.Context, hand *Hand, t Target, n Requirement, el *desktop.Element, at desktop.Point, act func(*desktop.Element, desktop.Point) error) error {
	return Follow(func() error {
		if err := CheckUnmoved(ctx, hand, el); err != nil {
			return err
		}
		return act(el, at)
	}, func() (err error) {
		el, at, err = At(ctx, hand, t, n)
		return err
	})
}

// PressElement clicks the middle of an element that was found already, once it can be
// reached and stands still.
func PressElement(ctx context.Context, hand *Hand, el *desktop.Element, enabled bool) error {
	var at desktop.Point
	aimAtIt := func() (err error) {
		el, at, err = atElement(ctx, hand, el, Requirement{Enabled: enabled, Point: desktop.Rect.Center})
		return err
	}
	if err := aimAtIt(); err != nil {
		return err
	}
	return Follow(func() error { return Press(ctx, hand, el, at, desktop.Left, 1) }, aimAtIt)
}

// CheckUnmoved returns ErrMoved if el is not where it was seen, and as it was. A move of
// its window after this check is caught by the driver.
func CheckUnmoved(ctx context.Context, hand *Hand, el *desktop.Element) error {
	now, err := refresh(ctx, hand, el)
	switch {
	case errors.Is(err, desktop.ErrNotFound):
		return fmt.Errorf("%s went away: %w", Describe(el), desktop.ErrMoved)
	case err != nil:
		return err
	case !sameRow(el, now):
		return anotherRow(el, now)
	case el.States&^now.States&(desktop.Enabled|desktop.Showing) != 0:
		return fmt.Errorf("%s is no longer visible, or is disabled: %w", Describe(el), desktop.ErrMoved)
	case now.Bounds != el.Bounds:
		return fmt.Errorf("%s went from %s to %s: %w", Describe(el), el.Bounds, now.Bounds, desktop.ErrMoved)
	}
	return nil
}

// apartBy is farther apart than two places at which any toolkit takes two clicks for a double click.
const apartBy = 12

// apart returns at, or a point of the button el from which a click need not wait so as not to count as a
// double click with one before. It stays in the middle half: the side of a button may open its menu.
func apart(ctx context.Context, hand *Hand, el *desktop.Element, at desktop.Point) (desktop.Point, error) {
	if el.Role != "button" && el.Role != "togglebutton" || el.Class == guardedClass {
		return at, nil
	}
	b := el.Bounds
	middle := desktop.Rect{X: b.X + b.W/4, Y: b.Y + b.H/4, W: b.W / 2, H: b.H / 2}
	for _, by := range []desktop.Point{{}, {X: apartBy}, {X: -apartBy}, {Y: apartBy}, {Y: -apartBy}} {
		p := desktop.Point{X: at.X + by.X, Y: at.Y + by.Y}
		if p != at && !middle.Contains(p) {
			continue
		}
		rest, err := hand.Desktop.ClickRest(ctx, desktop.Click{At: p, Button: desktop.Left, On: el})
		if err != nil || rest <= 0 {
			return p, err
		}
	}
	return at, nil
}

// noteReachable notes that el, or the point that nil stands for, was found ready; hit is what
// the hit test found there.
func noteReachable(hand *Hand, el, hit *desktop.Element, w *desktop.Window, looked time.Time) {
	if w == nil {
		delete(hand.reachable, el)
		return
	}
	hand.reachable[el] = reachability{*w, looked, hit != nil && hit.Sure}
}

const (
	// releaseTimeout bounds the release of held keys and buttons; a busy desktop needs
	// seconds.
	releaseTimeout = 15 * time.Second
	// releaseTimeoutCancelled is the bound once the step was cancelled.
	releaseTimeoutCancelled = 100 * time.Millisecond
)

// ReleaseContext returns a context in which held input can be released, even if ctx
// was cancelled.
func ReleaseContext(ctx context.Context) (context.Context, context.CancelFunc) {
	long := releaseTimeout
	if ctx.Err() != nil {
		long = releaseTimeoutCancelled
	}
	return context.WithTimeout(context.WithoutCancel(ctx), long)
}

// HoldKeys holds keys while do runs. They are always released.
func HoldKeys(ctx context.Context, d *desktop.Desktop, keys []desktop.Key, do func() error) (err error) {
	var held []desktop.Key
	defer func() {
		free, cancel := ReleaseContext(ctx)
		defer cancel()
		for _, k := range slices.Backward(held) {
			if up := d.Do(free, desktop.KeyUp{Key: k}); up != nil && err == nil {
				err = fmt.Errorf("letting go of %s: %w", k, up)
			}
		}
	}()
	for _, name := range keys {
		k, err := desktop.ParseKey(string(name))
		if err != nil {
			return &steps.Error{Code: steps.Invalid, Err: err}
		}
		held = append(held, k)
		if err := d.Do(ctx, desktop.KeyDown{Key: k}); err != nil {
			return err
		}
	}
	return do()
}

// RestorePointer returns a function that moves the pointer back to where it is now, or
// to where it was before a tooltip was dismissed. A failure is only logged.
func RestorePointer(ctx context.Context, hand *Hand, wanted bool) func(context.Context) {
	if !wanted {
		return func(context.Context) {}
	}
	at, err := hand.Desktop.PointerPosition(ctx)
	if err != nil {
		hand.Logger().WarnContext(ctx, "the pointer's place is not known", "error", err)
		return func(context.Context) {}
	}
	if hand.pointerBefore != nil {
		at = *hand.pointerBefore
	}
	return func(ctx context.Context) {
		if err := hand.Unaccounted().Do(ctx, desktop.MovePointer{To: at}); err != nil {
			hand.Logger().WarnContext(ctx, "the pointer was not put back", "error", err)
		}
	}
}

// menuTimeout bounds the wait for a context menu, which some applications open only once
// they know what it is for.
const menuTimeout = time.Second

// AwaitMenu returns a function that waits until a popup is open that is not open now.
// Many applications open their context menu where the pointer is by then, not where it
// was clicked, so the pointer must not be put back before.
func AwaitMenu(ctx context.Context, d *desktop.Desktop, wanted bool) func(context.Context) {
	if !wanted {
		return func(context.Context) {}
	}
	before, err := d.Windows(ctx)
	if err != nil { // no new window can be told then
		return func(context.Context) {}
	}
	return func(ctx context.Context) {
		_ = WaitUntil(ctx, menuTimeout, func(ctx context.Context) error {
			now, err := d.Windows(ctx)
			if err == nil && !slices.ContainsFunc(now, func(w desktop.Window) bool { return w.Popup && before.ByID(w.ID) == nil }) {
				err = desktop.ErrNotFound
			}
			return err
		})
	}
}

package aim

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"understudy/steps"
	"understudy/steps/desktop"
)

// A tooltip lies over what is beside the pointer, and would get the click that is
// meant for that. It gives way when the pointer moves. That of GTK 4 does not say
// that it is one: there a popup may be one in which the element is not as a whole.

// tooltipTimeout is how long a tooltip may take to give way to the pointer. It takes
// a frame, and longer where the machine is busy.
const tooltipTimeout = 3 * time.Second

// PopupTimeout is how long a popup is waited for of which it is not known whether it
// gives way.
const PopupTimeout = 500 * time.Millisecond

// tooltipOver recognises a tooltip that lies over a point.
func tooltipOver(at desktop.Point) func(desktop.Window) bool {
	return func(w desktop.Window) bool { return w.Tooltip && w.Bounds.Contains(at) }
}

// dismissTooltip brings the pointer to a point over which a tooltip lies, and waits until
// that has gone.
func dismissTooltip(ctx context.Context, hand *Hand, at desktop.Point) error {
	return waitUncovered(ctx, hand, at, tooltipTimeout, tooltipOver(at))
}

// waitUncovered brings the pointer to a point that is to be clicked, and waits until
// no window lies over it. Where the pointer came from is remembered.
func waitUncovered(ctx context.Context, hand *Hand, at desktop.Point, long time.Duration, lies func(desktop.Window) bool) error {
	if hand.pointerBefore == nil {
		if from, err := hand.Desktop.PointerPosition(ctx); err == nil {
			hand.pointerBefore = &from
		}
	}
	if err := hand.Unaccounted().Do(ctx, desktop.MovePointer{To: at}); err != nil {
		return fmt.Errorf("moving the pointer under a tooltip: %w", err)
	}
	return WaitUntil(ctx, long, func(ctx context.Context) error {
		windows, err := hand.Desktop.Windows(ctx)
		if err != nil {
			return fmt.Errorf("listing the windows: %w", err)
		}
		if !slices.ContainsFunc(windows, lies) {
			return nil
		}
		return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("a tooltip lies over %s", at), Next: "move the pointer elsewhere with mouse_move, and wait until the tooltip has gone"}
	})
}

// DismissTooltipAt is unveil where it is not known whether a tooltip is there.
func DismissTooltipAt(ctx context.Context, hand *Hand, at desktop.Point) error {
	windows, err := hand.Desktop.Windows(ctx)
	switch {
	case errors.Is(err, desktop.ErrUnavailable): // then nothing is known of windows
		return nil
	case err != nil:
		return fmt.Errorf("listing the windows: %w", err)
	case !slices.ContainsFunc(windows, tooltipOver(at)):
		return nil
	}
	return dismissTooltip(ctx, hand, at)
}

// maybeTooltip says whether a popup of an element's own program, which lies over it,
// may be a tooltip.
func maybeTooltip(hand *Hand, windows []desktop.Window, el *desktop.Element, top *desktop.Window) bool {
	within := el.Bounds.Intersect(top.Bounds) == el.Bounds
	return top.Popup && top.ID != el.Window && el.Handle != "" && !within && !hand.persistentPopups[top.ID] && ownPopup(windows, el, top)
}

// waitForPopup brings the pointer to a point over which a popup lies, and waits until
// that has gone, or is known to last.
func waitForPopup(ctx context.Context, hand *Hand, popup desktop.WindowID, at desktop.Point) error {
	err := waitUncovered(ctx, hand, at, PopupTimeout, func(w desktop.Window) bool { return w.ID == popup })
	if steps.CodeOf(err) != steps.NotActionable {
		return err
	}
	if hand.persistentPopups == nil {
		hand.persistentPopups = map[desktop.WindowID]bool{}
	}
	hand.persistentPopups[popup] = true
	return nil
}

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

// A tooltip covers elements near the pointer and would take their click. Moving the
// pointer dismisses it. GTK 4 does not mark its tooltips, so a popup that covers an
// element only in part may be one too.

// tooltipTimeout bounds the wait for a tooltip to be dismissed. It takes a frame, and
// longer on a busy machine.
const tooltipTimeout = 3 * time.Second

// PopupTimeout bounds the wait for a popup that may be a tooltip (GTK 4 does not mark
// its tooltips).
const PopupTimeout = 500 * time.Millisecond

// tooltipOver returns a predicate for tooltips at a point.
func tooltipOver(at desktop.Point) func(desktop.Window) bool {
	return func(w desktop.Window) bool { return w.Tooltip && w.Bounds.Contains(at) }
}

// dismissTooltip moves the pointer to a point that a tooltip covers, and waits until
// it has gone.
func dismissTooltip(ctx context.Context, hand *Hand, at desktop.Point) error {
	return waitUncovered(ctx, hand, at, tooltipTimeout, tooltipOver(at))
}

// point moves the pointer to a point before a press. The position before that is kept for
// RestorePointer.
func (h *Hand) point(ctx context.Context, at desktop.Point) error {
	from, err := h.Desktop.PointerPosition(ctx)
	if err == nil && from == at {
		return nil
	}
	if err == nil && h.pointerBefore == nil {
		h.pointerBefore = &from
	}
	return h.Unaccounted().Do(ctx, desktop.MovePointer{To: at})
}

// waitUncovered moves the pointer to a point and waits until lies is true for no window.
func waitUncovered(ctx context.Context, hand *Hand, at desktop.Point, long time.Duration, lies func(desktop.Window) bool) error {
	if err := hand.point(ctx, at); err != nil {
		return fmt.Errorf("moving the pointer under a tooltip: %w", err)
	}
	return WaitUntil(ctx, long, func(ctx context.Context) error {
		windows, err := hand.Desktop.Windows(ctx)
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(windows, lies) {
			return nil
		}
		return &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("a tooltip lies over %s", at), Next: "move the pointer elsewhere with mouse_move, and wait until the tooltip has gone"}
	})
}

// DismissTooltipAt dismisses a tooltip at a point, if there is one.
func DismissTooltipAt(ctx context.Context, hand *Hand, at desktop.Point) error {
	windows, err := hand.Desktop.Windows(ctx)
	switch {
	case errors.Is(err, desktop.ErrUnavailable): // the windows are unknown
		return nil
	case err != nil:
		return err
	case !slices.ContainsFunc(windows, tooltipOver(at)):
		return nil
	}
	return dismissTooltip(ctx, hand, at)
}

// maybeTooltip reports whether a popup of el's own process that covers el may be a
// tooltip. One that contains el whole is rather its menu.
func maybeTooltip(hand *Hand, windows desktop.Windows, el *desktop.Element, top *desktop.Window) bool {
	within := el.Bounds.Intersect(top.Bounds) == el.Bounds
	return top.Popup && top.ID != el.Window && el.Handle != "" && !within && !hand.persistentPopups[top.ID] && ownPopup(windows, el, top)
}

// waitForPopup moves the pointer under a popup and waits until it has gone. If it
// stays for PopupTimeout it is remembered as persistent.
func waitForPopup(ctx context.Context, hand *Hand, popup desktop.WindowID, at desktop.Point) error {
	err := waitUncovered(ctx, hand, at, PopupTimeout, func(w desktop.Window) bool { return w.ID == popup })
	if steps.CodeOf(err) != steps.NotActionable {
		return err
	}
	hand.persistentPopups[popup] = true
	return nil
}

package steps

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"understudy/steps/desktop"
)

// A tooltip lies over what is beside the pointer, and would get the click that is
// meant for that. It gives way when the pointer moves.

// givesWayIn is how long a tooltip may take to give way to the pointer. It takes
// a frame, and longer where the machine is busy.
const givesWayIn = 3 * time.Second

// tooltipAt says whether a tooltip lies over a point.
func tooltipAt(windows []desktop.Window, at desktop.Point) bool {
	return slices.ContainsFunc(windows, func(w desktop.Window) bool { return w.Tooltip && w.Bounds.Contains(at) })
}

// veiled says whether a tooltip lies over a point now.
func (e *Env) veiled(ctx context.Context, at desktop.Point) (bool, error) {
	windows, err := e.Desktop.Windows.Windows(ctx)
	if err != nil {
		return false, fmt.Errorf("listing the windows: %w", err)
	}
	return tooltipAt(windows, at), nil
}

// unveil brings the pointer to a point over which a tooltip lies, and waits until
// that has gone.
func (e *Env) unveil(ctx context.Context, at desktop.Point) error {
	if e.cameFrom == nil {
		if from, err := e.Desktop.PointerPosition(ctx); err == nil {
			e.cameFrom = &from
		}
	}
	if err := e.behind.MovePointer(ctx, at); err != nil {
		return fmt.Errorf("moving the pointer under a tooltip: %w", err)
	}
	return e.until(ctx, givesWayIn, func(ctx context.Context) error {
		if is, err := e.veiled(ctx, at); err != nil || !is {
			return err
		}
		return &Error{Code: NotActionable, Err: fmt.Errorf("a tooltip lies over %s", at), Next: "move the pointer elsewhere with mouse_move, and wait until the tooltip has gone"}
	})
}

// unveilPoint is unveil where it is not known whether a tooltip is there.
func (e *Env) unveilPoint(ctx context.Context, at desktop.Point) error {
	is, err := e.veiled(ctx, at)
	if errors.Is(err, desktop.ErrUnavailable) { // then nothing is known of windows
		return nil
	}
	if err != nil || !is {
		return err
	}
	return e.unveil(ctx, at)
}

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
// meant for that. It gives way when the pointer moves. That of GTK 4 does not say
// that it is one: there a popup may be one in which the element is not as a whole.

// givesWayIn is how long a tooltip may take to give way to the pointer. It takes
// a frame, and longer where the machine is busy.
const givesWayIn = 3 * time.Second

// passesIn is how long a popup is waited for of which it is not known whether it
// gives way.
const passesIn = 500 * time.Millisecond

// tooltipOver recognises a tooltip that lies over a point.
func tooltipOver(at desktop.Point) func(desktop.Window) bool {
	return func(w desktop.Window) bool { return w.Tooltip && w.Bounds.Contains(at) }
}

// unveil brings the pointer to a point over which a tooltip lies, and waits until
// that has gone.
func (e *Env) unveil(ctx context.Context, at desktop.Point) error {
	return e.comeUnder(ctx, at, givesWayIn, tooltipOver(at))
}

// comeUnder brings the pointer to a point that is to be clicked, and waits until
// no window lies over it. Where the pointer came from is remembered.
func (e *Env) comeUnder(ctx context.Context, at desktop.Point, long time.Duration, lies func(desktop.Window) bool) error {
	if e.cameFrom == nil {
		if from, err := e.Desktop.PointerPosition(ctx); err == nil {
			e.cameFrom = &from
		}
	}
	if err := e.behind.MovePointer(ctx, at); err != nil {
		return fmt.Errorf("moving the pointer under a tooltip: %w", err)
	}
	return e.until(ctx, long, func(ctx context.Context) error {
		windows, err := e.Desktop.Windows.Windows(ctx)
		if err != nil {
			return fmt.Errorf("listing the windows: %w", err)
		}
		if !slices.ContainsFunc(windows, lies) {
			return nil
		}
		return &Error{Code: NotActionable, Err: fmt.Errorf("a tooltip lies over %s", at), Next: "move the pointer elsewhere with mouse_move, and wait until the tooltip has gone"}
	})
}

// unveilPoint is unveil where it is not known whether a tooltip is there.
func (e *Env) unveilPoint(ctx context.Context, at desktop.Point) error {
	windows, err := e.Desktop.Windows.Windows(ctx)
	switch {
	case errors.Is(err, desktop.ErrUnavailable): // then nothing is known of windows
		return nil
	case err != nil:
		return fmt.Errorf("listing the windows: %w", err)
	case !slices.ContainsFunc(windows, tooltipOver(at)):
		return nil
	}
	return e.unveil(ctx, at)
}

// mayPass says whether a popup of an element's own program, which lies over it,
// may be a tooltip.
func (e *Env) mayPass(windows []desktop.Window, el *desktop.Element, top *desktop.Window) bool {
	within := el.Bounds.Intersect(top.Bounds) == el.Bounds
	return top.Popup && top.ID != el.Window && el.Handle != "" && !within && !e.lasting[top.ID] && ownPopup(windows, el, top)
}

// letPass brings the pointer to a point over which a popup lies, and waits until
// that has gone, or is known to last.
func (e *Env) letPass(ctx context.Context, popup desktop.WindowID, at desktop.Point) error {
	err := e.comeUnder(ctx, at, passesIn, func(w desktop.Window) bool { return w.ID == popup })
	if CodeOf(err) != NotActionable {
		return err
	}
	if e.lasting == nil {
		e.lasting = map[desktop.WindowID]bool{}
	}
	e.lasting[popup] = true
	return nil
}

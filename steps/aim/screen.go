package aim

import (
	"context"
	"fmt"

	"understudy/steps"
	"understudy/steps/desktop"
)

// ElementWithBox returns the element or window that t names. An empty box is an error.
func ElementWithBox(ctx context.Context, hand *Hand, t Target) (*desktop.Element, error) {
	el, _, err := At(ctx, hand, t, Requirement{})
	if err == nil && el.Bounds.Empty() {
		err = NotActionable(el, "takes up no room on the screen", "scroll it into view with scroll_element")
	}
	return el, err
}

// MonitorOf returns the monitor that shows the centre of an area, or the primary one
// for an empty area.
func MonitorOf(monitors []desktop.Monitor, area desktop.Rect) desktop.Rect {
	for _, m := range monitors {
		if m.Bounds.Contains(area.Center()) || area.Empty() && m.Primary {
			return m.Bounds
		}
	}
	return desktop.Rect{}
}

// OnScreen returns an error for a point that no monitor shows.
func OnScreen(ctx context.Context, d *desktop.Desktop, at desktop.Point) error {
	monitors, failed := d.Monitors(ctx)
	if failed != nil {
		return fmt.Errorf("asking for the size of the screen: %w", failed)
	}
	for _, m := range monitors {
		if m.Bounds.Contains(at) {
			return nil
		}
	}
	if len(monitors) == 0 {
		return steps.Errorf(steps.NotActionable, "the point %s is on no monitor: there is none", at)
	}
	return steps.Errorf(steps.NotActionable, "%w", desktop.ErrOffScreen(at, monitors[0].Bounds)).
		WithNext("take a point of a picture by capture_screenshot, or name the element")
}

// Screen returns the area of all monitors together.
func Screen(ctx context.Context, d *desktop.Desktop) (desktop.Rect, error) {
	monitors, err := d.Monitors(ctx)
	if err != nil {
		return desktop.Rect{}, fmt.Errorf("asking for the size of the screen: %w", err)
	}
	return desktop.ScreenOf(monitors), nil
}

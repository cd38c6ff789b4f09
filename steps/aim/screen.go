package aim

import (
	"context"
	"fmt"
	"image"

	"understudy/steps"
	"understudy/steps/desktop"
)

// BoxOf is the area that an element, or a window, takes up.
func BoxOf(ctx context.Context, hand *Hand, t Target) (desktop.Rect, error) {
	el, err := ElementWithBox(ctx, hand, t)
	if err != nil {
		return desktop.Rect{}, err
	}
	return el.Bounds, nil
}

// ElementWithBox is an element, or a window, that takes up an area.
func ElementWithBox(ctx context.Context, hand *Hand, t Target) (*desktop.Element, error) {
	el, _, err := At(ctx, hand, t, Requirement{})
	if err == nil && el.Bounds.Empty() {
		err = NotActionable(el, "takes up no room on the screen", "scroll it into view with scroll_element")
	}
	return el, err
}

// MonitorOf is the monitor that shows the middle of an area, or the first.
func MonitorOf(monitors []desktop.Monitor, area desktop.Rect) desktop.Rect {
	for _, m := range monitors {
		if m.Bounds.Contains(area.Center()) || area.Empty() && m.Primary {
			return m.Bounds
		}
	}
	return desktop.Rect{}
}

// ScreenBounds is the area of all monitors together.
func ScreenBounds(monitors []desktop.Monitor) desktop.Rect {
	var all image.Rectangle
	for _, m := range monitors {
		all = all.Union(m.Bounds.Image())
	}
	return desktop.RectOf(all)
}

// OnScreen fails for a point that no monitor shows.
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
	err := steps.Errorf(steps.NotActionable, "the point %s is not on the screen, which is %s", at, monitors[0].Bounds)
	err.Next = "take a point of a picture by capture_screenshot, or name the element"
	return err
}

// Screen is the area of all monitors together.
func Screen(ctx context.Context, d *desktop.Desktop) (desktop.Rect, error) {
	monitors, err := d.Monitors(ctx)
	if err != nil {
		return desktop.Rect{}, fmt.Errorf("asking for the size of the screen: %w", err)
	}
	return ScreenBounds(monitors), nil
}

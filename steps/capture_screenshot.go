package steps

import (
	"context"
	"errors"
	"fmt"
	"image"

	"understudy/steps/desktop"
	"understudy/steps/desktop/vision"
)

// CaptureScreenshot keeps a picture of the screen or a part of it.
var CaptureScreenshot = Define(Kind{
	Name:    "capture_screenshot",
	Summary: "Take a picture of the screen, a window, an element or a region.",
	Details: "Without arguments it shows the whole screen. The picture is kept with the run and named by its address.",
	Toolset: Core,
	Touches: Look,
	Reads:   true,
}, ScreenshotArgs{Target: aimed, MaxDimension: 1920, Beside: beside}, captureScreenshot)

// ScreenshotArgs says what to take a picture of.
type ScreenshotArgs struct {
	Target
	Title         string        `json:"title,omitzero" jsonschema:"part of the title of the window to show"`
	Region        *desktop.Rect `json:"region,omitzero" jsonschema:"the area of the screen to show"`
	EntireMonitor bool          `json:"entire_monitor,omitzero" jsonschema:"show the whole monitor that the element or window is on"`
	MaxDimension  Count         `json:"max_dimension,omitzero" jsonschema:"scale the picture down until neither side is longer; 0 keeps its size"`
	Beside
}

// Validate wants at most one thing to show.
func (a *ScreenshotArgs) Validate() error {
	if a.Region != nil {
		if a.Named() || a.Title != "" {
			return errors.New("wanted either a region or a window or element, found both")
		}
		if a.Region.Empty() {
			return errors.New("region: the area is empty")
		}
	}
	if a.Selector != "" && a.Ref != "" {
		return a.Target.Validate()
	}
	return nil
}

// ScreenshotResult says where the picture is and how it lies on the screen.
type ScreenshotResult struct {
	URI    string       `json:"uri" jsonschema:"where the picture is kept"`
	Area   desktop.Rect `json:"area" jsonschema:"the area of the screen that it shows"`
	Width  int          `json:"width" jsonschema:"the picture's width in pixels"`
	Height int          `json:"height" jsonschema:"the picture's height in pixels"`
	Scale  float64      `json:"scale" jsonschema:"how many pixels of the picture stand for one of the screen"`
	Seen
}

func captureScreenshot(ctx context.Context, env *Env, a ScreenshotArgs) (ScreenshotResult, error) {
	area, el, err := a.area(ctx, env)
	if err != nil {
		return ScreenshotResult{}, err
	}
	if a.EntireMonitor {
		monitors, err := env.Desktop.Monitors(ctx)
		if err != nil {
			return ScreenshotResult{}, fmt.Errorf("asking for the size of the screen: %w", err)
		}
		area = monitorOf(monitors, area)
	}
	p, area, err := env.capture(ctx, area)
	if err != nil {
		return ScreenshotResult{}, err
	}
	small, back := vision.Fit(p, int(a.MaxDimension), 0)
	uri, err := env.keep(ctx, small)
	if err != nil {
		return ScreenshotResult{}, err
	}
	seen, err := env.beside(ctx, a.Beside, el)
	return ScreenshotResult{uri, area, small.Rect.Dx(), small.Rect.Dy(), 1 / back, seen}, err
}

// area is what to take a picture of; empty means the whole screen. The element
// says in which window that is, when it is in one.
func (a *ScreenshotArgs) area(ctx context.Context, env *Env) (desktop.Rect, *desktop.Element, error) {
	switch {
	case a.Region != nil:
		return *a.Region, nil, nil
	case a.Title != "" || a.Process != "" && a.Selector == "" && a.WindowSelector == "":
		w, err := env.window(ctx, WindowArgs{Title: a.Title, Process: a.Process, TimeoutMS: a.TimeoutMS})
		return w.Bounds, &desktop.Element{Window: w.ID, Process: w.Process}, err
	case a.Named():
		el, err := env.boxed(ctx, a.Target)
		if err != nil {
			return desktop.Rect{}, nil, err
		}
		return el.Bounds, el, nil
	}
	return desktop.Rect{}, nil, nil
}

// box is the area that an element, or a window, takes up.
func (e *Env) box(ctx context.Context, t Target) (desktop.Rect, error) {
	el, err := e.boxed(ctx, t)
	if err != nil {
		return desktop.Rect{}, err
	}
	return el.Bounds, nil
}

// boxed is an element, or a window, that takes up an area.
func (e *Env) boxed(ctx context.Context, t Target) (*desktop.Element, error) {
	el, _, err := e.aim(ctx, t, need{})
	if err == nil && el.Bounds.Empty() {
		err = notReady(el, "takes up no room on the screen", "scroll it into view with scroll_element")
	}
	return el, err
}

// monitorOf is the monitor that shows the middle of an area, or the first.
func monitorOf(monitors []desktop.Monitor, area desktop.Rect) desktop.Rect {
	for _, m := range monitors {
		if m.Bounds.Contains(area.Center()) || area.Empty() && m.Primary {
			return m.Bounds
		}
	}
	return desktop.Rect{}
}

// bounds is the area of all monitors together.
func bounds(monitors []desktop.Monitor) desktop.Rect {
	var all image.Rectangle
	for _, m := range monitors {
		all = all.Union(m.Bounds.Image())
	}
	return desktop.RectOf(all)
}

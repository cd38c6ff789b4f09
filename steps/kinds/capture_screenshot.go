package kinds

import (
	"cmp"
	"context"
	"fmt"

	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/steps"
	"understudy/steps/aim"
	"understudy/steps/observe"
)

// CaptureScreenshot keeps a picture of the screen or a part of it.
var CaptureScreenshot = steps.Define(steps.Kind{
	Name:    "capture_screenshot",
	Summary: "Take a picture of the screen, a window, an element or a region.",
	Toolset: steps.Core,
	Reads:   true,
	Picture: steps.IsPicture,
}, ScreenshotArgs{Target: aim.DefaultTarget, MaxDimension: 1920, LookOptions: observe.DefaultLookOptions}, aim.With(captureScreenshot))

// ScreenshotArgs says what to take a picture of.
type ScreenshotArgs struct {
	aim.Target    `in:"target"`
	Title         string        `json:"title,omitzero" use:"rare" jsonschema:"part of the title of the window to show"`
	Region        *desktop.Rect `json:"region,omitzero" jsonschema:"the area of the screen to show"`
	EntireMonitor bool          `json:"entire_monitor,omitzero" use:"rare" jsonschema:"show the whole monitor that the element or window is on"`
	MaxDimension  steps.Count   `json:"max_dimension,omitzero" use:"rare" jsonschema:"scale the picture down until neither side is longer; 0 keeps its size"`
	observe.LookOptions
}

func (a *ScreenshotArgs) Validate() error {
	if err := checkRegion(a.Region, a.Named() || a.Title != ""); err != nil {
		return err
	}
	if len(a.Selector) > 0 && a.Ref != "" {
		return a.Target.Validate()
	}
	return nil
}

// ScreenshotResult is the stored picture and its place on the screen.
type ScreenshotResult struct {
	URI    string       `json:"uri" jsonschema:"where the picture is kept"`
	Area   desktop.Rect `json:"area" jsonschema:"the area of the screen that it shows"`
	Width  int          `json:"width" jsonschema:"the picture's width in pixels"`
	Height int          `json:"height" jsonschema:"the picture's height in pixels"`
	Scale  float64      `json:"scale" jsonschema:"pixels of the picture for each pixel of the screen"`
	observe.Seen
}

func (r ScreenshotResult) Say() string {
	return fmt.Sprintf("a picture of %dx%d pixels, of the screen's area %s: %s", r.Width, r.Height, r.Area, r.URI)
}

func captureScreenshot(ctx context.Context, hand *aim.Hand, a ScreenshotArgs) (ScreenshotResult, error) {
	area, el, err := a.area(ctx, hand)
	if err != nil {
		return ScreenshotResult{}, err
	}
	if a.EntireMonitor {
		if area, err = aim.MonitorOf(ctx, hand.Desktop, area); err != nil {
			return ScreenshotResult{}, err
		}
	}
	p, area, err := observe.Capture(ctx, hand.Env, area)
	if err != nil {
		return ScreenshotResult{}, err
	}
	small, back := vision.Fit(p, int(a.MaxDimension), 0)
	uri, err := observe.KeepPicture(ctx, hand.Env, small)
	if err != nil {
		return ScreenshotResult{}, err
	}
	seen, err := observe.Look(ctx, hand.Env, a.LookOptions, el)
	return ScreenshotResult{uri, area, small.Rect.Dx(), small.Rect.Dy(), 1 / back, seen}, err
}

// area returns the area of the picture; empty means the whole screen. The element names
// its window, if it is in one.
func (a *ScreenshotArgs) area(ctx context.Context, hand *aim.Hand) (desktop.Rect, *desktop.Element, error) {
	switch {
	case a.Region != nil:
		return *a.Region, nil, nil
	case a.Title != "" || a.Process != "" && len(a.Selector) == 0 && a.WindowSelector == "":
		w, err := aim.FindWindow(ctx, hand.Desktop, aim.WindowTarget{Title: a.Title, Process: a.Process, TimeoutMS: a.TimeoutMS})
		return w.Bounds, &desktop.Element{Window: w.ID, Process: w.Process}, cmp.Or(err, aim.Placed(w))
	case a.Named():
		el, err := aim.ElementWithBox(ctx, hand, a.Target)
		if err != nil {
			return desktop.Rect{}, nil, err
		}
		return el.Bounds, el, nil
	}
	return desktop.Rect{}, nil, nil
}

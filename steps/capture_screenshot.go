package steps

import (
	"errors"

	"understudy/steps/desktop"
)

// CaptureScreenshot keeps a picture of the screen or a part of it.
var CaptureScreenshot = Define[ScreenshotArgs, ScreenshotResult](Kind{
	Name:    "capture_screenshot",
	Summary: "Take a picture of the screen, a window, an element or a region.",
	Details: "Without arguments it shows the whole screen. The picture is kept with the run and named by its address.",
	Toolset: Core,
	Touches: Look,
	Reads:   true,
}, ScreenshotArgs{Target: aimed, MaxDimension: 1920}, nil)

// ScreenshotArgs says what to take a picture of.
type ScreenshotArgs struct {
	Target
	Title         string        `json:"title,omitzero" jsonschema:"part of the title of the window to show"`
	Region        *desktop.Rect `json:"region,omitzero" jsonschema:"the area of the screen to show"`
	EntireMonitor bool          `json:"entire_monitor,omitzero" jsonschema:"show the whole monitor that the element or window is on"`
	MaxDimension  Count         `json:"max_dimension,omitzero" jsonschema:"scale the picture down until neither side is longer; 0 keeps its size"`
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
}

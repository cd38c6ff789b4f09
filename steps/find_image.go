package steps

import (
	"errors"
	"time"

	"understudy/steps/desktop"
)

// likeness is how like a picture a place of the screen must be.
const likeness = 0.9

// FindImage looks for a picture on the screen.
var FindImage = Define[FindImageArgs, FindImageResult](Kind{
	Name:    "find_image",
	Summary: "Look for a picture on the screen; it does not fail when it is not there.",
	Toolset: Vision,
	Touches: Look,
	Reads:   true,
}, FindImageArgs{Sought: Sought{Threshold: likeness}}, nil)

// Sought is a picture and where to look for it.
type Sought struct {
	Within
	Image     Path          `json:"image" jsonschema:"the picture: a PNG file"`
	Threshold float64       `json:"threshold,omitzero" jsonschema:"how like the picture it must be, from 0 to 1"`
	Region    *desktop.Rect `json:"region,omitzero" jsonschema:"look only in this area of the screen"`
}

// Validate wants a threshold that means something.
func (a *Sought) Validate() error {
	if a.Threshold <= 0 || a.Threshold > 1 {
		return errors.New("threshold: wanted more than 0 and at most 1")
	}
	if a.Region != nil && a.Region.Empty() {
		return errors.New("region: the area is empty")
	}
	return nil
}

// FindImageArgs says what to look for.
type FindImageArgs struct {
	Sought
}

// FindImageResult says where the picture is.
type FindImageResult struct {
	Found   bool    `json:"found" jsonschema:"whether it is there, more like the picture than any other place"`
	Matches []Match `json:"matches" jsonschema:"the places that are like it, the best first"`
}

// Match is a place that is like a picture.
type Match struct {
	Area  desktop.Rect  `json:"area" jsonschema:"the area of the screen"`
	At    desktop.Point `json:"at" jsonschema:"its middle"`
	Score float64       `json:"score" jsonschema:"how like the picture it is, from 0 to 1"`
}

// WaitForImage waits until a picture is on the screen, or gone from it.
var WaitForImage = Define[WaitForImageArgs, WaitForImageResult](Kind{
	Name:    "wait_for_image",
	Summary: "Wait until a picture is on the screen, or gone from it.",
	Toolset: Vision,
	Touches: Look,
	Reads:   true,
	Timeout: time.Hour,
}, WaitForImageArgs{Sought: Sought{Threshold: likeness}, TimeoutMS: 10_000}, nil)

// WaitForImageArgs says what to wait for, and how long.
type WaitForImageArgs struct {
	Sought
	Gone      bool   `json:"gone,omitzero" jsonschema:"wait until it is no longer there"`
	TimeoutMS Millis `json:"timeout_ms,omitzero" jsonschema:"how long to wait"`
}

// WaitForImageResult says how long it took.
type WaitForImageResult struct {
	WaitedMS int64  `json:"waited_ms" jsonschema:"how many milliseconds it took"`
	Match    *Match `json:"match,omitzero" jsonschema:"where it is, unless it is gone"`
}

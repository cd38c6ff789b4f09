package kinds

import (
	"context"
	"fmt"
	"time"

	"understudy/steps"
	"understudy/steps/aim"
)

// WaitForImage waits until a picture is on the screen, or gone from it.
var WaitForImage = steps.Define(steps.Kind{
	Name:    "wait_for_image",
	Summary: "Wait until a picture is on the screen, or gone from it.",
	Toolset: steps.Vision,
	Reads:   true,
	Checks:  true,
	Timeout: time.Hour,
}, WaitForImageArgs{Sought: Sought{Threshold: aim.Likeness}, TimeoutMS: 10_000}, aim.With(waitForImage))

// WaitForImageArgs says what to wait for, and how long.
type WaitForImageArgs struct {
	Sought
	Gone      bool         `json:"gone,omitzero" jsonschema:"wait until it is no longer there"`
	TimeoutMS steps.Millis `json:"timeout_ms,omitzero" jsonschema:"how long to wait"`
}

// WaitForImageResult says how long it took.
type WaitForImageResult struct {
	WaitedMS int64  `json:"waited_ms" jsonschema:"how many milliseconds it took"`
	Match    *Match `json:"match,omitzero" jsonschema:"where it is, unless it is gone"`
}

func waitForImage(ctx context.Context, hand *aim.Hand, a WaitForImageArgs) (WaitForImageResult, error) {
	start := time.Now()
	var r WaitForImageResult
	err := aim.WaitUntil(ctx, a.TimeoutMS.Std(), func(ctx context.Context) error {
		s, err := a.look(ctx, hand)
		if err != nil {
			return err
		}
		if a.Gone {
			return s.None()
		}
		if _, err = s.One(); err == nil {
			m := matchOf(s.Places[0])
			r.Match = &m
		}
		return err
	})
	r.WaitedMS = time.Since(start).Milliseconds()
	switch steps.CodeOf(err) {
	case steps.NotFound, steps.Unexpected:
		if ctx.Err() == nil {
			wanted := map[bool]string{true: "gone", false: "there"}[a.Gone]
			err = steps.AsError(err).With(steps.Timeout, fmt.Errorf("the picture is not %s: %w", wanted, err))
		}
	}
	return r, err
}

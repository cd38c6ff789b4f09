package kinds

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// WaitForIdle waits until the screen stands still.
var WaitForIdle = steps.Define(steps.Kind{
	Name:    "wait_for_idle",
	Summary: "Wait until nothing moves on the screen, or in a part of it.",
	Toolset: steps.Vision,
	Reads:   true,
	Timeout: time.Hour,
}, IdleArgs{IdleMS: 500, TimeoutMS: 10_000}, aim.With(waitForIdle))

// IdleArgs says where nothing may move, and how long.
type IdleArgs struct {
	aim.Within
	Region    *desktop.Rect `json:"region,omitzero" jsonschema:"watch only this area of the screen"`
	IdleMS    steps.Millis  `json:"idle_ms,omitzero" jsonschema:"how long nothing may change"`
	TimeoutMS steps.Millis  `json:"timeout_ms,omitzero" jsonschema:"how long to wait for that"`
}

func (a *IdleArgs) Validate() error {
	if a.IdleMS >= a.TimeoutMS {
		return errors.New("timeout_ms: wanted more than idle_ms")
	}
	return checkRegion(a.Region, false)
}

// IdleResult says how long it took.
type IdleResult struct {
	WaitedMS int64 `json:"waited_ms" jsonschema:"how many milliseconds it took"`
	Changes  int   `json:"changes" jsonschema:"how often the picture changed meanwhile"`
}

func waitForIdle(ctx context.Context, hand *aim.Hand, a IdleArgs) (IdleResult, error) {
	area, err := a.area(ctx, hand)
	if err != nil {
		return IdleResult{}, err
	}
	start := time.Now()
	var r IdleResult
	var last []byte
	var since time.Time
	err = aim.WaitUntil(ctx, a.TimeoutMS.Std(), func(ctx context.Context) error {
		p, err := hand.Desktop.Capture(ctx, area)
		if err != nil {
			return fmt.Errorf("taking a picture: %w", err)
		}
		if !bytes.Equal(last, p.Pix) {
			if last != nil {
				r.Changes++
			}
			last, since = p.Pix, time.Now()
		}
		if time.Since(since) < a.IdleMS.Std() {
			return &steps.Error{Code: steps.Timeout, Err: fmt.Errorf("something still moves on the screen: the picture changed %d times", r.Changes), Next: "watch a smaller region, or wait for an element instead"}
		}
		return nil
	})
	r.WaitedMS = time.Since(start).Milliseconds()
	return r, err
}

// area returns the area in which nothing may move: the region, or the named window.
func (a *IdleArgs) area(ctx context.Context, hand *aim.Hand) (desktop.Rect, error) {
	if a.Region != nil {
		return *a.Region, nil
	}
	if a.Within == (aim.Within{}) {
		return desktop.Rect{}, nil
	}
	el, _, err := aim.At(ctx, hand, aim.Target{Within: a.Within, TimeoutMS: a.TimeoutMS}, aim.Requirement{})
	if err != nil {
		return desktop.Rect{}, err
	}
	return el.Bounds, nil
}

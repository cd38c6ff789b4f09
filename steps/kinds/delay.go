package kinds

import (
	"context"
	"errors"
	"time"

	"understudy/steps"
)

// Delay waits.
var Delay = steps.Define(steps.Kind{
	Name:    "delay",
	Summary: "Wait for a fixed time. Prefer wait_for_element, which waits for what is needed and no longer.",
	Toolset: steps.Flow,
	Reads:   true,
	Timeout: 24 * time.Hour,
}, DelayArgs{}, delay)

// DelayArgs says how long to wait.
type DelayArgs struct {
	DelayMS  *int            `json:"delay_ms,omitzero" jsonschema:"how many milliseconds to wait"`
	Duration *steps.Duration `json:"duration,omitzero" jsonschema:"how long to wait, such as 500ms or 2s"`
}

func (a *DelayArgs) Validate() error {
	if (a.DelayMS == nil) == (a.Duration == nil) {
		return errors.New("wanted either delay_ms or duration")
	}
	if a.DelayMS != nil && *a.DelayMS < 0 {
		return errors.New("delay_ms is negative")
	}
	return nil
}

// DelayResult says how long it waited.
type DelayResult struct {
	DelayedMS int64 `json:"delayed_ms" jsonschema:"how many milliseconds it waited"`
}

func delay(ctx context.Context, _ *steps.Env, a DelayArgs) (DelayResult, error) {
	var d time.Duration
	if a.DelayMS != nil {
		d = steps.Millis(*a.DelayMS).Std()
	} else {
		d = a.Duration.Std()
	}
	return DelayResult{d.Milliseconds()}, steps.Sleep(ctx, d)
}

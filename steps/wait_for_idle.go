package steps

import (
	"errors"
	"time"

	"understudy/steps/desktop"
)

// WaitForIdle waits until the screen stands still.
var WaitForIdle = Define[IdleArgs, IdleResult](Kind{
	Name:    "wait_for_idle",
	Summary: "Wait until nothing moves on the screen, or in a part of it.",
	Toolset: Vision,
	Touches: Look,
	Reads:   true,
	Timeout: time.Hour,
}, IdleArgs{IdleMS: 500, TimeoutMS: 10_000}, nil)

// IdleArgs says where nothing may move, and how long.
type IdleArgs struct {
	Within
	Region    *desktop.Rect `json:"region,omitzero" jsonschema:"watch only this area of the screen"`
	IdleMS    Millis        `json:"idle_ms,omitzero" jsonschema:"how long nothing may change"`
	TimeoutMS Millis        `json:"timeout_ms,omitzero" jsonschema:"how long to wait for that"`
}

// Validate wants times that fit each other.
func (a *IdleArgs) Validate() error {
	if a.IdleMS >= a.TimeoutMS {
		return errors.New("timeout_ms: wanted more than idle_ms")
	}
	if a.Region != nil && a.Region.Empty() {
		return errors.New("region: the area is empty")
	}
	return nil
}

// IdleResult says how long it took.
type IdleResult struct {
	WaitedMS int64 `json:"waited_ms" jsonschema:"how many milliseconds it took"`
	Changes  int   `json:"changes" jsonschema:"how often the picture changed meanwhile"`
}

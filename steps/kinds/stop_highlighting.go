package kinds

import (
	"context"

	"understudy/internal/desktop"
	"understudy/steps"
)

// StopHighlighting removes the frames.
var StopHighlighting = steps.Define(steps.Kind{
	Name:       "stop_highlighting",
	Summary:    "Remove the frames that highlight_element drew.",
	Toolset:    steps.Desktop,
	Touches:    steps.Look,
	Idempotent: true,
}, steps.NoArgs{}, stopHighlighting)

func stopHighlighting(ctx context.Context, env *steps.Env, _ steps.NoArgs) (steps.NoResult, error) {
	return steps.NoResult{}, env.Desktop.Do(ctx, desktop.Unmark{})
}

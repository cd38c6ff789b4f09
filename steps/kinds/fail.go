package kinds

import (
	"context"

	"understudy/steps"
)

// Fail fails.
var Fail = steps.Define(steps.Kind{
	Name:    "fail",
	Summary: "Fail with a message.",
	Toolset: steps.Flow,
	Reads:   true,
}, FailArgs{Message: "the workflow asked for this failure"}, fail)

// FailArgs says what to fail with.
type FailArgs struct {
	Message string `json:"message,omitzero" jsonschema:"what went wrong and what to do next"`
}

func fail(_ context.Context, _ *steps.Env, a FailArgs) (steps.NoResult, error) {
	return steps.NoResult{}, steps.Errorf(steps.Unexpected, "%s", a.Message)
}

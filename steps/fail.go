package steps

import "context"

// Fail fails.
var Fail = Define(Kind{
	Name:    "fail",
	Summary: "Fail with a message.",
	Toolset: Flow,
	Reads:   true,
}, FailArgs{Message: "the workflow asked for this failure"}, fail)

// FailArgs says what to fail with.
type FailArgs struct {
	Message string `json:"message,omitzero" jsonschema:"what went wrong and what to do next"`
}

func fail(_ context.Context, _ *Env, a FailArgs) (NoResult, error) {
	return NoResult{}, Errorf(Unexpected, "%s", a.Message)
}

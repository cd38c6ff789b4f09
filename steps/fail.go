package steps

// Fail fails.
var Fail = Define[FailArgs, NoResult](Kind{
	Name:    "fail",
	Summary: "Fail with a message.",
	Toolset: Flow,
	Reads:   true,
}, FailArgs{Message: "the workflow asked for this failure"}, nil)

// FailArgs says what to fail with.
type FailArgs struct {
	Message string `json:"message,omitzero" jsonschema:"what went wrong and what to do next"`
}

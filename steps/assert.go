package steps

// Assert fails when something is not so.
var Assert = Define[AssertArgs, AssertResult](Kind{
	Name:    "assert",
	Summary: "Fail when a condition does not hold.",
	Toolset: Flow,
	Reads:   true,
}, AssertArgs{}, nil)

// AssertArgs is a condition and what to say when it does not hold.
type AssertArgs struct {
	Condition Expression `json:"condition" jsonschema:"the expression that must hold, such as check_result.exists"`
	Message   string     `json:"message,omitzero" jsonschema:"what to say when it does not hold"`
}

// AssertResult says that it held.
type AssertResult struct {
	Held bool `json:"held" jsonschema:"true"`
}

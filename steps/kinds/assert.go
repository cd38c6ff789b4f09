package kinds

import (
	"cmp"
	"context"

	"understudy/steps"
)

// Assert fails when a condition does not hold.
var Assert = steps.Define(steps.Kind{
	Name:    "assert",
	Summary: "Fail when a condition does not hold.",
	Toolset: steps.Flow,
	Reads:   true,
	Checks:  true,
}, AssertArgs{}, assert)

// AssertArgs is a condition and the message of the failure.
type AssertArgs struct {
	Condition steps.Expression `json:"condition" jsonschema:"the expression that must hold, such as check_result.exists"`
	Message   string           `json:"message,omitzero" jsonschema:"what to say when it does not hold"`
}

// AssertResult says that it held.
type AssertResult struct {
	Held bool `json:"held" jsonschema:"true"`
}

func assert(_ context.Context, env *steps.Env, a AssertArgs) (AssertResult, error) {
	held, err := truth(env, a.Condition)
	if err != nil {
		return AssertResult{}, err
	}
	if !held {
		return AssertResult{}, steps.Errorf(steps.Unexpected, "%s", cmp.Or(a.Message, "the condition does not hold"))
	}
	return AssertResult{Held: true}, nil
}

// truth reports whether a value counts as true, by the rules of conditions. Any other
// text is an error: it is probably an expression that was not evaluated, and to take it
// for true would be a false success.
func truth(env *steps.Env, v any) (bool, error) {
	switch v := v.(type) {
	case nil:
		return false, nil
	case bool:
		return v, nil
	case float64:
		return v != 0, nil
	case []any:
		return len(v) > 0, nil
	case map[string]any:
		return len(v) > 0, nil
	case string:
		switch v {
		case "", "false", "0":
			return false, nil
		case "true", "1":
			return true, nil
		}
	}
	return false, steps.Errorf(steps.Invalid, "condition: wanted true or false, found %s", env.Quote(v)).
		WithNext("write a condition that compares, such as name == 'x'")
}

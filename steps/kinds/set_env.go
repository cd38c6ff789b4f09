package kinds

import (
	"context"
	"errors"

	"understudy/steps"
)

// SetEnv sets values that later steps read.
var SetEnv = steps.Define(steps.Kind{
	Name:    "set_env",
	Summary: "Set values that later steps read as env.NAME.",
	Toolset: steps.Flow,
	Reads:   true,
}, SetEnvArgs{}, setEnv)

// SetEnvArgs are the values.
type SetEnvArgs struct {
	Values map[string]any `json:"values" jsonschema:"the values by their names"`
}

// SetEnvResult repeats the values.
type SetEnvResult struct {
	Values map[string]any `json:"values" jsonschema:"the values by their names"`
}

func (r SetEnvResult) SetEnv() map[string]any { return r.Values }

func (a *SetEnvArgs) Validate() error {
	if _, bad := a.Values[""]; bad {
		return errors.New("values: a name is empty")
	}
	return nil
}

func setEnv(_ context.Context, _ *steps.Env, a SetEnvArgs) (SetEnvResult, error) {
	return SetEnvResult(a), nil
}

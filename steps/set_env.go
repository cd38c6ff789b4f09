package steps

// SetEnv sets values that later steps read.
var SetEnv = Define[SetEnvArgs, SetEnvResult](Kind{
	Name:    "set_env",
	Summary: "Set values that later steps read as env.NAME.",
	Toolset: Flow,
	Reads:   true,
}, SetEnvArgs{}, nil)

// SetEnvArgs are the values.
type SetEnvArgs struct {
	Values map[string]any `json:"values" jsonschema:"the values by their names"`
}

// SetEnvResult repeats the values.
type SetEnvResult struct {
	Values map[string]any `json:"values" jsonschema:"the values by their names"`
}

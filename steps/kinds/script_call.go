package kinds

import (
	"context"
	"encoding/json"

	"understudy/steps"
)

// answer makes a call of a script, {"kind": …, "args": {…}}, and returns what the script
// gets: {"result": {…}} or {"error": {"code": …, "message": …}}.
func answer(ctx context.Context, env *steps.Env, call []byte) []byte {
	var asked struct {
		Kind string
		Args map[string]any
	}
	var out steps.Outcome
	if err := json.Unmarshal(call, &asked); err != nil {
		out.Err = steps.Errorf(steps.Invalid, "the script made a call that is not JSON: %w", err)
	} else if env.Call == nil {
		out.Err = steps.Errorf(steps.Unavailable, "there is no desktop for scripts here")
	} else {
		out = env.Call(ctx, asked.Kind, asked.Args)
	}
	said := map[string]any{"result": out.Result}
	if out.Err != nil {
		said = map[string]any{"error": map[string]any{"code": out.Err.Code, "message": asked.Kind + ": " + out.Err.Error()}}
	}
	b, _ := json.Marshal(said) // it came from JSON
	return b
}

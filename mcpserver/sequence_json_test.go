package mcpserver

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"understudy/internal/testing/byhand"
)

func TestSequenceJSON(t *testing.T) {
	good := byhand.Object{"tool_name": "set_env", "id": "a", "arguments": byhand.Object{"values": byhand.Object{"n": 1, "who": "me"}}}
	for _, row := range []struct {
		sentence string
		steps    []any
		status   string
		results  []any
		env      byhand.Object
	}{
		{
			"a run that succeeds",
			[]any{good, byhand.Object{"tool_name": "delay", "if": "false", "arguments": byhand.Object{"delay_ms": 1}}},
			"executed_without_error",
			[]any{[]any{"set_env", 0.0, "executed_without_error", "a", true, ""}, []any{"", 1.0, "skipped", nil, false, ""}},
			byhand.Object{"n": 1.0, "who": "me", "a_status": "executed_without_error"},
		},
		{
			"a run that fails",
			[]any{good, byhand.Object{"tool_name": "fail", "id": "b", "arguments": byhand.Object{"message": "not today"}}},
			"executed_with_error",
			[]any{[]any{"set_env", 0.0, "executed_without_error", "a", true, ""}, []any{"fail", 1.0, "error", "b", true, "not today"}},
			byhand.Object{"n": 1.0, "who": "me", "a_status": "executed_without_error", "b_status": "error"},
		},
		{
			"a run that goes on by a fallback",
			[]any{byhand.Object{"tool_name": "fail", "id": "b", "fallback_id": "a", "arguments": byhand.Object{"message": "not today"}}, good},
			"executed_with_error",
			[]any{[]any{"fail", 0.0, "error", "b", true, "not today"}, []any{"set_env", 1.0, "executed_without_error", "a", true, ""}},
			byhand.Object{"n": 1.0, "who": "me", "a_status": "executed_without_error", "b_status": "error"},
		},
	} {
		t.Run(row.sentence, func(t *testing.T) {
			st := newStage(t, func(o *Options) { o.Structured, o.SequenceJSON = true, true })
			_, res := byhand.Visit(t, modern, st.site().URL+"/mcp").Call(t, "execute_sequence", byhand.Object{"steps": row.steps, "output": "env.who"})
			if byhand.IsError(res) {
				t.Errorf("it is an error: %v", res)
			}
			got, _ := byhand.Dig(res, "result", "structuredContent").(map[string]any)
			var said map[string]any
			if err := json.Unmarshal([]byte(byhand.Said(res)), &said); err != nil || cmp.Diff(got, said) != "" {
				t.Errorf("the text is not the same JSON: %v %s", err, cmp.Diff(got, said))
			}
			if got["action"] != "execute_sequence" || got["status"] != row.status || got["total_tools"] != 2.0 || got["run_id"] == "" {
				t.Errorf("got %v", got)
			}
			if got["used_fallback"] != strings.HasSuffix(row.sentence, "fallback") {
				t.Errorf("used_fallback is %v", got["used_fallback"])
			}
			results, _ := got["results"].([]any)
			var short []any
			for _, r := range results {
				r := r.(map[string]any)
				why, _ := r["error"].(string)
				short = append(short, []any{r["tool_name"], r["index"], r["status"], r["step_id"], r["executed"], why})
			}
			if d := cmp.Diff(row.results, short); d != "" {
				t.Errorf("results (-want +got):\n%s", d)
			}
			env, _ := got["env"].(map[string]any)
			delete(env, "a_result")
			if d := cmp.Diff(row.env, env); d != "" {
				t.Errorf("env (-want +got):\n%s", d)
			}
			if row.status == "executed_without_error" && got["parsed_output"] != "me" {
				t.Errorf("the output is %v", got["parsed_output"])
			}
		})
	}
}

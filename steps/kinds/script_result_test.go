package kinds

import (
	"strings"
	"testing"

	"understudy/steps"

	"github.com/google/go-cmp/cmp"
)

func TestValuesOfScripts(t *testing.T) {
	for _, r := range []struct {
		sentence string
		result   any
		printed  string
		want     map[string]any
		failure  string
	}{
		{"the fields of an object are values", map[string]any{"n": 3.0}, "", map[string]any{"n": 3.0}, ""},
		{"those of a string of JSON too", `{"exists": true}`, "", map[string]any{"exists": true}, ""},
		{"a string that is no JSON sets nothing", "{done", "", map[string]any{}, ""},
		{"set_env and env are spread", map[string]any{"set_env": map[string]any{"a": 1.0}, "env": map[string]any{"b": 2.0}}, "", map[string]any{"a": 1.0, "b": 2.0}, ""},
		{"a printed line sets a value", nil, "hi\n::set-env name=FOO::b a::r\n", map[string]any{"FOO": "b a::r"}, ""},
		{"what is returned counts before what is printed", map[string]any{"FOO": 1.0}, "::set-env name=FOO::2", map[string]any{"FOO": 1.0}, ""},
		{"the status failed is a failure", map[string]any{"status": "failed", "error": "no customer"}, "", map[string]any{}, "status failed: no customer"},
		{"so is error, in a string of JSON", `{"status": "error", "message": "gone"}`, "", map[string]any{"message": "gone"}, "status error: gone"},
		{"another status is none", map[string]any{"status": "pending"}, "", map[string]any{}, ""},
		{"nor is one that is no word", map[string]any{"status": 500.0}, "", map[string]any{}, ""},
	} {
		t.Run(r.sentence, func(t *testing.T) {
			if diff := cmp.Diff(r.want, valuesOf(r.result, r.printed)); diff != "" {
				t.Error(diff)
			}
			err := reported(r.result)
			if (err != nil) != (r.failure != "") || err != nil && !strings.Contains(err.Error(), r.failure) {
				t.Errorf("got the failure %v, want %q", err, r.failure)
			}
		})
	}
}

func TestTextsOfJSONForScripts(t *testing.T) {
	names, _, _ := scriptValues(&steps.Env{}, map[string]any{"rows": `[{"a": 1}]`, steps.TemplateVariable + "1": "{}"})
	want := map[string]any{"rows": []any{map[string]any{"a": 1.0}}, steps.TemplateVariable + "1": "{}"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}

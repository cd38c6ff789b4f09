package expression

import (
	"context"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func schemaOf[T any](t testing.TB) *jsonschema.Schema {
	t.Helper()
	s, err := jsonschema.For[T](nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

type checkResult struct {
	Exists bool     `json:"exists"`
	Count  int      `json:"count"`
	Label  *string  `json:"label,omitempty"`
	Items  []string `json:"items"`
	At     struct {
		X int `json:"x"`
	} `json:"at"`
}

// acting is the result of a step that may read back what it brought about.
var acting = &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"checked": {Type: "string"}}}

// testNames is a place in a loop, after four steps, with typed results.
func testNames(t testing.TB) *Names {
	return &Names{
		Inputs: map[string]*jsonschema.Schema{
			"name": {Type: "string"}, "quote": {Type: "string"}, "ten": {Type: "string"},
			"count": {Type: "number"}, "zero": {Type: "number"}, "yes": {Type: "boolean"}, "no": {Type: "boolean"},
			"list": {Type: "array", Items: &jsonschema.Schema{Type: "number"}}, "people": nil, "object": nil,
			"empty": nil, "any": nil, "missing": nil, "text": {Type: "string"}, "len": {Type: "string"},
			"steps": {Type: "string"}, "is-new": {Type: "boolean"}, "true": nil, "contains": nil, "dup": nil,
		},
		Selectors: []string{"save", "save-as"},
		Steps: map[string]*jsonschema.Schema{
			"click": acting, "old": acting, "typed": acting,
			"check": schemaOf[checkResult](t), "failed": nil, "my-step": nil, "my": nil, "never": schemaOf[checkResult](t),
		},
		Loops:  []Loop{{As: "row"}, {As: "line", Element: &jsonschema.Schema{Type: "object", Properties: map[string]*jsonschema.Schema{"text": {Type: "string"}}}}},
		Screen: true,
	}
}

func testScope() *Scope {
	return &Scope{
		Inputs: map[string]any{
			"name": "Ann", "quote": "it's", "ten": "10", "count": 3.0, "zero": 0.0, "yes": true, "no": false,
			"list":   []any{1.0, 2.0, 3.0},
			"people": []any{map[string]any{"name": "Ann", "age": 30.0}, map[string]any{"name": "Bob", "age": "41"}},
			"object": map[string]any{"a": map[string]any{"b": 1.0}, "k-1": "v"},
			"empty":  "", "any": "x && y", "missing": nil, "text": "hello", "len": "long", "steps": "shadowed",
			"is-new": true, "true": "odd", "contains": "held", "dup": []any{"a", "a", 1.0, true, nil},
		},
		Env:       map[string]any{"TOKEN": "t0"},
		Selectors: map[string]any{"save": "role:button && name:Save", "save-as": "name:As"},
		Steps: map[string]StepScope{
			"check": {Status: "success", Attempts: 2, Result: map[string]any{
				"exists": true, "count": 4.0, "items": []any{"a", "b"}, "at": map[string]any{"x": 7.0},
			}},
			"typed": {Status: "success", Result: map[string]any{"checked": "yes"}}, "click": {Status: "success", Result: map[string]any{}}, "old": {Status: "success", Result: map[string]any{"verified": true}},
			"failed":  {Status: "error", Attempts: 1, Error: map[string]any{"code": "not_found", "message": "no such element"}},
			"my-step": {Status: "skipped", Result: 12.0},
			"my":      {Status: "success", Result: 20.0},
		},
		Run:   RunScope{ID: "r1", Attempt: 2, Workflow: "demo"},
		Loops: []LoopScope{{As: "row", Value: 5.0, Index: 1}, {As: "line", Value: map[string]any{"text": "one"}, Index: 4}},
	}
}

// screen is a desktop where one selector exists.
type screen struct{}

func (screen) Exists(_ context.Context, selector string) (bool, error) {
	return selector == "role:button && name:Save", nil
}

func (screen) Text(_ context.Context, selector string) (string, error) {
	return "Total: 12 " + selector, nil
}

func mustCompile(t testing.TB, text string, n *Names) *Expr {
	t.Helper()
	e, problems := Compile(text, n)
	for _, p := range problems {
		t.Fatalf("%s\nat %d+%d: %v", text, p.Offset, p.Length, p)
	}
	return e
}

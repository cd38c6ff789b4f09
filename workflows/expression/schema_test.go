package expression

import (
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestSchemasSayWhichFieldsExist(t *testing.T) {
	text := &jsonschema.Schema{Type: "string"}
	fields := map[string]*jsonschema.Schema{"a": text}
	for _, r := range []struct {
		sentence string
		schema   *jsonschema.Schema
		text     string
		ok       bool
	}{
		{"no schema, any field", nil, "v.b.c", true},
		{"an object without fields has any", &jsonschema.Schema{Type: "object"}, "v.b", true},
		{"declared fields are all there are", &jsonschema.Schema{Type: "object", Properties: fields}, "v.b", false},
		{"a declared field", &jsonschema.Schema{Type: "object", Properties: fields}, "v.a", true},
		{"the field of a field that is a string", &jsonschema.Schema{Type: "object", Properties: fields}, "v.a.b", false},
		{"additional fields are allowed", &jsonschema.Schema{Type: "object", Properties: fields, AdditionalProperties: &jsonschema.Schema{}}, "v.b", true},
		{"additional fields are refused", &jsonschema.Schema{Type: "object", AdditionalProperties: &jsonschema.Schema{Not: &jsonschema.Schema{}}}, "v.b", false},
		{"an object or null", &jsonschema.Schema{Types: []string{"null", "object"}, Properties: fields}, "v.b", false},
		{"a string or a number", &jsonschema.Schema{Types: []string{"string", "number"}}, "v + 1", true},
		{"the elements of a list", &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object", Properties: fields}}, "v[0].b", false},
		{"in a predicate", &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "object", Properties: fields}}, "any(v, .b == 1)", false},
		{"a field by a computed name", &jsonschema.Schema{Type: "object", Properties: fields}, "v['a' + 'b']", true},
		{"integers are numbers", &jsonschema.Schema{Type: "integer"}, "v + 0.5", true},
		{"a number has no letters", &jsonschema.Schema{Type: "integer"}, "upper(v)", false},
		{"a reference may be anything", &jsonschema.Schema{Ref: "#/$defs/x"}, "v.b", true},
		{"any of several may be anything", &jsonschema.Schema{AnyOf: []*jsonschema.Schema{text}}, "v.b", true},
	} {
		t.Run(r.sentence, func(t *testing.T) {
			_, problems := Compile(r.text, &Names{Inputs: map[string]*jsonschema.Schema{"v": r.schema}})
			if (problems == nil) != r.ok {
				t.Errorf("%s: got %v", r.text, problems)
			}
		})
	}
}

func TestASchemaThatContainsItself(t *testing.T) {
	node := &jsonschema.Schema{Type: "object"}
	node.Properties = map[string]*jsonschema.Schema{"next": node}
	for text, ok := range map[string]bool{"v.next.next.next": true, "v.next.nxt": false} {
		if _, problems := Compile(text, &Names{Inputs: map[string]*jsonschema.Schema{"v": node}}); (problems == nil) != ok {
			t.Errorf("%s: got %v", text, problems)
		}
	}
}

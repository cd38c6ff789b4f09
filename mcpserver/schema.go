package mcpserver

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/engine"
	"understudy/internal/operations"
	"understudy/workflows"
)

// rarelyUsed lists fields that many results have only on request.
var rarelyUsed = []string{"screenshots", "screenshot_areas", "not_seen", "has_ui_changes", "ui_diff", "ui_tree"}

// shallow reduces a schema to the names and types of its fields. Clients can still
// validate results, and a model that is shown all tools need not read the inner types.
func shallow(s *jsonschema.Schema) *jsonschema.Schema {
	out := &jsonschema.Schema{Type: "object", Required: s.Required}
	if len(s.Properties) == 0 {
		return out
	}
	out.Properties = make(map[string]*jsonschema.Schema, len(s.Properties))
	for name, p := range s.Properties {
		if slices.Contains(rarelyUsed, name) && !slices.Contains(s.Required, name) {
			continue
		}
		out.Properties[name] = &jsonschema.Schema{Type: p.Type, Types: p.Types}
		if p.Type == "" && len(p.Types) == 0 {
			out.Properties[name] = anyValue()
		}
	}
	return out
}

// anyValue returns a schema that accepts every value. It is an object, as protocol
// versions before 2026-07-28 require, not just true.
func anyValue() *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"null", "boolean", "number", "string", "array", "object"}}
}

// runSchema returns the result schema of the tools for runs. It is shallow on purpose:
// models read it many times.
func runSchema() *jsonschema.Schema {
	return &jsonschema.Schema{
		Type: "object", Required: []string{"run_id", "status"},
		Properties: map[string]*jsonschema.Schema{
			"run_id": {Type: "string"}, "status": {Type: "string"}, "output": anyValue(), "error": {Types: []string{"object", "null"}},
			"resume_from": {Type: "string"}, "question": {Type: "object"},
			"steps": {Type: "array", Items: &jsonschema.Schema{Type: "object"}},
		},
	}
}

// listOf returns the schema of an object that holds a list of objects.
func listOf(name string) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "object", Required: []string{name}, Properties: map[string]*jsonschema.Schema{
		name: {Type: "array", Items: &jsonschema.Schema{Type: "object"}},
	}}
}

// schemaFor returns the schema of a type; optional fields may be null.
func schemaFor[T any]() *jsonschema.Schema { return schemaOf(reflect.TypeFor[T]()) }

func schemaOf(t reflect.Type) *jsonschema.Schema {
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{TypeSchemas: typeSchemas})
	if err != nil {
		panic(fmt.Sprintf("mcpserver: schema of %s: %v", t, err))
	}
	return s
}

// typeSchemas are the schemas of types that reflection cannot determine.
var typeSchemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[engine.Status]():       {Type: "string", Enum: []any{"queued", "running", "waiting", "paused", "succeeded", "failed", "cancelled", "interrupted"}},
	reflect.TypeFor[workflows.Verbosity](): {Type: "string", Description: "how much to tell", Enum: []any{"quiet", "normal", "verbose"}},
	reflect.TypeFor[recordAction]():        {Type: "string", Enum: []any{recordStart, recordStop, recordStatus, recordFromRuns}},
	reflect.TypeFor[operations.Period]():   {Type: "string"},
	reflect.TypeFor[decision]():            {Type: "string", Enum: []any{engine.Redo, engine.SkipStep}},
	reflect.TypeFor[resumption]():          {Type: "string", Enum: []any{engine.Redo, engine.SkipStep, engine.DoneByHand}},
}

package steps

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/desktop"
)

// schemaOf derives the schema of a Go type. An Enum lists its words; what else the type
// system cannot express is in typeSchemas.
func schemaOf[T any]() *jsonschema.Schema {
	known := maps.Clone(typeSchemas)
	addEnums(known, reflect.TypeFor[T]())
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: known})
	if err != nil {
		panic(fmt.Sprintf("steps: schema of %T: %v", *new(T), err))
	}
	return s
}

// argsOf returns the schema of arguments, without the type null: a null for an optional
// argument means that it is absent.
func argsOf[T any]() *jsonschema.Schema {
	s := schemaOf[T]()
	for _, p := range s.Properties {
		if i := slices.Index(p.Types, "null"); i >= 0 {
			p.Types = slices.Delete(p.Types, i, i+1)
		}
		if len(p.Types) == 1 {
			p.Type, p.Types = p.Types[0], nil
		}
	}
	return s
}

var typeSchemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[desktop.Button](): enum("left", "middle", "right"),
	reflect.TypeFor[desktop.Key]():    {Type: "string", Format: "key"},
	reflect.TypeFor[Millis]():         {Type: "integer", Minimum: new(float64)},
	reflect.TypeFor[Count]():          {Type: "integer", Minimum: new(float64)},
	reflect.TypeFor[Value]():          {Types: []string{"string", "number", "boolean"}},
	reflect.TypeFor[Selectors]():      {Types: []string{"string", "array"}, Format: "selectors", Items: &jsonschema.Schema{Type: "string", Format: "selector"}},
	reflect.TypeFor[SelectorList]():   {Types: []string{"string", "array"}, Format: "selector", Items: &jsonschema.Schema{Type: "string", Format: "selector"}},
	reflect.TypeFor[Command]():        {Type: "string", Format: "shell"},
	reflect.TypeFor[Duration]():       {Types: []string{"string", "number"}, Format: "duration"},
	reflect.TypeFor[Selector]():       {Type: "string", Format: "selector"},
	reflect.TypeFor[Keys]():           {Type: "string", Format: "keys"},
	reflect.TypeFor[Path]():           {Type: "string", Format: "path"},
	reflect.TypeFor[Pattern]():        {Type: "string", Format: "regex"},
	reflect.TypeFor[Expression]():     {Format: "expression"},
	reflect.TypeFor[desktop.States](): {Type: "array", Items: &jsonschema.Schema{Type: "string"}},
	reflect.TypeFor[desktop.Element](): {
		Type: "object", // it nests, which a derived schema cannot
		Properties: map[string]*jsonschema.Schema{
			"ref": {Type: "string"}, "role": {Type: "string"}, "name": {Type: "string"}, "text": {Type: "string"},
			"label": {Type: "string"}, "id": {Type: "string"}, "process": {Type: "string"}, "window_title": {Type: "string"},
			"bounds": {Type: "object"}, "states": {Type: "array"}, "value": {Type: "object"}, "children": {Type: "array"},
		},
	},
}

func enum(words ...string) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range words {
		s.Enum = append(s.Enum, w)
	}
	return s
}

// An Enum is the type of an argument with a few valid words.
type Enum interface{ Words() []string }

// addEnums adds the schemas of the enumerations that a type is made of.
func addEnums(known map[reflect.Type]*jsonschema.Schema, t reflect.Type) {
	if known[t] != nil {
		return
	}
	if e, ok := reflect.Zero(t).Interface().(Enum); ok {
		known[t] = enum(e.Words()...)
		return
	}
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		addEnums(known, t.Elem())
	case reflect.Struct:
		for f := range t.Fields() {
			addEnums(known, f.Type)
		}
	}
}

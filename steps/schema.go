package steps

import (
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/steps/desktop"
)

// schemaOf derives the schema of a Go type. What the type system cannot say
// (the words of an enumeration, the format of a string) stands in typeSchemas.
func schemaOf[T any]() *jsonschema.Schema {
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: typeSchemas})
	if err != nil {
		panic(fmt.Sprintf("steps: schema of %T: %v", *new(T), err))
	}
	return s
}

// Selector is a selector in an argument.
type Selector string

// Keys is a list of keys in an argument: "ctrl+s", "{Tab}{Tab}".
type Keys string

// Expression is an expression in an argument.
type Expression string

// Path is a file's path in an argument.
type Path string

// Pattern is a regular expression in an argument.
type Pattern string

var typeSchemas = map[reflect.Type]*jsonschema.Schema{
	reflect.TypeFor[desktop.Button](): enum("left", "middle", "right"),
	reflect.TypeFor[Duration]():       {Types: []string{"string", "number"}, Format: "duration"},
	reflect.TypeFor[Selector]():       {Type: "string", Format: "selector"},
	reflect.TypeFor[Keys]():           {Type: "string", Format: "keys"},
	reflect.TypeFor[Path]():           {Type: "string", Format: "path"},
	reflect.TypeFor[Pattern]():        {Type: "string", Format: "regex"},
	reflect.TypeFor[Expression]():     {Type: "string", Format: "expression"},
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

func enum(words ...any) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Enum: words}
}

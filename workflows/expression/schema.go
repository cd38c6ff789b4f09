package expression

import (
	"reflect"

	"github.com/expr-lang/expr/types"
	"github.com/google/jsonschema-go/jsonschema"
)

// maxSchemaDepth bounds how deep fields are checked at load; deeper ones may be
// anything.
const maxSchemaDepth = 12

// typeOf is what the values of a schema look like to an expression. Whatever
// it does not understand may be anything, so that nothing right is refused.
func typeOf(s *jsonschema.Schema) types.Type { return typeAt(s, 0) }

func typeAt(s *jsonschema.Schema, depth int) types.Type {
	if s == nil || depth > maxSchemaDepth {
		return types.Any
	}
	switch soleType(s) {
	case "string":
		return types.String
	case "number", "integer":
		return types.Float64
	case "boolean":
		return types.Bool
	case "array":
		return types.Array(typeAt(s.Items, depth+1))
	case "object":
		return objectType(s, depth)
	}
	return types.Any
}

// soleType is the one type of a schema, apart from null, or "".
func soleType(s *jsonschema.Schema) string {
	if s.Type != "" {
		return s.Type
	}
	found := ""
	for _, t := range s.Types {
		switch {
		case t == "null":
		case found != "":
			return ""
		default:
			found = t
		}
	}
	return found
}

// objectType knows the fields of an object. One that declares fields has no
// others, unless its schema says which.
func objectType(s *jsonschema.Schema, depth int) types.Type {
	fields := types.Map{}
	for name, p := range s.Properties {
		fields[name] = typeAt(p, depth+1)
	}
	refusesMore := s.AdditionalProperties != nil && isFalse(s.AdditionalProperties)
	declared := len(s.Properties) > 0 && s.AdditionalProperties == nil && len(s.PatternProperties) == 0
	if !refusesMore && !declared {
		fields[types.Extra] = types.Any
	}
	return fields
}

// isFalse says whether a schema accepts nothing.
func isFalse(s *jsonschema.Schema) bool {
	return s.Not != nil && reflect.DeepEqual(s.Not, &jsonschema.Schema{})
}

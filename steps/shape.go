package steps

import (
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Schema is the schema of arguments or of a result.
type Schema = jsonschema.Schema

// A shape is what the types of a kind's arguments and results tell. It is derived when it is first
// wanted: most commands want that of no kind.
type shape struct {
	args, result *jsonschema.Schema
	defaults     map[string]any

	rare, typed, old []string

	fields  *jsonschema.Schema           // args without groups
	members map[string]member            // the fields that are written in groups
	groups  map[string]map[string]string // of each group, the field of each member
}

func shapeOf[A, R any](defaults A) *shape {
	s := &shape{fields: argsOf[A](), result: schemaOf[R](), members: map[string]member{}, groups: map[string]map[string]string{}}
	s.readTags(reflect.TypeFor[A](), "")
	s.defaults = s.gather(defaultsOf(defaults, s.fields))
	s.args = s.grouped(s.fields)
	return s
}

// shape returns the shape of a kind, or an empty one if it was not made by Define.
func (k Kind) shape() *shape {
	if k.derived == nil {
		return &shape{}
	}
	return k.derived()
}

// Args returns the schema of the arguments as they are written, with groups.
func (k Kind) Args() *jsonschema.Schema { return k.shape().args }

// Result returns the schema of the result.
func (k Kind) Result() *jsonschema.Schema { return k.shape().result }

// Defaults returns the default values of the arguments.
func (k Kind) Defaults() map[string]any { return k.shape().defaults }

// hasField reports whether a struct, or one that it embeds, has a field that JSON calls by a name.
func hasField(t reflect.Type, name string) bool {
	return t.Kind() == reflect.Struct && slices.ContainsFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool {
		called, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		return called == name
	})
}

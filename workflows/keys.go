package workflows

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// A fieldType is a value that is not looked into any further by the shape of the
// document.
type fieldType interface {
	// read keeps a value, and reports when it is not one that may stand here.
	read(v *value, k *key, r *report)
	// schema says which values may.
	schema(k *key) *jsonschema.Schema
}

// key is the declaration of one key of an object.
type key struct {
	name     string
	doc      string
	words    []string
	min, max *float64
	whole    bool
	required bool
	form     string   // the form of a step that this key stands for
	of       []string // the forms of a step that may have it; nil: all
	index    int      // of the field
}

// keysOf reads the declaration of a type's keys.
func keysOf(t reflect.Type) []*key {
	var keys []*key
	for i := range t.NumField() {
		f := t.Field(i)
		name := f.Tag.Get("json")
		if name == "" {
			continue
		}
		keys = append(keys, &key{
			name: name, doc: f.Tag.Get("doc"), index: i,
			words: split(f.Tag.Get("words")), of: split(f.Tag.Get("of")), form: f.Tag.Get("form"),
			min: bound(f.Tag.Get("min")), max: bound(f.Tag.Get("max")),
			whole: f.Tag.Get("whole") != "", required: f.Tag.Get("required") != "",
		})
	}
	return keys
}

func split(s string) []string {
	if s == "" {
		return nil
	}
	return strings.Split(s, ",")
}

func bound(s string) *float64 {
	if s == "" {
		return nil
	}
	n, err := strconv.ParseFloat(s, 64)
	if err != nil {
		panic(err)
	}
	return &n
}

var declared = keysOfAll(
	reflect.TypeFor[document](), reflect.TypeFor[step](), reflect.TypeFor[retry](),
	reflect.TypeFor[jump](), reflect.TypeFor[variable](), reflect.TypeFor[call](),
)

func keysOfAll(types ...reflect.Type) map[reflect.Type][]*key {
	all := map[reflect.Type][]*key{}
	for _, t := range types {
		all[t] = keysOf(t)
	}
	return all
}

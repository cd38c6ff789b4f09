package workflows

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// key is the declaration of one key of an object.
type key struct {
	name     string
	typ      string // the type of its value in fieldTypes; "" for a list, a dict or a declared type
	doc      string
	words    []string
	min, max *float64
	whole    bool
	required bool
	form     string   // the form of a step that this key stands for
	of       []string // the forms of a step that may have it; nil: all
	index    int      // of the field
}

// mustBe reports whether null under the key is an error. Under any other key it
// means the same as leaving the key out.
func (k *key) mustBe() bool { return k.required || k.form != "" }

// declared holds the keys of every type of document.go, in their order there.
var declared = declaredKeys(
	reflect.TypeFor[document](), reflect.TypeFor[step](), reflect.TypeFor[retry](),
	reflect.TypeFor[jump](), reflect.TypeFor[variable](), reflect.TypeFor[call](),
)

func declaredKeys(types ...reflect.Type) map[reflect.Type][]*key {
	all := map[reflect.Type][]*key{}
	for _, t := range types {
		for f := range t.Fields() {
			name := f.Tag.Get("json")
			if name == "" {
				continue
			}
			all[t] = append(all[t], &key{
				name: name, typ: f.Tag.Get("type"), doc: f.Tag.Get("doc"), index: f.Index[0],
				words: split(f.Tag.Get("words")), of: split(f.Tag.Get("of")), form: f.Tag.Get("form"),
				min: bound(f.Tag.Get("min")), max: bound(f.Tag.Get("max")),
				whole: f.Tag.Get("whole") != "", required: f.Tag.Get("required") != "",
			})
		}
	}
	return all
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

func keyNames(keys []*key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.name
	}
	return names
}

// fieldOf returns the rank of a key among those that a type declares, and the
// type of the value under it. An unknown key comes last; in a dict, and in an object of
// no declared type, all keys are of equal rank.
func fieldOf(t reflect.Type, name string) (rank int, of reflect.Type) {
	if t != nil && t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	keys := declared[t]
	switch {
	case t == reflect.TypeFor[dict]():
		return 0, reflect.TypeFor[*variable]()
	case keys == nil:
		return 0, nil
	}
	i := slices.IndexFunc(keys, func(k *key) bool { return k.name == name })
	if i < 0 {
		return len(keys), nil
	}
	return i, t.Field(keys[i].index).Type
}

package workflows

import (
	"reflect"
	"slices"
	"strconv"
	"strings"

	"understudy/workflows/dialect"
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
	reflect.TypeFor[document](), reflect.TypeFor[portion](), reflect.TypeFor[identity](), reflect.TypeFor[arrangement](),
	reflect.TypeFor[step](), reflect.TypeFor[retry](), reflect.TypeFor[textEdit](),
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

// foreignKeys returns the spellings of the keys of a type that are only read, and its notes.
func foreignKeys(t reflect.Type) (keys []*key) {
	for _, row := range dialect.Rows() {
		if row.Sort != foreignSorts[t] || row.Refused {
			continue
		}
		k := key{typ: "anything"}
		if row.Now != "" {
			k = *keyAt(t, row.Now)
		}
		if row.Values != nil {
			k.typ, k.words = "boolean", nil
		}
		k.name, k.doc = row.Name, row.Effect()
		keys = append(keys, &k)
	}
	return keys
}

// keyAt returns the declaration of the key at a path such as part.from.
func keyAt(t reflect.Type, path string) *key {
	name, inside, deeper := strings.Cut(path, ".")
	k := declared[t][slices.IndexFunc(declared[t], func(k *key) bool { return k.name == name })]
	if deeper {
		return keyAt(t.Field(k.index).Type.Elem(), inside)
	}
	return k
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

// foreignSorts are the sorts of the rows about keys of a type.
var foreignSorts = map[reflect.Type]dialect.Sort{reflect.TypeFor[document](): dialect.Document, reflect.TypeFor[step](): dialect.Step}

// rankOfForeign returns the rank of the canonical key of another spelling, or else the last.
func rankOfForeign(t reflect.Type, name string) int {
	if row, ok := dialect.Find(foreignSorts[t], "", name); ok {
		now, _, _ := strings.Cut(row.Now, ".")
		if i := slices.Index(keyNames(declared[t]), now); i >= 0 {
			return i
		}
	}
	return len(declared[t])
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
		return rankOfForeign(t, name), nil
	}
	return i, t.Field(keys[i].index).Type
}

package workflows

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/words"
	"understudy/steps"
)

// A fieldType is a value of the document in which nothing else is declared.
type fieldType interface {
	// read returns the value, or reports why it cannot stand here and returns nil.
	read(v *value, k *key, r *report) *value
	// schema returns the JSON schema of the values that read accepts.
	schema(k *key) *jsonschema.Schema
}

// held is what read returned: nil if the document has no such value.
type held struct{ *value }

func (h *held) keep(v *value) { h.value = v }

type text struct{ held }

func (text) read(v *value, k *key, r *report) *value {
	switch {
	case wanted(v, sortText, k, r) == nil:
	case len(k.words) > 0 && !slices.Contains(k.words, v.text):
		r.add(v.position, words.DidYouMean(v.text, k.words), "%s cannot be %q", k.name, words.Shorten(v.text, 60))
	case k.mustBe() && v.text == "":
		r.add(v.position, "", "%s is empty", k.name)
	default:
		return v
	}
	return nil
}

func (text) schema(k *key) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range k.words {
		s.Enum = append(s.Enum, w)
	}
	if k.mustBe() {
		s.MinLength = new(1)
	}
	return s
}

func (t text) str() string { return t.value.str() }

type boolean struct{ held }

func (boolean) read(v *value, k *key, r *report) *value { return wanted(v, sortTruth, k, r) }

func (boolean) schema(*key) *jsonschema.Schema { return &jsonschema.Schema{Type: "boolean"} }

// or returns the flag, or other if the document has none.
func (f boolean) or(other bool) bool {
	if f.value == nil {
		return other
	}
	return f.truth
}

type number struct{ held }

func (number) read(v *value, k *key, r *report) *value {
	switch {
	case wanted(v, sortNumber, k, r) == nil:
	case k.min != nil && v.number < *k.min || k.max != nil && v.number > *k.max:
		r.add(v.position, "", "%s %s, found %s", k.name, k.bounds(), words.Shorten(v.text, 40))
	case k.whole && v.number != math.Trunc(v.number):
		r.add(v.position, "", "%s wants a whole number, found %s", k.name, words.Shorten(v.text, 40))
	default:
		return v
	}
	return nil
}

func (k *key) bounds() string {
	switch {
	case k.max == nil:
		return fmt.Sprintf("is at least %v", *k.min)
	case *k.min == *k.max:
		return fmt.Sprintf("is %v", *k.min)
	}
	return fmt.Sprintf("lies between %v and %v", *k.min, *k.max)
}

func (number) schema(k *key) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "number", Minimum: k.min, Maximum: k.max}
	if k.whole {
		s.Type = "integer"
	}
	return s
}

// or returns the number, or other if the document has none.
func (n number) or(other float64) float64 {
	if n.value == nil {
		return other
	}
	return n.number
}

type duration struct{ held }

// durationForm matches the text of a duration.
var durationForm = regexp.MustCompile(durationPattern)

const durationPattern = `^ *([0-9]+|[0-9]*\.[0-9]+|([0-9]+|[0-9]*\.[0-9]+) *(ms|s|m|h)( *([0-9]+|[0-9]*\.[0-9]+) *(ms|s|m|h))*) *$`

func (duration) read(v *value, k *key, r *report) *value {
	const hint = "write something like 500ms, 2s or 1m30s"
	_, err := steps.DurationOf(v.plain())
	switch {
	case wantedOne(v, k, r, "a duration", hint, sortNumber, sortText) == nil:
	case v.sort == sortText && !durationForm.MatchString(v.text):
		r.add(v.position, hint, "%s: %q is not a duration", k.name, words.Shorten(v.text, 60))
	case err != nil:
		r.add(v.position, "", "%s: %v", k.name, err)
	default:
		return v
	}
	return nil
}

func (duration) schema(*key) *jsonschema.Schema {
	least, most := 0.0, float64(steps.MaxDuration.Std().Milliseconds())
	return &jsonschema.Schema{Types: []string{"string", "number"}, Pattern: durationPattern, Minimum: &least, Maximum: &most}
}

func (d duration) std() time.Duration {
	x, _ := steps.DurationOf(d.plain()) // only a missing value is an error here
	return x.Std()
}

// condition is an expression; true, false and numbers are expressions too.
type condition struct{ held }

func (condition) read(v *value, k *key, r *report) *value {
	return wantedOne(v, k, r, "an expression", "", sortText, sortTruth, sortNumber)
}

func (condition) schema(*key) *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "boolean", "number"}}
}

// each is the list of a foreach, or an expression that gives it.
type each struct{ held }

func (each) read(v *value, k *key, r *report) *value {
	return wantedOne(v, k, r, "a list, or an expression that gives one", "", sortText, sortList)
}

func (each) schema(*key) *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "array"}}
}

type anything struct{ held }

func (anything) read(v *value, _ *key, _ *report) *value { return v }

func (anything) schema(*key) *jsonschema.Schema { return &jsonschema.Schema{} }

type object struct{ held }

func (object) read(v *value, k *key, r *report) *value { return wanted(v, sortObject, k, r) }

func (object) schema(*key) *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

type list struct{ held }

func (list) read(v *value, k *key, r *report) *value { return wanted(v, sortList, k, r) }

func (list) schema(*key) *jsonschema.Schema { return &jsonschema.Schema{Type: "array"} }

type pattern struct{ held }

func (pattern) read(v *value, k *key, r *report) *value {
	if wanted(v, sortText, k, r) == nil {
		return nil
	}
	if _, err := regexp.Compile(v.text); err != nil {
		r.add(v.position, "", "%s is not a regular expression: %v", k.name, err)
		return nil
	}
	return v
}

func (pattern) schema(*key) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Format: "regex"}
}

// codes is a list of error codes, or one.
type codes struct{ held }

func (codes) read(v *value, k *key, r *report) *value {
	one := &key{name: k.name}
	for _, code := range steps.Codes() {
		one.words = append(one.words, string(code))
	}
	for _, x := range v.elements() {
		text{}.read(x, one, r)
	}
	return v
}

func (codes) schema(*key) *jsonschema.Schema {
	one := &jsonschema.Schema{Type: "string"}
	for _, c := range steps.Codes() {
		one.Enum = append(one.Enum, string(c))
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{one, {Type: "array", Items: one}}}
}

func (c codes) codes() (list []steps.Code) {
	for _, x := range c.elements() {
		list = append(list, steps.Code(x.text))
	}
	return list
}

// elements returns the values of a list, or the one value that is no list.
func (v *value) elements() []*value {
	switch {
	case v == nil:
		return nil
	case v.sort == sortList:
		return v.list
	}
	return []*value{v}
}

// selectors is an object of texts, or its JSON in a string.
type selectors struct{ held }

func (selectors) read(v *value, k *key, r *report) *value {
	if v.sort == sortText {
		v = inner(v, k, r)
	}
	if v == nil || wanted(v, sortObject, k, r) == nil {
		return nil
	}
	for _, e := range v.entries {
		wanted(e.value, sortText, &key{name: e.key.text}, r)
	}
	return v
}

// inner reads the JSON in a text. All its values get the position of the text.
func inner(v *value, k *key, r *report) *value {
	if !json.Valid([]byte(v.text)) || v.text == "" {
		r.add(v.position, "write it as an object", "%s holds text that is not JSON", k.name)
		return nil
	}
	var got report
	x := readJSON([]byte(v.text), newFile(Source{Text: []byte(v.text)}), &got)
	for _, p := range got.problems {
		r.add(v.position, p.Hint, "%s: %s", k.name, p.Message)
	}
	if x != nil {
		x.move(v.position)
	}
	return x
}

// move changes the position of a value and of all values in it.
func (v *value) move(to position) {
	v.position = to
	for _, x := range v.list {
		x.move(to)
	}
	for _, e := range v.entries {
		e.key.move(to)
		e.value.move(to)
	}
}

func (selectors) schema(*key) *jsonschema.Schema {
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
		{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}},
		{Type: "string", Pattern: `^\s*\{[\s\S]*\}\s*$`},
	}}
}

// output is an expression, or names with an expression each.
type output struct{ held }

func (output) read(v *value, k *key, r *report) *value {
	if v.sort == sortObject {
		for _, e := range v.entries {
			condition{}.read(e.value, &key{name: k.name + "." + words.Shorten(e.key.text, 40)}, r)
		}
	}
	return wantedOne(v, k, r, "an expression, or names with an expression each", "", sortText, sortTruth, sortNumber, sortObject)
}

func (output) schema(k *key) *jsonschema.Schema {
	one := condition{}.schema(k)
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{one, {Type: "object", AdditionalProperties: one}}}
}

// dict is an object whose keys are names. The items are in the order of the text.
type dict[T any] struct {
	held
	items []item[T]
}

type item[T any] struct {
	key   *value
	value T
}

func (d *dict[T]) read(v *value, k *key, r *report) *value {
	if wanted(v, sortObject, k, r) == nil {
		return nil
	}
	for _, e := range v.entries {
		var x T
		decode(e.value, reflect.ValueOf(&x).Elem(), &key{name: words.Shorten(e.key.text, 60), required: true}, r)
		if !reflect.ValueOf(x).IsNil() {
			d.items = append(d.items, item[T]{e.key, x})
		}
	}
	return v
}

func (dict[T]) element() reflect.Type { return reflect.TypeFor[T]() }

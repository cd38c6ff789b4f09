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

type text struct{ *value }

func (t *text) read(v *value, k *key, r *report) {
	if !wanted(v, sortText, k, r) {
		return
	}
	if len(k.words) > 0 && !slices.Contains(k.words, v.text) {
		r.add(v.position, words.DidYouMean(v.text, k.words), "%s cannot be %q", k.name, words.Shorten(v.text, 60))
		return
	}
	if k.mustBe() && v.text == "" {
		r.add(v.position, "", "%s is empty", k.name)
		return
	}
	t.value = v
}

func (text) schema(k *key) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, w := range k.words {
		s.Enum = append(s.Enum, w)
	}
	if k.mustBe() {
		one := 1
		s.MinLength = &one
	}
	return s
}

func (t text) str() string { return t.value.str() }

type boolean struct{ *value }

func (f *boolean) read(v *value, k *key, r *report) {
	if wanted(v, sortTruth, k, r) {
		f.value = v
	}
}

func (boolean) schema(*key) *jsonschema.Schema { return &jsonschema.Schema{Type: "boolean"} }

// or is the flag, or what it is when none was given.
func (f boolean) or(other bool) bool {
	if f.value == nil {
		return other
	}
	return f.truth
}

type number struct{ *value }

func (n *number) read(v *value, k *key, r *report) {
	switch {
	case !wanted(v, sortNumber, k, r):
	case k.min != nil && v.number < *k.min || k.max != nil && v.number > *k.max:
		r.add(v.position, "", "%s %s, found %s", k.name, k.bounds(), words.Shorten(v.text, 40))
	case k.whole && v.number != math.Trunc(v.number):
		r.add(v.position, "", "%s wants a whole number, found %s", k.name, words.Shorten(v.text, 40))
	default:
		n.value = v
	}
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

// or is the number, or what it is when none was given.
func (n number) or(other float64) float64 {
	if n.value == nil {
		return other
	}
	return n.number
}

type duration struct{ *value }

// durationForm is what the text of a duration looks like.
var durationForm = regexp.MustCompile(durationPattern)

const durationPattern = `^ *([0-9]+|[0-9]*\.[0-9]+|([0-9]+|[0-9]*\.[0-9]+) *(ms|s|m|h)( *([0-9]+|[0-9]*\.[0-9]+) *(ms|s|m|h))*) *$`

func (d *duration) read(v *value, k *key, r *report) {
	if v.sort != sortNumber && v.sort != sortText {
		r.add(v.position, "write something like 500ms, 2s or 1m30s", "%s wants a duration, found %s", k.name, v)
		return
	}
	if v.sort == sortText && !durationForm.MatchString(v.text) {
		r.add(v.position, "write something like 500ms, 2s or 1m30s", "%s: %q is not a duration", k.name, words.Shorten(v.text, 60))
		return
	}
	if _, err := steps.DurationOf(v.plain()); err != nil {
		r.add(v.position, "", "%s: %v", k.name, err)
		return
	}
	d.value = v
}

func (duration) schema(*key) *jsonschema.Schema {
	least, most := 0.0, float64(steps.MaxDuration.Std().Milliseconds())
	return &jsonschema.Schema{Types: []string{"string", "number"}, Pattern: durationPattern, Minimum: &least, Maximum: &most}
}

func (d duration) std() time.Duration {
	if d.value == nil {
		return 0
	}
	x, err := steps.DurationOf(d.plain())
	if err != nil {
		return 0
	}
	return x.Std()
}

// condition is an expression; true, false and numbers are expressions too.
type condition struct{ *value }

func (c *condition) read(v *value, k *key, r *report) {
	if v.sort == sortList || v.sort == sortObject || v.sort == sortNull {
		r.add(v.position, "", "%s wants an expression, found %s", k.name, v)
		return
	}
	c.value = v
}

func (condition) schema(*key) *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "boolean", "number"}}
}

// each is what a foreach goes through: an expression, or the list itself.
type each struct{ *value }

func (e *each) read(v *value, k *key, r *report) {
	if v.sort != sortText && v.sort != sortList {
		r.add(v.position, "", "%s wants a list, or an expression that gives one, found %s", k.name, v)
		return
	}
	e.value = v
}

func (each) schema(*key) *jsonschema.Schema {
	return &jsonschema.Schema{Types: []string{"string", "array"}}
}

type anything struct{ *value }

func (a *anything) read(v *value, _ *key, _ *report) { a.value = v }

func (anything) schema(*key) *jsonschema.Schema { return &jsonschema.Schema{} }

type object struct{ *value }

func (o *object) read(v *value, k *key, r *report) {
	if wanted(v, sortObject, k, r) {
		o.value = v
	}
}

func (object) schema(*key) *jsonschema.Schema { return &jsonschema.Schema{Type: "object"} }

type list struct{ *value }

func (l *list) read(v *value, k *key, r *report) {
	if wanted(v, sortList, k, r) {
		l.value = v
	}
}

func (list) schema(*key) *jsonschema.Schema { return &jsonschema.Schema{Type: "array"} }

type pattern struct{ *value }

func (p *pattern) read(v *value, k *key, r *report) {
	if !wanted(v, sortText, k, r) {
		return
	}
	if _, err := regexp.Compile(v.text); err != nil {
		r.add(v.position, "", "%s is not a regular expression: %v", k.name, err)
		return
	}
	p.value = v
}

func (pattern) schema(*key) *jsonschema.Schema {
	return &jsonschema.Schema{Type: "string", Format: "regex"}
}

// codes is a list of error codes, or one.
type codes struct{ *value }

func (c *codes) read(v *value, k *key, r *report) {
	list := v.list
	if v.sort != sortList {
		list = []*value{v}
	}
	one := &key{name: k.name}
	for _, code := range steps.Codes() {
		one.words = append(one.words, string(code))
	}
	for _, x := range list {
		(&text{}).read(x, one, r)
	}
	c.value = v
}

func (codes) schema(*key) *jsonschema.Schema {
	one := &jsonschema.Schema{Type: "string"}
	for _, c := range steps.Codes() {
		one.Enum = append(one.Enum, string(c))
	}
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{one, {Type: "array", Items: one}}}
}

func (c codes) codes() (list []steps.Code) {
	if c.value == nil {
		return nil
	}
	if c.sort == sortText {
		return []steps.Code{steps.Code(c.text)}
	}
	for _, x := range c.list {
		list = append(list, steps.Code(x.text))
	}
	return list
}

// selectors is an object of texts, or its JSON in a string.
type selectors struct{ *value }

func (s *selectors) read(v *value, k *key, r *report) {
	if v.sort == sortText {
		if v = inner(v, k, r); v == nil {
			return
		}
	}
	if !wanted(v, sortObject, k, r) {
		return
	}
	for _, e := range v.entries {
		wanted(e.value, sortText, &key{name: e.key.text}, r)
	}
	s.value = v
}

// inner reads the JSON in a text; everything in it stands where the text does.
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

// move says that a value and all in it stands elsewhere.
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
type output struct{ *value }

func (o *output) read(v *value, k *key, r *report) {
	switch v.sort {
	case sortObject:
		for _, e := range v.entries {
			(&condition{}).read(e.value, &key{name: k.name + "." + words.Shorten(e.key.text, 40)}, r)
		}
		o.value = v
	case sortList:
		r.add(v.position, "", "%s wants an expression, or names with an expression each, found a list", k.name)
	default:
		o.value = v
	}
}

func (output) schema(k *key) *jsonschema.Schema {
	one := condition{}.schema(k)
	return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{one, {Type: "object", AdditionalProperties: condition{}.schema(k)}}}
}

// dict is an object whose keys are names, in the order of the text.
type dict[T any] struct {
	*value
	items []item[T]
}

type item[T any] struct {
	key   *value
	value T
}

func (d *dict[T]) decodeDict(v *value, k *key, r *report) {
	if !wanted(v, sortObject, k, r) {
		return
	}
	d.value = v
	for _, e := range v.entries {
		var x T
		decode(e.value, reflect.ValueOf(&x).Elem(), &key{name: words.Shorten(e.key.text, 60), required: true}, r)
		if !reflect.ValueOf(x).IsNil() {
			d.items = append(d.items, item[T]{e.key, x})
		}
	}
}

func (dict[T]) element() reflect.Type { return reflect.TypeFor[T]() }

package workflows

import (
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"time"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/words"
	"understudy/steps"
)

// A fieldType declares the values that may stand under a key. The parser and the
// published schema are both derived from it.
type fieldType struct {
	sorts      []sort // the accepted sorts; empty: any
	want, hint string // for the message about a value of another sort, if sorts are several
	// read checks a value of an accepted sort further and returns it, or reports the
	// problem and returns nil. A nil read accepts every such value.
	read func(v *value, k *key, r *report) *value
	// refine restricts the schema of the sorts to the values that read accepts.
	refine func(s *jsonschema.Schema, k *key)
}

// fieldTypes holds the types that the tag `type` in document.go names.
var fieldTypes = map[string]fieldType{
	"anything":  {},
	"boolean":   {sorts: []sort{sortTruth}},
	"object":    {sorts: []sort{sortObject}},
	"list":      {sorts: []sort{sortList}},
	"each":      {sorts: []sort{sortText, sortList}, want: "a list, or an expression that gives one"},
	"condition": {sorts: expressionSorts, want: anExpression},
	"text": {
		sorts: []sort{sortText}, read: readText,
		refine: func(s *jsonschema.Schema, k *key) {
			for _, w := range k.words {
				s.Enum = append(s.Enum, w)
			}
			if k.mustBe() {
				s.MinLength = new(1)
			}
		},
	},
	"number": {
		sorts: []sort{sortNumber}, read: readNumber,
		refine: func(s *jsonschema.Schema, k *key) {
			if s.Minimum, s.Maximum = k.min, k.max; k.whole {
				s.Type = "integer"
			}
		},
	},
	"duration": {
		sorts: []sort{sortText, sortNumber}, want: "a duration", hint: durationHint, read: readDuration,
		refine: func(s *jsonschema.Schema, _ *key) {
			least, most := 0.0, float64(steps.MaxDuration.Std().Milliseconds())
			s.Pattern, s.Minimum, s.Maximum = durationPattern, &least, &most
		},
	},
	"pattern": {
		sorts: []sort{sortText}, read: readPattern,
		refine: func(s *jsonschema.Schema, _ *key) { s.Format = "regex" },
	},
	"codes": { // a list of error codes, or one
		read: readCodes,
		refine: func(s *jsonschema.Schema, _ *key) {
			one := &jsonschema.Schema{Type: "string"}
			for _, c := range steps.Codes() {
				one.Enum = append(one.Enum, string(c))
			}
			s.AnyOf = []*jsonschema.Schema{one, {Type: "array", Items: one}}
		},
	},
	"labels": labelsType,
	"selectors": { // an object of texts, or its JSON in a string
		read: readSelectors,
		refine: func(s *jsonschema.Schema, _ *key) {
			s.AnyOf = []*jsonschema.Schema{
				{Type: "object", AdditionalProperties: &jsonschema.Schema{Type: "string"}},
				{Type: "string", Pattern: `^\s*\{[\s\S]*\}\s*$`},
			}
		},
	},
	"output": { // an expression, or names with an expression each
		read: readOutput,
		refine: func(s *jsonschema.Schema, _ *key) {
			one := schemaOf(expressionSorts)
			s.AnyOf = []*jsonschema.Schema{one, {Type: "object", AdditionalProperties: one}}
		},
	},
}

// expressionSorts are the sorts of an expression: true, false and numbers are
// expressions too.
var expressionSorts = []sort{sortText, sortTruth, sortNumber}

const anExpression = "an expression"

// read returns the value, or reports why it cannot stand under the key and returns nil.
func (k *key) read(v *value, r *report) *value {
	t := fieldTypes[k.typ]
	switch {
	case len(t.sorts) == 1 && wanted(v, t.sorts[0], k, r) == nil:
		return nil
	case len(t.sorts) > 1 && wantedOne(v, k, r, t.want, t.hint, t.sorts...) == nil:
		return nil
	case t.read == nil:
		return v
	}
	return t.read(v, k, r)
}

// schema returns the JSON schema of the values that read accepts.
func (k *key) schema() *jsonschema.Schema {
	t := fieldTypes[k.typ]
	s := schemaOf(t.sorts)
	if t.refine != nil {
		t.refine(s, k)
	}
	return s
}

func schemaOf(sorts []sort) *jsonschema.Schema {
	s := &jsonschema.Schema{}
	for _, x := range sorts {
		s.Types = append(s.Types, string(x))
	}
	if len(sorts) == 1 {
		s.Type, s.Types = s.Types[0], nil
	}
	return s
}

func readText(v *value, k *key, r *report) *value {
	switch {
	case len(k.words) > 0 && !slices.Contains(k.words, v.text):
		r.add(v.position, words.DidYouMean(v.text, k.words), "%s cannot be %q", k.name, words.Shorten(v.text, 60))
	case k.mustBe() && v.text == "":
		r.add(v.position, "", "%s is empty", k.name)
	default:
		return v
	}
	return nil
}

func readNumber(v *value, k *key, r *report) *value {
	switch {
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

// durationForm matches the text of a duration.
var durationForm = regexp.MustCompile(durationPattern)

const (
	durationPattern = `^ *([0-9]+|[0-9]*\.[0-9]+|([0-9]+|[0-9]*\.[0-9]+) *(ms|s|m|h)( *([0-9]+|[0-9]*\.[0-9]+) *(ms|s|m|h))*) *$`
	durationHint    = "write something like 500ms, 2s or 1m30s"
)

func readDuration(v *value, k *key, r *report) *value {
	_, err := steps.DurationOf(v.plain())
	switch {
	case v.sort == sortText && !durationForm.MatchString(v.text):
		r.add(v.position, durationHint, "%s: %q is not a duration", k.name, words.Shorten(v.text, 60))
	case err != nil:
		r.add(v.position, "", "%s: %v", k.name, err)
	default:
		return v
	}
	return nil
}

func readPattern(v *value, k *key, r *report) *value {
	if _, err := regexp.Compile(v.text); err != nil {
		r.add(v.position, "", "%s is not a regular expression: %v", k.name, err)
		return nil
	}
	return v
}

func readCodes(v *value, k *key, r *report) *value {
	one := &key{name: k.name}
	for _, code := range steps.Codes() {
		one.words = append(one.words, string(code))
	}
	for _, x := range v.elements() {
		if wanted(x, sortText, one, r) != nil {
			readText(x, one, r)
		}
	}
	return v
}

func readSelectors(v *value, k *key, r *report) *value {
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

func readOutput(v *value, k *key, r *report) *value {
	for _, e := range v.entries {
		name := k.name + "." + words.Shorten(e.key.text, 40)
		wantedOne(e.value, &key{name: name}, r, anExpression, "", expressionSorts...)
	}
	return wantedOne(v, k, r, "an expression, or names with an expression each", "", append(slices.Clip(expressionSorts), sortObject)...)
}

// The methods below return what a field of a checked document says. A nil value means
// that the document has no such field.

// truthOr returns the boolean, or other if there is none.
func (v *value) truthOr(other bool) bool {
	if v == nil {
		return other
	}
	return v.truth
}

// numberOr returns the number, or other if there is none.
func (v *value) numberOr(other float64) float64 {
	if v == nil {
		return other
	}
	return v.number
}

func (v *value) duration() time.Duration {
	x, _ := steps.DurationOf(v.plain()) // only a missing value is an error here
	return x.Std()
}

func (v *value) codes() (list []steps.Code) {
	for _, x := range v.elements() {
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

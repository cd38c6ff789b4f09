package steps

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/internal/words"
)

// Problem is one mistake in arguments.
type Problem struct {
	Path    []string // the keys and indexes that lead there
	Key     bool     // the key is wrong, not its value
	Message string
	Hint    string // how to correct it
}

func (p Problem) String() string {
	text := p.Message
	if len(p.Path) > 0 {
		text = strings.Join(p.Path, ".") + ": " + text
	}
	if p.Hint != "" {
		text += "; " + p.Hint
	}
	return text
}

// Check returns all problems of arguments. Values for which later returns true are not
// known yet, because they hold expressions, and fit everywhere.
func (k Kind) Check(args map[string]any, later func(any) bool) []Problem {
	_, problems := k.check(args, later)
	return problems
}

// check is Check, and returns the function that runs with the arguments if all are known.
func (k Kind) check(args map[string]any, later func(any) bool) (run func(context.Context, *Env) (any, error), problems []Problem) {
	open := false
	if later == nil {
		later = func(any) bool { return false }
	}
	c := checker{later: func(v any) bool { l := later(v); open = open || l; return l }}
	flat := k.Spread(args)
	c.value(k.Fields(), flat, nil)
	c.problems = append(c.problems, k.twice(args)...)
	if len(c.problems) > 0 || open || k.bind == nil {
		return nil, k.regroup(c.problems, args)
	}
	raw, err := json.Marshal(flat)
	if err == nil {
		run, err = k.bind(raw)
	}
	if err != nil {
		c.report(nil, "", "%v", err)
	}
	return run, c.problems
}

// CheckValue returns all problems of a value by a schema.
func CheckValue(s *jsonschema.Schema, v any) []Problem {
	c := checker{later: func(any) bool { return false }}
	c.value(s, v, nil)
	return c.problems
}

// formats check strings with a format.
var formats = map[string]func(string) error{
	"duration":  func(s string) error { _, err := ParseDuration(s); return err },
	"key":       func(s string) error { _, err := desktop.ParseKey(s); return err },
	"keys":      func(s string) error { _, err := desktop.ParseKeys(s); return err },
	"regex":     func(s string) error { _, err := regexp.Compile(s); return err },
	"selector":  func(s string) error { _, err := selector.Parse(s); return err },
	"selectors": func(s string) error { _, err := ParseSelectors(splitSelectors(s)); return err },
}

type checker struct {
	later    func(any) bool
	problems []Problem
}

func (c *checker) report(path []string, hint, format string, args ...any) {
	c.problems = append(c.problems, Problem{Path: slices.Clone(path), Message: fmt.Sprintf(format, args...), Hint: hint})
}

func (c *checker) value(s *jsonschema.Schema, v any, path []string) {
	if s == nil || c.later(v) {
		return
	}
	if !c.typed(s, v, path) {
		return
	}
	if len(s.Enum) > 0 && !slices.Contains(s.Enum, v) {
		known := make([]string, len(s.Enum))
		for i, e := range s.Enum {
			known[i] = fmt.Sprint(e)
		}
		c.report(path, words.DidYouMean(fmt.Sprint(v), known), "%s is not one of the known words", Quote(v))
		return
	}
	switch v := v.(type) {
	case string:
		c.text(s, v, path)
	case float64:
		c.number(s, v, path)
	case []any:
		for i, x := range v {
			c.value(s.Items, x, append(path, fmt.Sprint(i)))
		}
	case map[string]any:
		c.object(s, v, path)
	}
}

func (c *checker) text(s *jsonschema.Schema, v string, path []string) {
	if check := formats[s.Format]; check != nil && v != "" {
		if err := check(v); err != nil {
			c.report(path, "", "%v", err)
		}
	}
	if s.MinLength != nil && len([]rune(v)) < *s.MinLength {
		c.report(path, "", "wanted at least %d characters", *s.MinLength)
	}
	if s.Pattern != "" {
		if re, err := regexp.Compile(s.Pattern); err == nil && !re.MatchString(v) {
			c.report(path, "", "%q does not match %s", v, s.Pattern)
		}
	}
}

func (c *checker) number(s *jsonschema.Schema, v float64, path []string) {
	if s.Minimum != nil && v < *s.Minimum {
		c.report(path, "", "wanted at least %v, found %v", *s.Minimum, v)
	}
	if s.Maximum != nil && v > *s.Maximum {
		c.report(path, "", "wanted at most %v, found %v", *s.Maximum, v)
	}
}

func (c *checker) object(s *jsonschema.Schema, v map[string]any, path []string) {
	closed := s.AdditionalProperties != nil && s.AdditionalProperties.Not != nil
	known := slices.Sorted(maps.Keys(s.Properties))
	for _, name := range slices.Sorted(maps.Keys(v)) {
		at := append(slices.Clip(path), name)
		switch p := s.Properties[name]; {
		case p != nil && v[name] == nil && !slices.Contains(s.Required, name):
			// A null for an optional argument means that it is absent.
		case p != nil:
			c.value(p, v[name], at)
		case len(path) == 0 && absent[name] != "" && asksNothing(name, v[name]):
		case closed:
			hint := words.DidYouMean(name, known)
			if s.Properties["selector"] != nil && slices.Contains(selector.Atoms(), name) {
				hint = fmt.Sprintf("it belongs in the selector: selector: %q", name+":…")
			}
			for _, missing := range s.Required { // such as text for text_to_type
				if _, given := v[missing]; !given && slices.Contains(strings.Split(missing, "_"), name) {
					hint = fmt.Sprintf("did you mean %s?", missing)
				}
			}
			if len(path) == 0 && absent[name] != "" {
				hint = absent[name]
			}
			if hint == "" && len(known) == 0 {
				hint = "it takes none"
			}
			c.problems = append(c.problems, Problem{Path: slices.Clone(at), Key: true, Message: fmt.Sprintf("there is no argument %q", name), Hint: hint})
		default:
			c.value(s.AdditionalProperties, v[name], at)
		}
	}
	for _, name := range s.Required {
		if _, ok := v[name]; !ok {
			c.report(path, "", "%q is missing", name)
		}
	}
}

// typed reports whether a value has a type that the schema allows.
func (c *checker) typed(s *jsonschema.Schema, v any, path []string) bool {
	want := s.Types
	if s.Type != "" {
		want = []string{s.Type}
	}
	got := typeOf(v)
	if len(want) == 0 || slices.Contains(want, got) || got == "integer" && slices.Contains(want, "number") {
		return true
	}
	c.report(path, "", "wanted %s, found %s", strings.Join(want, " or "), Quote(v))
	return false
}

func typeOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == math.Trunc(v) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	}
	return fmt.Sprintf("%T", v)
}

// Quote returns a value as messages show it: short, and with its type.
func Quote(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return fmt.Sprint(v)
	}
	return "the " + typeOf(v) + " " + words.Shorten(string(b), 60)
}

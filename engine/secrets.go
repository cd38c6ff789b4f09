package engine

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"understudy/steps"
	"understudy/workflows/expression"
)

// secrets are the values of a run's secret inputs, by name. They live in
// memory only; wherever one stood, events hold a reference to its name.
type secrets map[string]string

// The form of references: {"$secret": name} for a whole value, and
// {"$join": [text, reference, …]} for a string that holds one.
const (
	secretKey  = "$secret"
	joinKey    = "$join"
	derivedKey = "$derived" // beside $secret: computed from it, and not kept
)

// leastMasked is the length from which a secret is found by its content, and
// leastComputed the length from which a value computed from one is: shorter
// ones are found in what comes of the step that was given them.
const (
	leastMasked   = 4
	leastComputed = 8
)

// computedPrefix begins the names of values that were computed from secrets.
// They live in memory as secrets do, and a document cannot name them.
const computedPrefix = "computed "

// maxComputed bounds the computed values of a run.
const maxComputed = 1000

// placeholder is what stands for a secret while a template is evaluated, so that
// where it went can be told exactly. The private-use characters keep it apart
// from anything that a document would hold.
func placeholder(name string) string { return placeholderStart + name + "\uE5ED" }

const placeholderStart = "\uE5EC"

// reference is what events hold where a secret stood.
func reference(name string) map[string]any { return map[string]any{secretKey: name} }

// reveal puts the values back where references stand.
func (x secrets) reveal(v any) any {
	return x.resolve(v, x.value)
}

// value is a secret or a part of one, by name. One that was computed in a
// process that is gone is a placeholder, which lost finds.
func (x secrets) value(name string) string {
	if v, ok := x[name]; ok {
		return v
	}
	if strings.HasPrefix(name, computedPrefix) {
		return placeholder(name)
	}
	of, _, _ := strings.Cut(name, ", ")
	for _, part := range x.parts(of) {
		if part.name == name {
			return part.text
		}
	}
	return ""
}

// parts are the forms in which a secret shows that are not its own text: its
// lines, and what it is inside a string of JSON.
func (x secrets) parts(name string) []needle {
	var out []needle
	if quoted := mustJSON(x[name]); quoted != x[name] {
		out = append(out, needle{text: quoted, name: name + ", as JSON"})
	}
	if lines := strings.FieldsFunc(x[name], func(c rune) bool { return c == '\n' || c == '\r' }); len(lines) > 1 {
		for i, line := range lines {
			out = append(out, needle{text: line, name: fmt.Sprintf("%s, line %d", name, i+1)})
		}
	}
	return out
}

// mustJSON is a text inside a string of JSON.
func mustJSON(text string) string {
	b, _ := json.Marshal(text) // which takes every string
	return string(b[1 : len(b)-1])
}

// withPlaceholders puts stand-ins where references stand.
func (x secrets) withPlaceholders(v any) any { return x.resolve(v, placeholder) }

func (x secrets) resolve(v any, value func(string) string) any {
	if len(x) == 0 {
		return v
	}
	return resolve(v, value)
}

func resolve(v any, value func(string) string) any {
	switch v := v.(type) {
	case map[string]any:
		if name, ok := v[secretKey].(string); ok {
			return value(name)
		}
		if parts, ok := v[joinKey].([]any); ok {
			var text strings.Builder
			for _, p := range parts {
				s, _ := resolve(p, value).(string)
				text.WriteString(s)
			}
			return text.String()
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = resolve(e, value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = resolve(e, value)
		}
		return out
	}
	return v
}

// toReferences turns stand-ins into references.
func (x secrets) toReferences(v any) any {
	return x.replace(v, func(s string) any { return cut(s, x.placeholders()) })
}

// mask turns the secrets themselves into references, wherever they appear, and
// those that are near also where they are short.
func (x secrets) mask(v any, near ...string) any {
	needles := x.contents(near)
	return x.replace(v, func(s string) any { return cut(s, needles) })
}

// maskWhole is for what was read where a secret may have been put, such as on the
// clipboard: a text that is one, and be it short, and nothing else is found.
func (x secrets) maskWhole(v any) any {
	return x.replace(v, func(s string) any {
		for name, text := range x {
			if t := strings.TrimSpace(text); t != "" && t == strings.TrimSpace(s) {
				return reference(name)
			}
		}
		return s
	})
}

// maskText hides secrets in a message for people.
func (x secrets) maskText(s string, near ...string) string {
	for _, n := range x.contents(near) {
		s = strings.Join(n.split(s), "‹secret "+n.name+"›")
	}
	return s
}

// maskTexts hides secrets in every string of a value for people.
func (x secrets) maskTexts(v any, near ...string) any {
	return x.replace(v, func(s string) any { return x.maskText(s, near...) })
}

// in reports whether a text holds a secret.
func (x secrets) in(text string) bool {
	return x.maskText(text) != text
}

func formatNumber(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }

func (x secrets) replace(v any, f func(string) any) any {
	if len(x) == 0 {
		return v
	}
	switch v := v.(type) {
	case string:
		return f(v)
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			key, ok := f(k).(string)
			if !ok {
				key = x.maskText(k, slices.Collect(maps.Keys(x))...)
			}
			out[key] = x.replace(e, f)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = x.replace(e, f)
		}
		return out
	case float64:
		if r, ok := f(formatNumber(v)).(map[string]any); ok && r[secretKey] != nil {
			return r
		}
	}
	return v
}

// needle is a text that stands for a secret.
type needle struct {
	text, name string
	word       bool // it counts only where no letter or digit is beside it
}

// split cuts a text at a needle.
func (n needle) split(text string) []string {
	if !n.word {
		return strings.Split(text, n.text)
	}
	var pieces []string
	from := 0
	for at := 0; ; {
		i := strings.Index(text[at:], n.text)
		if i < 0 {
			return append(pieces, text[from:])
		}
		i += at
		at = i + len(n.text)
		before, _ := utf8.DecodeLastRuneInString(text[:i])
		after, _ := utf8.DecodeRuneInString(text[at:])
		if !alphanumeric(before) && !alphanumeric(after) {
			pieces, from = append(pieces, text[from:i]), at
		}
	}
}

func alphanumeric(c rune) bool {
	return c != utf8.RuneError && (unicode.IsLetter(c) || unicode.IsDigit(c))
}

func (x secrets) placeholders() []needle {
	var out []needle
	for _, n := range slices.Sorted(maps.Keys(x)) {
		out = append(out, needle{text: placeholder(n), name: n})
	}
	return out
}

// contents are the texts to be found by their content. Those of the secrets
// that are near count also when they are short.
func (x secrets) contents(near []string) []needle {
	var out []needle
	for _, n := range slices.Sorted(maps.Keys(x)) {
		least := leastMasked
		if strings.HasPrefix(n, computedPrefix) {
			least = leastComputed
		}
		for _, c := range append(x.parts(n), needle{text: x[n], name: n}) {
			c.word = utf8.RuneCountInString(c.text) < least
			if strings.TrimSpace(c.text) != "" && (!c.word || slices.Contains(near, n)) {
				out = append(out, c)
			}
		}
	}
	// a secret that holds another is found first
	slices.SortStableFunc(out, func(a, b needle) int { return len(b.text) - len(a.text) })
	return out
}

// cut splits a string at the needles in it: into a reference, a join, or the
// string itself when there is none.
func cut(s string, needles []needle) any {
	parts := []any{s}
	for _, n := range needles {
		var next []any
		for _, p := range parts {
			text, ok := p.(string)
			if !ok {
				next = append(next, p)
				continue
			}
			pieces := n.split(text)
			for i, piece := range pieces {
				if i > 0 {
					next = append(next, reference(n.name))
				}
				if piece != "" {
					next = append(next, piece)
				}
			}
		}
		parts = next
	}
	switch {
	case len(parts) == 0:
		return s
	case len(parts) > 1:
		return map[string]any{joinKey: parts}
	}
	return parts[0]
}

// storable is the form of a value that events may hold. It is computed twice,
// once with stand-ins: where revealing the one gives the other, the reference
// says it all; where the secret was changed on its way, only its name is kept.
func (x secrets) storable(withStandIns, real any) (form any, exact bool) {
	form = x.toReferences(withStandIns)
	if reflect.DeepEqual(x.reveal(form), real) {
		return form, true
	}
	return x.opaque(form, real), false
}

// opaque keeps the parts of a value that hold no secret.
func (x secrets) opaque(form, real any) any {
	if f, ok := form.(map[string]any); ok {
		if r, ok := real.(map[string]any); ok && len(f) == len(r) && f[secretKey] == nil && f[joinKey] == nil {
			out := map[string]any{}
			for k := range r {
				if _, known := f[k]; !known { // the key itself was computed
					return x.computedForm()
				}
				out[k] = x.opaque(f[k], r[k])
			}
			return out
		}
	}
	if f, ok := form.([]any); ok {
		if r, ok := real.([]any); ok && len(f) == len(r) {
			out := make([]any, len(r))
			for i := range r {
				out[i] = x.opaque(f[i], r[i])
			}
			return out
		}
	}
	if reflect.DeepEqual(x.reveal(form), real) {
		return form
	}
	return x.computedForm()
}

// computedForm stands in events for a value that was computed from secrets.
func (x secrets) computedForm() map[string]any {
	declared := slices.DeleteFunc(slices.Sorted(maps.Keys(x)), func(n string) bool { return strings.HasPrefix(n, computedPrefix) })
	return map[string]any{secretKey: strings.Join(declared, ","), derivedKey: true}
}

// computed are the texts and numbers of a value whose form says that they were
// computed from secrets.
func computed(form, real any) []string {
	f, _ := form.(map[string]any)
	switch r := real.(type) {
	case map[string]any:
		var out []string
		for k, v := range r {
			if f[derivedKey] != nil {
				out = append(append(out, k), computed(form, v)...)
			} else {
				out = append(out, computed(f[k], v)...)
			}
		}
		return out
	case []any:
		var out []string
		list, _ := form.([]any)
		for i, v := range r {
			if f[derivedKey] != nil {
				out = append(out, computed(form, v)...)
			} else if i < len(list) {
				out = append(out, computed(list[i], v)...)
			}
		}
		return out
	case string, float64:
		if f[derivedKey] != nil {
			return []string{fmt.Sprint(r)}
		}
	}
	return nil
}

// with adds values that were computed. The map itself is not changed, for what
// a step logs is read meanwhile.
func (x secrets) with(texts []string) (all secrets, names []string, err error) {
	all = x
	for _, text := range texts {
		if name, known := all.nameOf(text); known {
			names = append(names, name)
			continue
		}
		if len(all) >= maxComputed {
			return x, nil, steps.Errorf(steps.Invalid, "the run has more than %d values that were computed from secrets; use the secret itself where it is needed", maxComputed)
		}
		all = maps.Clone(all)
		name := computedPrefix + rand.Text()[:8]
		all[name], names = text, append(names, name)
	}
	return all, names, nil
}

func (x secrets) nameOf(text string) (string, bool) {
	for name, v := range x {
		if v == text {
			return name, true
		}
	}
	return "", false
}

// namesIn are the secrets to which a form refers.
func namesIn(form any) (names []string) {
	switch f := form.(type) {
	case map[string]any:
		if name, ok := f[secretKey].(string); ok {
			return strings.Split(name, ",")
		}
		for _, v := range f {
			names = append(names, namesIn(v)...)
		}
	case []any:
		for _, v := range f {
			names = append(names, namesIn(v)...)
		}
	}
	return names
}

// lost is the error for a value that holds a text which only a process knew that is
// gone; nil: it holds none.
func lost(v any) error {
	switch {
	case anyContains(v, placeholderStart+typedPrefix):
		return steps.Errorf(steps.Invalid, "the text to type is not stored: it went into a password field, or nothing says that it did not").
			WithNext("make the call again")
	case anyContains(v, placeholderStart+computedPrefix):
		return steps.Errorf(steps.Invalid, "a value that was computed from a secret is needed here, and such values are not stored").
			WithNext("resume from the step that computes it, with --from")
	}
	return nil
}

// anyContains reports whether a string in a value contains a text.
func anyContains(v any, text string) bool {
	switch v := v.(type) {
	case string:
		return strings.Contains(v, text)
	case map[string]any:
		return slices.ContainsFunc(slices.Collect(maps.Values(v)), func(e any) bool { return anyContains(e, text) })
	case []any:
		return slices.ContainsFunc(v, func(e any) bool { return anyContains(e, text) })
	}
	return false
}

// scope is a scope in which every reference is resolved by f.
func (x secrets) scope(s *expression.Scope, f func(any) any) *expression.Scope {
	if len(x) == 0 {
		return s
	}
	out := *s
	object := func(m map[string]any) map[string]any {
		r, _ := f(m).(map[string]any)
		return r
	}
	out.Inputs, out.Env, out.Selectors = object(s.Inputs), object(s.Env), object(s.Selectors)
	out.Steps = make(map[string]expression.StepScope, len(s.Steps))
	for id, st := range s.Steps {
		st.Result, st.Error = f(st.Result), f(st.Error)
		out.Steps[id] = st
	}
	out.Loops = slices.Clone(s.Loops)
	for i := range out.Loops {
		out.Loops[i].Value = f(out.Loops[i].Value)
	}
	return &out
}

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

// secrets are the values of a run's secret inputs, by name. They are kept in memory
// only; events hold references to their names instead.
type secrets map[string]string

// References are {"$secret": name} for a whole value, and {"$join": [text, reference,
// …]} for a string that contains a secret.
const (
	secretKey  = "$secret"
	joinKey    = "$join"
	derivedKey = "$derived" // beside $secret: the value was computed from the secret, and is not kept
)

// leastMasked is the length from which a secret is found by its content anywhere, and
// leastComputed the same for a value computed from one. Shorter ones are found only
// in what a step returns that was given them.
const (
	leastMasked   = 4
	leastComputed = 8
)

// computedPrefix begins the names of values computed from secrets. They are kept in
// memory only, and documents cannot refer to them.
const computedPrefix = "computed "

// maxComputed limits the computed values of a run.
const maxComputed = 1000

// placeholder returns what stands for a secret while a template is evaluated, so that
// it is known exactly where the secret ends up. The private-use characters do not
// occur in documents.
func placeholder(name string) string { return placeholderStart + name + "\uE5ED" }

const placeholderStart = "\uE5EC"

func reference(name string) map[string]any { return map[string]any{secretKey: name} }

// reveal replaces references with values.
func (x secrets) reveal(v any) any {
	return x.resolve(v, x.value)
}

// value returns a secret, or a part of one, by name. A value that was computed in a
// process which has ended is a placeholder, which checkLost detects.
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

// parts returns the other forms in which a secret may appear: its lines, and its
// encoding in a JSON string.
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

// mustJSON returns a text as it is written inside a JSON string.
func mustJSON(text string) string {
	b, _ := json.Marshal(text) // never fails for a string
	return string(b[1 : len(b)-1])
}

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

func (x secrets) toReferences(v any) any {
	var needles []needle
	for _, n := range slices.Sorted(maps.Keys(x)) {
		needles = append(needles, needle{text: placeholder(n), name: n})
	}
	return x.replace(v, func(s string) any { return cut(s, needles) })
}

// mask replaces secrets with references wherever they appear in a value that has none
// yet. The secrets in near are replaced even if they are short.
func (x secrets) mask(v any, near ...string) any {
	needles := x.contents(near)
	return x.replace(literal(v), func(s string) any { return cut(s, needles) })
}

// literal returns a value with one more dollar sign before the keys of references, so
// that what comes from outside, such as a result or an answer, cannot name a secret.
func literal(v any) any {
	if !looksLikeReference(v) {
		return v
	}
	return escaped(v)
}

func escaped(v any) any {
	switch v := v.(type) {
	case map[string]any:
		out := make(map[string]any, len(v))
		for k, e := range v {
			if isReferenceKey(k) {
				k = "$" + k
			}
			out[k] = escaped(e)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = escaped(e)
		}
		return out
	}
	return v
}

// looksLikeReference reports whether a value has a key of references anywhere.
func looksLikeReference(v any) bool {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			if isReferenceKey(k) || looksLikeReference(e) {
				return true
			}
		}
	case []any:
		return slices.ContainsFunc(v, looksLikeReference)
	}
	return false
}

// isReferenceKey reports whether a key is that of a reference, or one with more dollar
// signs, which would be taken for an escaped one.
func isReferenceKey(k string) bool {
	bare := strings.TrimLeft(k, "$")
	return bare != k && (bare == secretKey[1:] || bare == joinKey[1:])
}

// maskWhole masks values that may be a secret as a whole, such as the content of the
// clipboard. It finds secrets of any length, but only as a whole text.
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

// maskTexts hides secrets in all strings of a value for people.
func (x secrets) maskTexts(v any, near ...string) any {
	return x.replace(v, func(s string) any { return x.maskText(s, near...) })
}

// in reports whether a text contains a secret.
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

// needle is a text to search for, which stands for a secret.
type needle struct {
	text, name string
	word       bool // matches only if no letter or digit is next to it
}

// split splits a text at a needle.
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

// contents returns the texts of secrets to search for. Those in near are included
// even if they are short.
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
	// longest first, because a secret may contain another
	slices.SortStableFunc(out, func(a, b needle) int { return len(b.text) - len(a.text) })
	return out
}

// cut splits a string at needles. It returns a reference, a join, or the string
// itself if it contains none.
func cut(s string, needles []needle) any {
	switch parts := cutParts(s, needles); len(parts) {
	case 0:
		return s
	case 1:
		return parts[0]
	default:
		return map[string]any{joinKey: parts}
	}
}

// cutParts returns the texts between needles, and references in place of the needles.
// Earlier needles are found first.
func cutParts(s string, needles []needle) (parts []any) {
	switch {
	case s == "":
		return nil
	case len(needles) == 0:
		return []any{s}
	}
	for i, piece := range needles[0].split(s) {
		if i > 0 {
			parts = append(parts, reference(needles[0].name))
		}
		parts = append(parts, cutParts(piece, needles[1:])...)
	}
	return parts
}

// storable returns the form of a value that events may hold, and the texts in the
// value that were computed from secrets. The value is given twice, the second time with
// placeholders: if revealing the second gives the first, references represent the value
// exactly; where a secret was transformed, only its name is kept.
func (x secrets) storable(withPlaceholders, real any) (form any, computed []string, exact bool) {
	exact = true
	form = x.opaque(x.toReferences(withPlaceholders), real, func(part any) {
		computed, exact = append(computed, textsIn(part)...), false
	})
	return form, computed, exact
}

// opaque keeps those parts of a value that references represent exactly, and calls
// transformed for the others.
func (x secrets) opaque(form, real any, transformed func(part any)) any {
	switch r := real.(type) {
	case map[string]any:
		f, ok := form.(map[string]any)
		sameKeys := maps.EqualFunc(f, r, func(any, any) bool { return true })
		if !ok || !sameKeys || f[secretKey] != nil || f[joinKey] != nil {
			break
		}
		out := make(map[string]any, len(r))
		for k := range r {
			out[k] = x.opaque(f[k], r[k], transformed)
		}
		return out
	case []any:
		f, ok := form.([]any)
		if !ok || len(f) != len(r) {
			break
		}
		out := make([]any, len(r))
		for i := range r {
			out[i] = x.opaque(f[i], r[i], transformed)
		}
		return out
	}
	if reflect.DeepEqual(x.reveal(form), real) {
		return form
	}
	transformed(real)
	declared := slices.DeleteFunc(slices.Sorted(maps.Keys(x)), func(n string) bool { return strings.HasPrefix(n, computedPrefix) })
	return map[string]any{secretKey: strings.Join(declared, ","), derivedKey: true}
}

// textsIn returns all texts and numbers in a value, and the keys of its objects.
func textsIn(v any) (texts []string) {
	switch v := v.(type) {
	case map[string]any:
		for k, e := range v {
			texts = append(append(texts, k), textsIn(e)...)
		}
	case []any:
		for _, e := range v {
			texts = append(texts, textsIn(e)...)
		}
	case string, float64:
		texts = append(texts, fmt.Sprint(v))
	}
	return texts
}

// with adds computed values. It copies the map, because step logs read it
// concurrently.
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

// namesIn returns the names of the secrets that a form refers to.
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

// holdsSecret reports whether an argument refers to a secret in a form, or may do so.
func holdsSecret(form any, argument string) bool {
	args, _ := form.(map[string]any)
	return args[secretKey] != nil || len(namesIn(args[argument])) > 0
}

// checkLost returns an error if a value contains a text that was known only to a process
// which has ended.
func checkLost(v any) error {
	switch {
	case anyContains(v, placeholderStart+typedPrefix):
		return steps.Errorf(steps.Invalid, "the text to type is not stored: it went into a password field, or possibly into one").
			WithNext("make the call again")
	case anyContains(v, placeholderStart+computedPrefix):
		return steps.Errorf(steps.Invalid, "a value that was computed from a secret is needed here, and such values are not stored").
			WithNext("resume from the step that computes it, with --from")
	}
	return nil
}

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

// scope returns a scope in which f has resolved all references.
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

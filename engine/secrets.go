package engine

import (
	"maps"
	"reflect"
	"slices"
	"strings"

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

// leastMasked is the length from which a secret is found by its content.
const leastMasked = 4

// placeholder is what stands for a secret while a template is evaluated, so that
// where it went can be told exactly. The private-use characters keep it apart
// from anything that a document would hold.
func placeholder(name string) string { return "\uE5EC" + name + "\uE5ED" }

// reference is what events hold where a secret stood.
func reference(name string) map[string]any { return map[string]any{secretKey: name} }

// reveal puts the values back where references stand.
func (x secrets) reveal(v any) any {
	return x.resolve(v, func(name string) string { return x[name] })
}

// withPlaceholders puts stand-ins where references stand.
func (x secrets) withPlaceholders(v any) any { return x.resolve(v, placeholder) }

func (x secrets) resolve(v any, value func(string) string) any {
	if len(x) == 0 {
		return v
	}
	switch v := v.(type) {
	case map[string]any:
		if name, ok := v[secretKey].(string); ok {
			return value(name)
		}
		if parts, ok := v[joinKey].([]any); ok {
			var text strings.Builder
			for _, p := range parts {
				s, _ := x.resolve(p, value).(string)
				text.WriteString(s)
			}
			return text.String()
		}
		out := make(map[string]any, len(v))
		for k, e := range v {
			out[k] = x.resolve(e, value)
		}
		return out
	case []any:
		out := make([]any, len(v))
		for i, e := range v {
			out[i] = x.resolve(e, value)
		}
		return out
	}
	return v
}

// toReferences turns stand-ins into references.
func (x secrets) toReferences(v any) any {
	return x.replace(v, func(s string) any { return cut(s, x.placeholders()) })
}

// mask turns the secrets themselves into references, wherever they appear.
func (x secrets) mask(v any) any {
	return x.replace(v, func(s string) any { return cut(s, x.contents()) })
}

// maskText hides secrets in a message for people.
func (x secrets) maskText(s string) string {
	for _, c := range x.contents() {
		s = strings.ReplaceAll(s, c.text, "‹secret "+c.name+"›")
	}
	return s
}

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
				key = x.maskText(k)
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
	}
	return v
}

// needle is a text that stands for a secret.
type needle struct{ text, name string }

func (x secrets) placeholders() []needle {
	var out []needle
	for _, n := range slices.Sorted(maps.Keys(x)) {
		out = append(out, needle{placeholder(n), n})
	}
	return out
}

func (x secrets) contents() []needle {
	var out []needle
	for _, n := range slices.Sorted(maps.Keys(x)) {
		if len([]rune(x[n])) >= leastMasked {
			out = append(out, needle{x[n], n})
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
			pieces := strings.Split(text, n.text)
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
	return map[string]any{secretKey: strings.Join(slices.Sorted(maps.Keys(x)), ","), derivedKey: true}
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

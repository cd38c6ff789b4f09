package selector

import (
	"iter"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// either returns the part that an element fulfils if it fulfils one of the alternatives.
// Alternatives within alternatives are flattened, so that each selector has one form.
func either(all []part) part {
	var flat []part
	for _, p := range all {
		if len(p) == 1 && p[0].kind == anyOf {
			flat = append(flat, p[0].any...)
		} else {
			flat = append(flat, p)
		}
	}
	if len(flat) == 1 {
		return flat[0]
	}
	return part{{kind: anyOf, any: flat}}
}

// negated returns the part that exactly those elements fulfil that do not fulfil p, by De
// Morgan's laws. Its atoms must be local.
func (p part) negated() part {
	all := make([]part, len(p))
	for i, a := range p {
		all[i] = a.negated()
	}
	return either(all)
}

func (a atom) negated() part {
	if a.kind != anyOf {
		a.not = !a.not
		return part{a}
	}
	var all part
	for _, p := range a.any {
		all = append(all, p.negated()...)
	}
	return all
}

// each yields the atoms of a part, and those of its alternatives.
func (p part) each() iter.Seq[*atom] {
	return func(yield func(*atom) bool) { p.visit(yield) }
}

func (p part) visit(yield func(*atom) bool) bool {
	for i := range p {
		if !yield(&p[i]) {
			return false
		}
		for _, alternative := range p[i].any {
			if !alternative.visit(yield) {
				return false
			}
		}
	}
	return true
}

// has reports whether the part, or one of its alternatives, has an atom of a kind.
func (p part) has(k kind) bool {
	for a := range p.each() {
		if a.kind == k {
			return true
		}
	}
	return false
}

// local reports whether an element fulfils the part regardless of other elements.
func (p part) local() bool {
	return !slices.ContainsFunc(p, func(a atom) bool { return !a.local() })
}

func (a *atom) local() bool {
	return a.kind.local() && !slices.ContainsFunc(a.any, func(p part) bool { return !p.local() || p.prefers() })
}

// prefers reports whether what matches depends on whether something equals a name.
func (p part) prefers() bool {
	return slices.ContainsFunc(p, func(a atom) bool { return a.either && !a.not })
}

// anyMatches reports whether an element fulfils one of the alternatives, which are local.
func (a *atom) anyMatches(e *desktop.Element) bool {
	return slices.ContainsFunc(a.any, func(p part) bool { return p.matches(e) })
}

// among returns the elements that match one of the alternatives when each is looked for
// by itself.
func (a *atom) among(tops, all []*desktop.Element, self bool) []*desktop.Element {
	in := map[*desktop.Element]bool{}
	for _, p := range a.any {
		for _, e := range p.choose(tops, p.preferEqual(p.collect(tops, self)), self) {
			in[e] = true
		}
	}
	return slices.DeleteFunc(slices.Clone(all), func(e *desktop.Element) bool { return !in[e] })
}

// attribute reports whether an element has the attribute of attr:, ignoring case.
func (a *atom) attribute(e *desktop.Element) bool {
	key, want, _ := strings.Cut(a.value, "=")
	for name, value := range e.Attributes {
		if strings.EqualFold(name, key) && (strings.EqualFold(value, want) || a.fold && strings.Contains(strings.ToLower(value), strings.ToLower(want))) {
			return true
		}
	}
	return false
}

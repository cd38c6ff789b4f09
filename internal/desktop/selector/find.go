package selector

import (
	"cmp"
	"iter"
	"slices"
	"strings"
	"unicode"

	"understudy/internal/desktop"
)

// Find returns every element that the selector matches, in tree order. It stays
// within the roots, and reads nothing but the elements.
func (s *Selector) Find(roots []*desktop.Element) []*desktop.Element {
	found, within := roots, true
	for i, p := range s.parts {
		found = p.find(roots, found, i == 0 || within)
		within = p.scopeOnly()
		if len(found) == 0 {
			return nil
		}
	}
	return found
}

// find narrows the matches of the parts before it to those of this part. With
// self, those elements may match themselves.
func (p part) find(roots, from []*desktop.Element, self bool) []*desktop.Element {
	switch {
	case p[0].kind == parent:
		return parents(roots, from)
	case p[0].kind == byPath:
		return p[0].follow(from, self)
	case p[0].kind == byImage:
		return nil
	case len(p) == 1 && p[0].kind == byNth:
		return pick(from, p[0].n)
	}
	tops := outermost(from)
	fits := p.collect(tops, self)
	if len(fits) == 0 && p.mayLookInside() {
		fits = innermost(p.lookingInside().collect(tops, self))
	}
	return p.choose(tops, p.preferEqual(fits), self)
}

// mayLookInside reports whether text: may mean the words inside an element, as those in a row: the
// part must say which of the elements around the words is meant.
func (p part) mayLookInside() bool {
	says := slices.ContainsFunc(p, func(a atom) bool { return !a.not && (a.kind == byRole || a.kind == byClass || a.kind == byID) })
	return says && slices.ContainsFunc(p, func(a atom) bool { return !a.not && a.kind == byText })
}

// lookingInside returns the part with text: as the words inside an element.
func (p part) lookingInside() part {
	p = slices.Clone(p)
	for i := range p {
		p[i].inside = p[i].kind == byText && !p[i].not
	}
	return p
}

// collect returns every element below the tops that fulfils the local atoms.
func (p part) collect(tops []*desktop.Element, self bool) []*desktop.Element {
	var fits []*desktop.Element
	outer := p.scopeOnly()
	p = p.withPrograms()
	var visit func(e *desktop.Element)
	visit = func(e *desktop.Element) {
		if p.matches(e) {
			fits = append(fits, e)
			if outer {
				return
			}
		}
		for _, c := range e.Children {
			visit(c)
		}
	}
	for _, t := range tops {
		below := t.Children
		if self {
			below = []*desktop.Element{t}
		}
		for _, e := range below {
			visit(e)
		}
	}
	return fits
}

// preferEqual returns the elements whose name equals the value of name?:, if there are
// any, else all.
func (p part) preferEqual(fits []*desktop.Element) []*desktop.Element {
	for _, a := range p {
		if !a.either || a.not {
			continue
		}
		equal := slices.DeleteFunc(slices.Clone(fits), func(e *desktop.Element) bool { return !a.equals(e) })
		if len(equal) > 0 {
			fits = equal
		}
	}
	return fits
}

func (a *atom) equals(e *desktop.Element) bool {
	return desktop.CollapseSpace(NameOf(e)) == desktop.CollapseSpace(a.value)
}

// MatchedInPart reports whether the selector matches an element only because its name
// contains the value of name?:.
func (s *Selector) MatchedInPart(e *desktop.Element) bool {
	return slices.ContainsFunc(s.parts[len(s.parts)-1], func(a atom) bool { return a.either && !a.not && !a.equals(e) })
}

// withPrograms returns the part, prepared to be compared with many elements.
func (p part) withPrograms() part {
	p = slices.Clone(p)
	for i := range p {
		if p[i].kind == anyOf {
			p[i].any = slices.Clone(p[i].any)
			for j, alternative := range p[i].any {
				p[i].any[j] = alternative.withPrograms()
			}
		}
		if p[i].kind == byProcess {
			p[i].program = desktop.Program(p[i].value)
		}
	}
	return p
}

func (p part) matches(e *desktop.Element) bool {
	for i := range p {
		if p[i].local() && p[i].matches(e) == p[i].not {
			return false
		}
	}
	return true
}

// choose applies the atoms that concern all matches of a part together.
func (p part) choose(tops, fits []*desktop.Element, self bool) []*desktop.Element {
	var nth *int
	var sides []atom
	for _, a := range p {
		switch {
		case a.kind == byPos:
			fits = smallestAt(fits, a.at)
		case a.kind == anyOf && !a.local():
			fits = a.among(tops, fits, self)
		case a.kind == byNth:
			nth = &a.n
		case a.kind.relative():
			sides = append(sides, a)
		}
	}
	if len(sides) > 0 {
		return nearestBeside(tops, fits, sides, nth)
	}
	if nth != nil {
		return pick(fits, *nth)
	}
	return fits
}

// pick returns the nth element, from the back if n is negative.
func pick(all []*desktop.Element, n int) []*desktop.Element {
	if n < 0 {
		n += len(all)
	}
	if n < 0 || n >= len(all) {
		return nil
	}
	return all[n : n+1]
}

// matches reports whether an element fulfils an atom, before negation.
func (a *atom) matches(e *desktop.Element) bool {
	switch a.kind {
	case byRole:
		return e.HasRole(a.role)
	case byName:
		return a.matchesText(NameOf(e)) || a.matchesText(withoutGlyphs(NameOf(e)))
	case byText:
		return a.containsText(e.Text) || a.containsText(e.Name) || a.inside && a.containsText(WordsIn(e))
	case byID:
		return e.ID != "" && a.matchesText(e.ID)
	case byClass: // on pages a class is one of a list
		return a.matchesText(e.Class) || !a.fold && slices.Contains(strings.Fields(e.Class), a.value)
	case byProcess:
		return a.matchesProgram(e)
	case byWindow:
		if a.window != 0 {
			return e.Window == a.window
		}
		return strings.Contains(strings.ToLower(desktop.CollapseSpace(inherited(e, title))), a.folded)
	case byState:
		return e.States.Has(a.state)
	case byVisible:
		return e.States.Has(desktop.Showing) || !e.Bounds.Empty()
	case byRef:
		return e.Ref == a.value
	case byAttr:
		return a.attribute(e)
	case byHas:
		return len(a.inner.Find(e.Children)) > 0
	case anyOf:
		return a.anyMatches(e)
	}
	return false
}

// NameOf returns an element's name, or its label if it has none.
func NameOf(e *desktop.Element) string {
	if e.Name == "" {
		return e.Label
	}
	return e.Name
}

// withoutGlyphs returns a name without the characters around it that only a font of icons
// shows as something: nobody can write them.
func withoutGlyphs(name string) string {
	return strings.TrimFunc(name, func(r rune) bool { return unicode.Is(unicode.Co, r) || unicode.IsSpace(r) })
}

// matchesText compares a whole text, or with "~" searches it.
func (a *atom) matchesText(text string) bool {
	if a.fold {
		return strings.Contains(strings.ToLower(desktop.CollapseSpace(text)), a.folded)
	}
	return text == a.value || desktop.CollapseSpace(text) == desktop.CollapseSpace(a.value)
}

func (a *atom) containsText(text string) bool {
	if a.fold {
		return a.matchesText(text)
	}
	return strings.Contains(text, a.value) || strings.Contains(desktop.CollapseSpace(text), desktop.CollapseSpace(a.value))
}

// WordsIn returns the words inside an element, as they are read.
func WordsIn(e *desktop.Element) string {
	var all []string
	for _, c := range e.Children {
		all = append(all, cmp.Or(c.Text, c.Name, WordsIn(c)))
	}
	return strings.Join(slices.DeleteFunc(all, func(word string) bool { return word == "" }), " ")
}

func (a *atom) matchesProgram(e *desktop.Element) bool {
	name, top := inherited(e, process), e
	if a.fold { // folded is empty for a mere ending, such as .exe
		return a.folded != "" && strings.Contains(desktop.ProgramName(name), a.folded) || strings.Contains(strings.ToLower(name), strings.ToLower(a.value))
	}
	for top.Parent != nil {
		top = top.Parent
	}
	return a.program(e.PID, name, top.Aliases)
}

func process(e *desktop.Element) string { return e.Process }

func title(e *desktop.Element) string { return e.WindowTitle }

// inherited returns a property of the element, or of the nearest ancestor that
// has it.
func inherited(e *desktop.Element, what func(*desktop.Element) string) string {
	for ; e != nil; e = e.Parent {
		if v := what(e); v != "" {
			return v
		}
	}
	return ""
}

// outermost returns those of the elements that are inside no other of them.
func outermost(all []*desktop.Element) []*desktop.Element {
	if len(all) < 2 {
		return all
	}
	in := setOf(all)
	return slices.DeleteFunc(slices.Clone(all), func(e *desktop.Element) bool {
		return e.Enclosing(func(p *desktop.Element) bool { return in[p] }) != nil
	})
}

// parents returns the elements that have one of the others as a child.
func parents(roots, all []*desktop.Element) []*desktop.Element {
	in := setOf(all)
	var found []*desktop.Element
	for e := range each(roots) {
		if slices.ContainsFunc(e.Children, func(c *desktop.Element) bool { return in[c] }) {
			found = append(found, e)
		}
	}
	return found
}

// each iterates over the roots and all elements below, parents first.
func each(roots []*desktop.Element) iter.Seq[*desktop.Element] {
	return (&desktop.Tree{Roots: roots}).Walk
}

func setOf(all []*desktop.Element) map[*desktop.Element]bool {
	in := make(map[*desktop.Element]bool, len(all))
	for _, e := range all {
		in[e] = true
	}
	return in
}

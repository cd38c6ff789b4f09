package selector

import (
	"slices"
	"strings"

	"understudy/steps/desktop"
)

// Find returns every element that the selector matches, in the order of the
// tree. It never leaves the roots, and reads nothing but the elements.
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

// find is one step of a chain: from what the parts before matched to what this
// part matches. With self, those elements may match themselves.
func (p part) find(roots, from []*desktop.Element, self bool) []*desktop.Element {
	switch {
	case p[0].kind == parent:
		return parents(roots, from)
	case p[0].kind == byImage:
		return nil
	case len(p) == 1 && p[0].kind == byNth:
		return pick(from, p[0].n)
	}
	tops := outermost(roots, from)
	fits := p.collect(tops, self)
	return p.choose(tops, fits)
}

// collect is every element below the tops that fulfils the atoms that an
// element fulfils by itself.
func (p part) collect(tops []*desktop.Element, self bool) []*desktop.Element {
	var fits []*desktop.Element
	outer := p.scopeOnly()
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
		if self {
			visit(t)
			continue
		}
		for _, c := range t.Children {
			visit(c)
		}
	}
	return fits
}

func (p part) matches(e *desktop.Element) bool {
	for i := range p {
		if p[i].kind.local() && p[i].matches(e) == p[i].not {
			return false
		}
	}
	return true
}

// choose applies the atoms that look at all of a part's matches together.
func (p part) choose(tops, fits []*desktop.Element) []*desktop.Element {
	var nth *int
	var sides []atom
	for _, a := range p {
		switch {
		case a.kind == byPos:
			fits = smallestAt(fits, a.at)
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

// pick is the nth of the elements, from the back when n is negative.
func pick(all []*desktop.Element, n int) []*desktop.Element {
	if n < 0 {
		n += len(all)
	}
	if n < 0 || n >= len(all) {
		return nil
	}
	return all[n : n+1]
}

// matches says whether an element fulfils an atom, before "!" turns it round.
func (a *atom) matches(e *desktop.Element) bool {
	switch a.kind {
	case byRole:
		return e.Role.Matches(a.role)
	case byName:
		return a.matchesText(NameOf(e))
	case byText:
		return a.containsText(e.Text) || a.containsText(e.Name)
	case byID:
		return e.ID != "" && a.matchesText(e.ID)
	case byClass:
		return a.matchesText(e.Class)
	case byProcess:
		return a.matchesProgram(inherited(e, process))
	case byWindow:
		return strings.Contains(strings.ToLower(collapseSpace(inherited(e, title))), a.folded)
	case byState:
		return e.States.Has(a.state)
	case byVisible:
		return e.States.Has(desktop.Showing) || !e.Bounds.Empty()
	case byRef:
		return e.Ref == a.value
	}
	return false
}

// NameOf is what an element is called: its name, or its label when it has none.
func NameOf(e *desktop.Element) string {
	if e.Name == "" {
		return e.Label
	}
	return e.Name
}

// matchesText compares a whole text, or with "~" looks for a part of it.
func (a *atom) matchesText(text string) bool {
	if a.fold {
		return strings.Contains(strings.ToLower(collapseSpace(text)), a.folded)
	}
	return text == a.value || collapseSpace(text) == collapseSpace(a.value)
}

// containsText looks for a part of a text.
func (a *atom) containsText(text string) bool {
	if a.fold {
		return a.matchesText(text)
	}
	return strings.Contains(text, a.value) || strings.Contains(collapseSpace(text), collapseSpace(a.value))
}

// matchesProgram compares a program's name.
func (a *atom) matchesProgram(name string) bool {
	name = desktop.ProgramName(name)
	return name == a.folded || a.fold && strings.Contains(name, a.folded)
}

func process(e *desktop.Element) string { return e.Process }

func title(e *desktop.Element) string { return e.WindowTitle }

// inherited is what the element, or the nearest around it that says so, says.
func inherited(e *desktop.Element, what func(*desktop.Element) string) string {
	for ; e != nil; e = e.Parent {
		if v := what(e); v != "" {
			return v
		}
	}
	return ""
}

// collapseSpace runs the blanks of a text together and takes them off its ends.
func collapseSpace(text string) string {
	for i := range len(text) {
		if c := text[i]; c <= ' ' && (c != ' ' || i == 0 || i == len(text)-1 || text[i+1] == ' ') || c >= 0x80 {
			return strings.Join(strings.Fields(text), " ")
		}
	}
	return text
}

// outermost are those of the elements that no other of them is around.
func outermost(roots, all []*desktop.Element) []*desktop.Element {
	if len(all) < 2 || slices.Equal(roots, all) {
		return all
	}
	in := setOf(all)
	var tops []*desktop.Element
	var visit func(e *desktop.Element)
	visit = func(e *desktop.Element) {
		if in[e] {
			tops = append(tops, e)
			return
		}
		for _, c := range e.Children {
			visit(c)
		}
	}
	for _, r := range roots {
		visit(r)
	}
	return tops
}

// parents are the elements that have one of the others as a child.
func parents(roots, all []*desktop.Element) []*desktop.Element {
	in := setOf(all)
	var found []*desktop.Element
	for _, r := range roots {
		r.Walk(func(e *desktop.Element) bool {
			if slices.ContainsFunc(e.Children, func(c *desktop.Element) bool { return in[c] }) {
				found = append(found, e)
			}
			return true
		})
	}
	return found
}

func setOf(all []*desktop.Element) map[*desktop.Element]bool {
	in := make(map[*desktop.Element]bool, len(all))
	for _, e := range all {
		in[e] = true
	}
	return in
}

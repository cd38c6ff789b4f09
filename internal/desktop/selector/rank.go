package selector

import (
	"regexp"
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// A Candidate is a selector, and how many elements it matches.
type Candidate struct {
	Selector string `json:"selector"`
	Matches  int    `json:"matches"`
}

// For lists selectors that match an element of the roots, the most durable
// first: its id; its role and name, in its window if needed; its role beside a
// label; below an ancestor with a name; by count; by an id that was generated. Each comes
// with its number of matches; the first with one match is the best unique selector. An element that was read alone
// is identified by its handle. Labels count only if boxes have been read.
func For(e *desktop.Element, roots []*desktop.Element) []Candidate {
	e = locate(e, roots)
	if e == nil {
		return nil
	}
	r := &ranking{element: e, roots: roots, seen: map[string]bool{}}
	own := r.roleAndName()
	stable := own // nil if the name is volatile
	if !Lasting(NameOf(e)) {
		stable = nil
	}
	if !generated.MatchString(e.ID) {
		r.tryID()
	}
	r.tryInWindow(stable)
	r.tryText()
	r.tryNeighbours()
	r.tryAncestors(stable)
	r.tryInWindow(own)
	r.tryNth(stable)
	r.tryID()
	return r.found
}

// bestSelector returns the first selector that matches only the element, or else the first.
func bestSelector(e *desktop.Element, roots []*desktop.Element) Candidate {
	all := append(For(e, roots), Candidate{})
	return all[max(0, slices.IndexFunc(all, func(c Candidate) bool { return c.Matches == 1 }))]
}

// locate returns the element below the roots that is the same as e.
func locate(e *desktop.Element, roots []*desktop.Element) *desktop.Element {
	for o := range each(roots) {
		if o == e || e.Handle != "" && o.Handle == e.Handle {
			return o
		}
	}
	return nil
}

// A ranking collects the candidates.
type ranking struct {
	element *desktop.Element
	roots   []*desktop.Element
	found   []Candidate
	seen    map[string]bool
}

// try adds a selector if it is new, can be written, and matches the element. One with an
// empty part cannot, nor one of a text that is blank, too long or not UTF-8.
func (r *ranking) try(parts ...part) {
	text := (&Selector{parts}).String()
	s, err := Parse(text)
	if err != nil || r.seen[text] {
		return
	}
	r.seen[text] = true
	if found := s.Find(r.roots); slices.Contains(found, r.element) {
		r.found = append(r.found, Candidate{text, len(found)})
	}
}

func (r *ranking) tryID() {
	id := valued(byID, r.element.ID)
	r.try(part{id})
	r.try(append(roleOf(r.element), id))
}

// tryInWindow tries a part alone, and in its window.
func (r *ranking) tryInWindow(p part) {
	r.try(p)
	if where := r.window(); len(where) > 0 {
		r.try(where, p)
	}
}

// tryText identifies a nameless element by its text, unless that is editable.
func (r *ranking) tryText() {
	if e := r.element; NameOf(e) == "" && e.Text != "" && len(e.Text) <= 60 && Lasting(e.Text) && !e.States.Has(desktop.Editable) {
		r.tryInWindow(append(roleOf(r.element), valued(byText, strings.TrimSpace(e.Text))))
	}
}

// tryNeighbours identifies the element by the label before or above it.
func (r *ranking) tryNeighbours() {
	for _, side := range []kind{rightOf, below} {
		if l := labelOn(side, r.element, r.roots); l != nil && strings.TrimSpace(NameOf(l)) != "" && Lasting(NameOf(l)) {
			r.tryInWindow(append(roleOf(r.element), atom{kind: side, inner: &Selector{[]part{roleAndName(l)}}}))
		}
	}
}

// tryAncestors looks below the three nearest ancestors that have a name. It counts only where
// none of them has the element alone.
func (r *ranking) tryAncestors(own part) {
	var named []part
	for a := r.element.Parent; a != nil && len(named) < 3; a = a.Parent {
		if strings.TrimSpace(NameOf(a)) != "" && a.Name != a.WindowTitle && Lasting(NameOf(a)) {
			named = append(named, roleAndName(a))
		}
	}
	for _, a := range named {
		for _, p := range []part{own, roleOf(r.element)} {
			r.try(a, p)
			r.try(r.window(), a, p)
		}
	}
	for _, a := range named {
		r.tryCount(a, roleOf(r.element))
	}
}

// tryNth counts the elements of the same sort.
func (r *ranking) tryNth(own part) {
	for _, p := range []part{own, roleOf(r.element)} {
		r.tryCount(r.window(), p)
		r.tryCount(p)
	}
}

// tryCount adds nth to the last part of a chain.
func (r *ranking) tryCount(parts ...part) {
	last := parts[len(parts)-1]
	if len(last) == 0 || len(parts[0]) == 0 {
		return
	}
	if n := slices.Index((&Selector{parts}).Find(r.roots), r.element); n >= 0 {
		parts[len(parts)-1] = append(slices.Clip(last), atom{kind: byNth, n: n})
		r.try(parts...)
	}
}

// roleAndName matches the element's role and name. It is nil for an element without a
// name.
func (r *ranking) roleAndName() part {
	if strings.TrimSpace(NameOf(r.element)) == "" {
		return nil
	}
	return roleAndName(r.element)
}

// window matches the element's program and window. It leaves out the mark of unsaved
// changes in the title.
func (r *ranking) window() part {
	var p part
	if name := inherited(r.element, process); strings.TrimSpace(name) != "" {
		p = append(p, valued(byProcess, name))
	}
	if t := strings.TrimSpace(strings.TrimLeft(inherited(r.element, title), "*● ")); t != "" {
		p = append(p, valued(byWindow, desktop.CollapseSpace(t)))
	}
	return p
}

func roleAndName(e *desktop.Element) part {
	return append(roleOf(e), valued(byName, desktop.CollapseSpace(NameOf(e))))
}

func roleOf(e *desktop.Element) part {
	if role, ok := desktop.ParseRole(string(e.Role)); ok {
		return part{{kind: byRole, role: role}}
	}
	return nil
}

// valued returns an atom that compares text.
func valued(k kind, value string) atom {
	a, _ := (&parser{}).atomOf(0, k, false, value)
	return a
}

// volatile matches names with ages, times, dates or folders.
var volatile = regexp.MustCompile(`(?i)\b\d+ ?(s|sec|second|min|minute|h|hour|day|week|month|year)s? ago\b|\b\d{1,2}:\d{2}\b|\b\d{4}-\d{2}-\d{2}\b|(?:^|[\s:"])~?/[^\s/]+/`)

// generated matches the ids that libraries of web pages count up, such as :r5: of React or
// ember1042, so that the same element has another one the next time. Numbers alone do not
// make an id such: that of a record may be long and stays.
var generated = regexp.MustCompile(`:r[0-9a-z]{1,4}:|«r[0-9a-z]{1,4}»|\b_r_[0-9a-z]{1,4}_|^(ember|ext-gen|ext-comp-|yui_)\d|^(radix|headlessui|react-aria|mui|cdk)-(.*-)?\d+$|^__BVID__`)

// Lasting reports whether a name can be expected to stay the same: it is short and
// contains no time and no folder.
func Lasting(name string) bool { return len(name) <= 120 && !volatile.MatchString(name) }

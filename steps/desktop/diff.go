package desktop

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// A Change is one difference between two trees.
type Change struct {
	Kind    ChangeKind `json:"kind"`
	Element *Element   `json:"element"` // as it is after, or was when it is gone
	// Inside is how many elements came or went with it.
	Inside int `json:"inside,omitempty"`
	// Fields are what is different about an element that stayed.
	Fields []FieldChange `json:"fields,omitempty"`
}

// ChangeKind is the sort of a change.
type ChangeKind string

// The sorts of changes.
const (
	Appeared    ChangeKind = "appeared"
	Disappeared ChangeKind = "disappeared"
	Changed     ChangeKind = "changed"
)

// FieldChange is a field of an element that is different.
type FieldChange struct {
	Name string `json:"name"`
	From string `json:"from"`
	To   string `json:"to"`
}

// String is the change in one line: + what appeared, - what disappeared,
// ~ what changed.
func (c Change) String() string {
	inside := ""
	if c.Inside > 0 {
		inside = fmt.Sprintf(" with %d inside", c.Inside)
	}
	switch c.Kind {
	case Appeared:
		return "+ " + headline(c.Element) + inside
	case Disappeared:
		gone := *c.Element
		gone.Ref = "" // it means nothing any more
		return "- " + headline(&gone) + inside
	}
	words := make([]string, len(c.Fields))
	for i, f := range c.Fields {
		words[i] = f.String()
	}
	return "~ " + headline(c.Element) + ": " + strings.Join(words, ", ")
}

func (f FieldChange) String() string {
	if f.Name == "name" || f.Name == "text" {
		from, to := f.From, f.To
		if max(utf8.RuneCountInString(from), utf8.RuneCountInString(to)) > outlineText {
			from, to = differing(from, to)
		}
		return fmt.Sprintf("%s %s → %s", f.Name, quoted(from), quoted(to))
	}
	return fmt.Sprintf("%s %s → %s", f.Name, f.From, f.To)
}

// sameShown is how much stands before the place where long texts begin to differ.
const sameShown = 20

// differing are two texts from a little before the place where they begin to differ.
func differing(from, to string) (a, b string) {
	f, t := []rune(from), []rune(to)
	n := 0
	for n < min(len(f), len(t)) && f[n] == t[n] {
		n++
	}
	if n <= sameShown {
		return from, to
	}
	n -= sameShown
	return "…" + string(f[n:]), "…" + string(t[n:])
}

// DiffTrees lists what is different after something was done: first what is
// new, then what changed, then what is gone. An element is known again by its
// handle, or without one by its role, name and place among its siblings, as is a cell
// of a sheet, of which applications make another object each time they are asked. Of
// what came or went together, only the outermost is listed. Boxes are not
// compared: what moves has not changed.
func DiffTrees(before, after *Tree) []Change {
	old, fresh := known(before), known(after)
	var appeared, changed, gone []Change
	each(after.Roots, fresh.keys, old.elements, func(e *Element, o *Element) {
		if o == nil {
			appeared = append(appeared, outermost(Appeared, e)...)
		} else if fields := compare(o, e); len(fields) > 0 {
			changed = append(changed, Change{Kind: Changed, Element: e, Fields: fields})
		}
	})
	each(before.Roots, old.keys, fresh.elements, func(e *Element, o *Element) {
		if o == nil {
			gone = append(gone, outermost(Disappeared, e)...)
		}
	})
	return slices.Concat(appeared, onceEach(changed, after), gone)
}

// onceEach are changes without those of elements that stand in the row of another to
// which the same happened.
func onceEach(changed []Change, after *Tree) []Change {
	if len(changed) < 2 {
		return changed
	}
	rows := repeated(after.Roots)
	return slices.DeleteFunc(changed, func(c Change) bool {
		shown := rows[c.Element]
		return shown != nil && slices.ContainsFunc(changed, func(o Change) bool { return o.Element == shown })
	})
}

// outermost are the changes for what came or went together, in which an
// element that says nothing of itself is passed over.
func outermost(k ChangeKind, e *Element) []Change {
	var all []Change
	for _, m := range meaningful([]*Element{e}) {
		all = append(all, Change{Kind: k, Element: m, Inside: countMeaningful(m) - 1})
	}
	return all
}

// index knows the elements of a tree by what stays the same.
type index struct {
	keys     map[*Element]string
	elements map[string]*Element
}

func known(t *Tree) index {
	x := index{map[*Element]string{}, map[string]*Element{}}
	x.add(t.Roots, "", false)
	return x
}

func (x index) add(elements []*Element, path string, inSheet bool) {
	count := map[string]int{}
	for _, e := range elements {
		key := path + "/" + string(e.Role) + " " + e.Name
		count[key]++
		key = fmt.Sprintf("%s #%d", key, count[key])
		if e.Handle != "" && !(inSheet && e.Role == "cell") {
			key = "handle " + string(e.Handle)
		}
		x.keys[e], x.elements[key] = key, e
		x.add(e.Children, key, e.Note != "")
	}
}

// each calls f for elements with their counterpart in the other tree, and does
// not go into those without.
func each(elements []*Element, keys map[*Element]string, others map[string]*Element, f func(e, other *Element)) {
	for _, e := range elements {
		o := others[keys[e]]
		f(e, o)
		if o != nil {
			each(e.Children, keys, others, f)
		}
	}
}

// compare lists what is different about one element.
func compare(before, after *Element) []FieldChange {
	var all []FieldChange
	field := func(name, from, to string) {
		if from != to {
			all = append(all, FieldChange{name, from, to})
		}
	}
	field("name", before.Name, after.Name)
	if before.Text != before.Name || after.Text != after.Name {
		field("text", before.Text, after.Text)
	}
	field("value", number(before.shownValue()), number(after.shownValue()))
	was, is := before.Marks(), after.Marks()
	for _, s := range slices.Compact(slices.Sorted(slices.Values(slices.Concat(was, is)))) {
		field(s, fmt.Sprint(slices.Contains(was, s)), fmt.Sprint(slices.Contains(is, s)))
	}
	return all
}

func number(r *Range) string {
	if r == nil {
		return ""
	}
	return fmt.Sprintf("%g", r.Now)
}

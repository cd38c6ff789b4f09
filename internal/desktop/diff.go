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
	Element *Element   `json:"element"` // as it is after the change, or was if it is gone
	// Inside counts the elements that appeared or disappeared with it.
	Inside int `json:"inside,omitempty"`
	// Fields are the differences of an element that stayed.
	Fields []FieldChange `json:"fields,omitempty"`
}

// ChangeKind is the kind of a change.
type ChangeKind string

// The kinds of changes.
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

// String returns the change as one line, which begins with + for an element that
// appeared, - for one that disappeared and ~ for one that changed.
func (c Change) String() string {
	inside := ""
	if c.Inside > 0 {
		inside = fmt.Sprintf(" with %d inside", c.Inside)
	}
	switch c.Kind {
	case Appeared:
		if isJoined(c.Element) {
			text, _ := (&Tree{Roots: []*Element{c.Element}}).Outline(0)
			return "+" + strings.TrimPrefix(strings.TrimRight(text, "\n"), "-")
		}
		return "+ " + headline(c.Element.shownCell()) + inside
	case Disappeared:
		gone := *c.Element.shownCell()
		gone.Ref = "" // it means nothing any more
		if text := gone.cellWords(); text != "" {
			return "- row " + text
		}
		return "- " + headline(&gone) + inside
	}
	words := make([]string, len(c.Fields))
	for i, f := range c.Fields {
		words[i] = f.String()
	}
	fields := strings.Join(words, ", ")
	if cells := c.Element.Children; isJoined(c.Element) {
		i := max(0, slices.IndexFunc(cells, func(e *Element) bool { return len(e.shownCell().words()) > 0 }))
		return "~ " + headline(cells[i].shownCell()) + " and its row: " + fields
	}
	return "~ " + headline(c.Element.shownCell()) + ": " + fields
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

// sameShown is how many equal characters are shown before the first difference of
// long texts.
const sameShown = 20

// differing returns two texts from sameShown characters before their first
// difference.
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

// DiffTrees lists the differences of two trees: first new elements, then changed
// ones, then those that are gone. Elements are matched by handle; elements without
// one are matched by role, name and position among their siblings, and so are the
// cells of a sheet, for which applications return another object each time. Of
// elements that appear or disappear together, only the outermost is listed. Boxes
// are not compared: an element that moves has not changed. An element that another one of
// the same look replaces in its place has not changed either.
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
	appeared = slices.DeleteFunc(appeared, func(a Change) bool {
		i := slices.IndexFunc(gone, func(g Change) bool { return looksLike(a.Element, g.Element) })
		if i >= 0 {
			gone = slices.Delete(gone, i, i+1)
		}
		return i >= 0
	})
	return slices.Concat(appeared, onceEach(changed, after), gone)
}

// looksLike reports whether two elements show the same in the same place, with all that is
// inside them.
func looksLike(e, o *Element) bool {
	return e.Role == o.Role && e.Bounds == o.Bounds && len(compare(o, e)) == 0 && slices.EqualFunc(e.Children, o.Children, looksLike)
}

// onceEach drops the changes of elements that share the outline row of another
// changed element.
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

// outermost returns the changes for elements that appeared or disappeared together.
// An element that says nothing itself is replaced by its children.
func outermost(k ChangeKind, e *Element) []Change {
	var all []Change
	for _, m := range meaningful([]*Element{e}) {
		all = append(all, Change{Kind: k, Element: m, Inside: countMeaningful(m) - 1})
	}
	return all
}

// An index maps the elements of a tree to keys that stay the same, and back.
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

// each calls f for elements with their counterpart in the other tree, or nil. It
// does not descend into elements without one.
func each(elements []*Element, keys map[*Element]string, others map[string]*Element, f func(e, other *Element)) {
	for _, e := range elements {
		o := others[keys[e]]
		f(e, o)
		if o != nil {
			each(e.Children, keys, others, f)
		}
	}
}

// compare lists the differences of one element.
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

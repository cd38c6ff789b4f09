package desktop

import (
	"cmp"
	"slices"
	"strings"
)

// A row is a line of an outline: an element, with elements that only repeat it.
type row struct {
	element  *Element
	around   []*Element // ancestors that hold nothing else and say no more, the outermost first
	inside   []*Element // only children that say no more than the element
	children []*Element // in the rows below
	cells    string     // of a row of a table: its cells, which are not below then
}

// rowOf returns the row of an element. A cell that holds a link that holds a label,
// all with the same words, is one row: that of the link, because that is pressed.
func rowOf(e *Element) row {
	r := row{element: e, children: meaningful(e.Children)}
	for len(r.children) == 1 {
		c := r.children[0]
		switch {
		case r.element.bringsOnly(c):
			r.around = append(append(r.around, r.inside...), r.element)
			r.element, r.inside = c, nil
		case c.isWords() && c.addsNothingTo(r.element):
			r.inside = append(r.inside, c)
		default:
			return r
		}
		r.children = meaningful(c.Children)
	}
	return r
}

// saysOnlyLabels reports whether the text of an element is that of the labels below it,
// as pages report it.
func (r row) saysOnlyLabels() bool {
	var labels strings.Builder
	for _, c := range r.children {
		if c.Role == "label" {
			labels.WriteString(cmp.Or(c.Text, c.Name))
		}
	}
	return withoutSpace(labels.String()) == withoutSpace(r.element.Text)
}

func withoutSpace(text string) string { return strings.Join(strings.Fields(text), "") }

// bringsOnly reports whether an element is nothing to a reader but the container of
// its only child.
func (e *Element) bringsOnly(c *Element) bool {
	place := e.isWords() || e.Role.Is(Option) && !e.Role.Is(InMenu)
	better := c.Role.Is(Operable) || c.isWords() && e.isWords() && e.Name == "" || c.isPartOfCell()
	return place && better && e.addsNothingTo(c)
}

// isWords reports whether elements of this role only show words, or separate others.
func (e *Element) isWords() bool {
	return e.Role.Holds() || slices.Contains([]Role{"label", "heading", "paragraph", "icon", "image"}, e.Role)
}

// addsNothingTo reports whether another element says everything that this one says.
func (e *Element) addsNothingTo(o *Element) bool {
	return e.shownValue() == nil && e.Note == "" && subset(e.words(), o.words()) && subset(e.Marks(), o.Marks())
}

// words returns the texts of an element that an outline shows.
func (e *Element) words() (all []string) {
	for _, text := range []string{strings.TrimSpace(e.Name), strings.TrimSpace(e.Text)} {
		if text != "" {
			all = append(all, text)
		}
	}
	if len(all) == 0 && e.Label != "" {
		all = append(all, e.Label)
	}
	return all
}

func subset(some, all []string) bool {
	return !slices.ContainsFunc(some, func(s string) bool { return !slices.Contains(all, s) })
}

// shownValue returns the value of an element, or nil if it means nothing to a reader:
// some toolkits give each button a value between 0 and 1, which is whether it is on.
func (e *Element) shownValue() *Range {
	if v := e.Value; v != nil && (v.Min != 0 || v.Max != 1 || slices.Contains([]Role{"slider", "spinbutton", "progressbar", "scrollbar"}, e.Role)) {
		return v
	}
	return nil
}

// meaningful returns the elements, with containers that say nothing themselves
// replaced by their children. The label beside the field that it names is left out, and so are
// windows of pages that nobody sees.
func meaningful(elements []*Element) []*Element {
	var all []*Element
	for _, e := range elements {
		if e.isHiddenPage() {
			continue
		}
		if !e.says() {
			all = append(all, meaningful(e.Children)...)
			continue
		}
		if n := len(all); n > 0 && e.isLabelledBy(all[n-1]) {
			all = all[:n-1]
		}
		all = append(all, e)
	}
	return all
}

// isLabelledBy reports whether a label says nothing but the name of the field.
func (e *Element) isLabelledBy(label *Element) bool {
	return (e.Role.Is(Labelled) || e.Role.Is(Toggle)) && label.Role == "label" && len(label.words()) > 0 && len(label.Marks()) == 0 &&
		countMeaningful(label) == 1 && subset(label.words(), []string{cmp.Or(strings.TrimSpace(e.Name), e.Label)})
}

func countMeaningful(e *Element) int {
	n := 1
	for _, c := range rowOf(e).children {
		n += countMeaningful(c)
	}
	return n
}

// isHiddenPage reports whether an element is the window of a page that nobody sees: browsers report
// one for each page of their own. Neither it nor its document has a name, or anything inside.
func (e *Element) isHiddenPage() bool {
	return e.Role == "frame" && e.Parent == nil && len(e.words()) == 0 && e.Note == "" && !e.States.Has(Active) && len(e.Children) > 0 &&
		!slices.ContainsFunc(meaningful(e.Children), func(c *Element) bool { return !c.isBlankDocument() })
}

func (e *Element) isBlankDocument() bool {
	return e.Role == "document" && len(e.words()) == 0 && e.Note == "" && len(meaningful(e.Children)) == 0
}

// says reports whether an element is worth a line.
func (e *Element) says() bool {
	switch {
	case e.Note != "":
		return true
	case e.Role.Holds():
		return e.Name != "" || e.Label != "" || e.Text != "" || e.States.Has(Focused) || e.States.Has(Checked)
	case e.Role == "image": // it may be the target of a click
		return true
	case e.isPartOfCell() && len(e.Children) == 0:
		return !e.hasNoRoom() && (len(e.words()) > 0 || !subset(e.Marks(), e.Parent.Marks()) || slices.Contains(e.Actions, "toggle"))
	}
	return !e.isWords() || len(e.words()) > 0 || len(e.Marks()) > 0
}

// isPartOfCell reports whether an element is a cell in a cell: GTK has one for each thing
// that is drawn in it, such as an icon before a name.
func (e *Element) isPartOfCell() bool {
	return e.Role == "cell" && e.Parent != nil && e.Parent.Role == "cell"
}

// hasNoRoom reports whether an element takes up no room in its parent, which has some.
func (e *Element) hasNoRoom() bool { return e.Bounds.Empty() && !e.Parent.Bounds.Empty() }

// repeated maps the elements that are in the row of another one to that element.
func repeated(roots []*Element) map[*Element]*Element {
	all := map[*Element]*Element{}
	var visit func([]*Element)
	visit = func(elements []*Element) {
		for _, e := range elements {
			r := rowOf(e)
			for _, other := range slices.Concat(r.around, r.inside) {
				all[other] = r.element
			}
			visit(r.children)
		}
	}
	visit(meaningful(roots))
	return all
}

// Distinct returns the elements that an outline of the roots tells apart: without those
// that only repeat another of them, such as the words on a button, and without parts of
// a cell that take up no room.
func Distinct(elements, roots []*Element) []*Element {
	if len(elements) < 2 {
		return elements
	}
	rows := repeated(roots)
	distinct := slices.DeleteFunc(slices.Clone(elements), func(e *Element) bool {
		shown := rows[e]
		return shown != nil && slices.Contains(elements, shown) || e.isPartOfCell() && e.hasNoRoom() ||
			e.isWords() && slices.ContainsFunc(elements, func(o *Element) bool { return e.isInside(o) && e.addsNothingTo(o) }) ||
			e.Role == "label" && slices.ContainsFunc(elements, e.names)
	})
	if len(distinct) == 0 {
		return elements
	}
	return distinct
}

// labelDistance is how many levels above a field its label may be, or hang on.
const labelDistance = 3

// names reports whether a label is the one of a field: it says nothing but the name of the field,
// and is around or beside it.
func (e *Element) names(field *Element) bool {
	said, name := withoutSpace(cmp.Or(e.Name, e.Text, e.Label)), withoutSpace(cmp.Or(field.Name, field.Label))
	if !field.Role.Is(Labelled|Toggle) || said == "" || said != name || e.Window != field.Window {
		return false
	}
	for p, i := field.Parent, 0; p != nil && i < labelDistance; p, i = p.Parent, i+1 {
		if p == e || e.isInside(p) {
			return true
		}
	}
	return false
}

func (e *Element) isInside(o *Element) bool {
	return e.Enclosing(func(p *Element) bool { return p == o }) != nil
}

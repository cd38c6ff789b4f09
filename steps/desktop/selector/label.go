package selector

import (
	"slices"
	"unicode/utf8"

	"understudy/steps/desktop"
)

// FillLabels gives a label to every field that has neither a name nor one: the
// nearest label before it in its row, else the nearest above it, in the same
// window. For toolkits that do not say what labels what. Boxes must have been
// read.
func FillLabels(roots []*desktop.Element) {
	for _, root := range roots {
		root.Walk(func(e *desktop.Element) bool {
			if NeedsLabel(e) {
				if l := nearestLabel(e, roots); l != nil {
					e.Label = labelText(l)
				}
			}
			return true
		})
	}
}

// NeedsLabel says whether an element is a field that only the words beside it
// can name.
func NeedsLabel(e *desktop.Element) bool {
	return e.Name == "" && e.Label == "" && isField(e.Role)
}

// fields are the roles of what a label stands beside.
var fields = []desktop.Role{"entry", "text", "password", "combobox", "spinbutton", "slider", "switch", "progressbar"}

// isField says whether a role is that of a field.
func isField(r desktop.Role) bool { return slices.Contains(fields, r) }

func nearestLabel(e *desktop.Element, roots []*desktop.Element) *desktop.Element {
	if l := labelOn(RightOf, e, roots); l != nil {
		return l
	}
	return labelOn(Below, e, roots)
}

// labelOn is the label that an element lies right of, or below: the nearest
// with a text, with no other field in between.
func labelOn(side Direction, e *desktop.Element, roots []*desktop.Element) *desktop.Element {
	var label *desktop.Element
	closest := 0
	for _, root := range roots {
		root.Walk(func(o *desktop.Element) bool {
			if o == e || o.Window != e.Window || !isField(o.Role) && !canLabel(o, e) {
				return true
			}
			if d, ok := side.Distance(e.Bounds, o.Bounds); ok && d <= labelReach[side] && (label == nil || d < closest) {
				label, closest = o, d
			}
			return true
		})
	}
	if label == nil || isField(label.Role) {
		return nil
	}
	return label
}

// labelReach is how far, in pixels, a field may be from what labels it.
var labelReach = map[Direction]int{RightOf: 400, Below: 40}

// labelLength is how long a label may be, in characters; more is prose.
const labelLength = 50

// canLabel says whether an element is words that may name a field. What stands
// in a bar, such as that of a message over a page of text, names only what is
// in the same bar.
func canLabel(words, field *desktop.Element) bool {
	if text := labelText(words); words.Role != "label" || text == "" || utf8.RuneCountInString(text) > labelLength {
		return false
	}
	if inControl(words) {
		return false
	}
	return enclosingBar(words) == nil || enclosingBar(words) == enclosingBar(field)
}

// inControl says whether words are those on a control, such as a button, which
// name that and nothing beside it.
func inControl(words *desktop.Element) bool {
	for p := words.Parent; p != nil; p = p.Parent {
		switch p.Role {
		case "button", "togglebutton", "checkbox", "radiobutton", "combobox", "link", "menuitem", "pagetab", "switch":
			return true
		}
	}
	return false
}

// enclosingBar is the bar that an element is in; nil when it is in none.
func enclosingBar(e *desktop.Element) *desktop.Element {
	for p := e.Parent; p != nil; p = p.Parent {
		switch p.Role {
		case "statusbar", "alert", "toolbar", "menubar", "titlebar":
			return p
		}
	}
	return nil
}

func labelText(l *desktop.Element) string {
	if l.Name == "" {
		return collapseSpace(l.Text)
	}
	return collapseSpace(l.Name)
}

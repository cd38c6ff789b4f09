package selector

import (
	"slices"

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
	return e.Name == "" && e.Label == "" && labelled(e.Role)
}

// fields are the roles of what a label stands beside.
var fields = []desktop.Role{"entry", "text", "password", "combobox", "spinbutton", "slider", "switch", "progressbar"}

// labelled says whether a role is that of a field.
func labelled(r desktop.Role) bool { return slices.Contains(fields, r) }

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
			if o == e || o.Window != e.Window || !labelled(o.Role) && (o.Role != "label" || labelText(o) == "") {
				return true
			}
			if d, ok := side.Distance(e.Bounds, o.Bounds); ok && (label == nil || d < closest) {
				label, closest = o, d
			}
			return true
		})
	}
	if label == nil || labelled(label.Role) {
		return nil
	}
	return label
}

func labelText(l *desktop.Element) string {
	if l.Name == "" {
		return collapse(l.Text)
	}
	return collapse(l.Name)
}

package selector

import (
	"slices"
	"unicode/utf8"

	"understudy/internal/desktop"
)

// FillLabels labels every field that has neither a name nor a label: with the nearest
// label before it in its row, or else the nearest above it, in the same window. It is
// needed for toolkits that do not report labels. The boxes must have been read.
func FillLabels(roots []*desktop.Element) {
	for e := range each(roots) {
		if !NeedsLabel(e) {
			continue
		}
		l := labelOn(rightOf, e, roots)
		if l == nil {
			l = labelOn(below, e, roots)
		}
		if l != nil {
			e.Label = labelText(l)
		}
	}
}

// NeedsLabel reports whether an element is a field that only a label beside it
// can name.
func NeedsLabel(e *desktop.Element) bool {
	return e.Name == "" && e.Label == "" && isField(e.Role)
}

// isField reports whether elements of a role have their label beside them.
func isField(r desktop.Role) bool { return r.Is(desktop.Labelled) || r == "progressbar" }

// labelOn returns the nearest label with a text on one side of an element, with
// no other field in between.
func labelOn(side kind, e *desktop.Element, roots []*desktop.Element) *desktop.Element {
	var label *desktop.Element
	closest := 0
	for o := range each(roots) {
		if o == e || o.Window != e.Window || !isField(o.Role) && !canLabel(o, e) {
			continue
		}
		if d, ok := side.distance(e.Bounds, o.Bounds); ok && d <= labelReach[side] && (label == nil || d < closest) {
			label, closest = o, d
		}
	}
	if label == nil || isField(label.Role) {
		return nil
	}
	return label
}

// labelReach is the maximum distance of a label from its field, in pixels.
var labelReach = map[kind]int{rightOf: 400, below: 40}

// labelLength is the maximum length of a label in characters; longer texts are prose.
const labelLength = 50

// canLabel reports whether words may name a field. Words in a bar, such as an info bar
// over a page of text, name only fields in the same bar, and words in a dialog within a
// window only fields in that dialog.
func canLabel(words, field *desktop.Element) bool {
	text := labelText(words)
	if words.Role != "label" || text == "" || utf8.RuneCountInString(text) > labelLength ||
		words.Enclosing(isWorded) != nil || words.Enclosing(isDialog) != field.Enclosing(isDialog) {
		return false
	}
	bar := words.Enclosing(isBar)
	return bar == nil || bar == field.Enclosing(isBar)
}

func isBar(e *desktop.Element) bool {
	return slices.Contains([]desktop.Role{"statusbar", "alert", "toolbar", "menubar", "titlebar"}, e.Role)
}

func isDialog(e *desktop.Element) bool { return e.Role == "dialog" }

// isWorded reports whether an element is a control such as a button, whose words name only
// that.
func isWorded(e *desktop.Element) bool { return e.Role.Is(desktop.Worded) }

func labelText(l *desktop.Element) string {
	if l.Name == "" {
		return desktop.CollapseSpace(l.Text)
	}
	return desktop.CollapseSpace(l.Name)
}

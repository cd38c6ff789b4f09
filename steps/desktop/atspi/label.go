//go:build linux

package atspi

import (
	"strings"
	"unicode/utf8"

	"understudy/steps/desktop"
)

// labelReach is how far, in pixels, a label may be from the field it names.
const labelReach = 250

// labelLength is how long a label may be, in characters; more is prose.
const labelLength = 50

// labelAbove is how far, in pixels, a label may be above the field it names.
const labelAbove = 40

// needsLabel says whether a node is something that a person knows by the words
// beside it, left of it or above.
func needsLabel(n *node) bool {
	if n.name != "" {
		return false
	}
	switch roleOf(roleName(n.role)) {
	case "entry", "text", "password", "combobox", "spinbutton", "slider", "switch":
		return true
	}
	return false
}

// askLabels asks every field without a name below a node what labels it.
func (w *walker) askLabels(root *node) {
	const labelledBy = uint32(2)
	root.each(func(n *node) bool {
		if needsLabel(n) {
			w.want(n.object, ifaceAccessible+".GetRelationSet", func(body []any) {
				for _, r := range first[[][]any](body) {
					if at[uint32](r, 0) == labelledBy {
						w.nameLabel(n, objectsOf(at[any](r, 1)))
					}
				}
			})
		}
		return true
	})
}

// nameLabel gives a node the names of its labels.
func (w *walker) nameLabel(n *node, labels []object) {
	for _, l := range labels {
		w.get(l, ifaceAccessible, "Name", func(v any) {
			n.details.label = strings.TrimSpace(n.details.label + " " + as[string](v))
		})
	}
}

// labelByPlace gives every field without a name and without a label of its own
// the nearest words to its left, or else above it.
func labelByPlace(root *node) {
	var fields, words []*node
	root.each(func(n *node) bool {
		switch {
		case n.box.Empty():
		case needsLabel(n) && n.details.label == "":
			fields = append(fields, n)
		case n.name != "" && utf8.RuneCountInString(n.name) <= labelLength && roleOf(roleName(n.role)) == "label" && !inControl(n):
			words = append(words, n)
		}
		return true
	})
	for _, f := range fields {
		best := labelReach
		for _, w := range words {
			if d, ok := labelDistance(w.box, f.box); ok && d < best {
				best, f.details.label = d, w.name
			}
		}
	}
}

// inControl says whether a node is a part of a control, such as the words on a
// button, which name that and nothing beside it.
func inControl(n *node) bool {
	for p := n.parent; p != nil; p = p.parent {
		if isControl(p) {
			return true
		}
	}
	return false
}

// labelDistance is how far words are from the field that they may name. Words
// above are a little further than words to the left.
func labelDistance(words, field desktop.Rect) (distance int, ok bool) {
	middle := words.Center().Y
	switch {
	case words.X+words.W <= field.X+1 && middle >= field.Y && middle < field.Y+field.H:
		return field.X - words.X - words.W, true
	case words.Y+words.H <= field.Y+1 && words.X < field.X+field.W && words.X+words.W > field.X:
		gap := field.Y - words.Y - words.H
		return 2*gap + max(0, words.X-field.X), gap <= labelAbove
	}
	return 0, false
}

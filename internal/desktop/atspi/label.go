//go:build linux

package atspi

import (
	"strings"
	"unicode/utf8"

	"understudy/internal/desktop"
)

const (
	// labelReach is how far, in pixels, a label may be from the field it names,
	// and labelAbove how far above it.
	labelReach, labelAbove = 250, 40
	// labelLength is how many characters a label may have; more is prose.
	labelLength = 50
)

// needsLabel reports whether a node is a field that only a label beside or
// above it names.
func needsLabel(n *node) bool { return n.name == "" && n.desktopRole().Is(desktop.Labelled) }

// askLabels requests the label of every field without a name below a node: the
// names of the elements that it is labelled by.
func (n *node) askLabels(p *pipeline) {
	const labelledBy = uint32(2)
	n.each(func(n *node) bool {
		if needsLabel(n) {
			p.want(n.object, ifaceAccessible+".GetRelationSet", func(body []any) {
				for _, r := range first[[][]any](body) {
					if at[uint32](r, 0) != labelledBy {
						continue
					}
					for _, l := range objectsOf(at[any](r, 1)) {
						p.get(l, ifaceAccessible, "Name", func(v any) {
							n.details.label = strings.TrimSpace(n.details.label + " " + as[string](v))
						})
					}
				}
			})
		}
		return true
	})
}

// labelByPlace labels every field that has neither a name nor a label with the
// nearest words to its left, or else above it.
func labelByPlace(root *node) {
	var fields, words []*node
	root.each(func(n *node) bool {
		switch {
		case n.box.Empty():
		case needsLabel(n) && n.details.label == "":
			fields = append(fields, n)
		case n.name != "" && utf8.RuneCountInString(n.name) <= labelLength && n.desktopRole() == "label" && !inControl(n):
			words = append(words, n)
		}
		return true
	})
	for _, f := range fields {
		best := labelReach
		for _, w := range words {
			if d, ok := labelDistance(w.box, f.box); ok && d < best && dialogOf(w) == dialogOf(f) {
				best, f.details.label = d, w.name
			}
		}
	}
}

// inControl reports whether a node is part of a control, such as the words on a
// button, which name only that.
func inControl(n *node) bool {
	for p := n.parent; p != nil; p = p.parent {
		if isControl(p) {
			return true
		}
	}
	return false
}

// dialogOf returns the dialog that a node is in, or nil.
func dialogOf(n *node) *node {
	for n = n.parent; n != nil && n.desktopRole() != "dialog"; n = n.parent {
	}
	return n
}

// labelDistance returns how far words are from the field that they may name.
// Words above count as a little further than words to the left.
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

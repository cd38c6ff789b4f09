//go:build linux

package atspi

import (
	"slices"

	"understudy/internal/desktop"
)

// LibreOffice draws its windows itself below a menu bar of the toolkit, and reports
// boxes in them relative to the window's corner, as if the menu bar were not there.
// The part that it draws is a root pane, which fills its parent: all boxes in the
// pane are off by the difference of the two origins.

const rolePane = 46 // a root pane

// isOffice reports whether the application is LibreOffice.
func (a *application) isOffice() bool { return a.called("soffice") }

// rootPane returns the root pane that a node is in, or nil. For a node that was read
// without its ancestors, findRootPane has stored it in drawn.
func (n *node) rootPane() *node {
	for m := n; m != nil; m = m.parent {
		if m.drawn != nil {
			return m.drawn
		}
		if m.role == rolePane {
			return m
		}
	}
	return nil
}

// drift returns how far the box of a node is off.
func (n *node) drift() (by desktop.Point) {
	pane := n.rootPane()
	if pane == nil || pane.parent == nil {
		return n.lost.by
	}
	actual, reported := pane.parent.box, pane.box
	if actual.Empty() || actual.W != reported.W || actual.H != reported.H {
		return by
	}
	return desktop.Point{X: actual.X - reported.X, Y: actual.Y - reported.Y}
}

// askDrift requests the boxes that drift compares.
func (l *loader) askDrift(n *node) {
	if n.role != rolePane || n.parent == nil || l.relative() {
		return
	}
	for _, m := range []*node{n, n.parent} {
		if m.box.Empty() {
			l.askBox(m, func() {})
		}
	}
}

// findRootPane finds the root pane of a node that was read without its ancestors, by the
// handle that named it.
func (l *loader) findRootPane(n *node, p handleParts) error {
	if !l.app.isOffice() {
		return nil
	}
	at := &node{object: n.object}
	for range maxDepth {
		up, role := &node{}, uint32(0)
		l.want(at.object, ifaceAccessible+".GetRole", func(b []any) { role = first[uint32](b) })
		l.get(at.object, ifaceAccessible, "Parent", func(v any) { up.object = objectOf(as[[]any](v)) })
		if err := l.run(); err != nil || up.none() || up.object == l.app.object {
			return err
		}
		if role == rolePane {
			at.role, at.parent, n.drawn = role, l.holder(at.object, p.frame), at
			l.askDrift(at)
			return l.run()
		}
		at = up
	}
	return nil
}

// holder returns the node below a frame that has a root pane as its child. The parent
// that a pane reports is its window, whatever lies between, and sometimes a second object
// for that window, with a box of its own.
func (l *loader) holder(pane, frame object) *node {
	for at, depth := []object{frame}, 0; len(at) > 0 && depth < holderDepth; depth++ {
		var below []object
		for _, o := range at {
			body, err := l.call(o, ifaceAccessible+".GetChildren")
			kids := objectsOf(first[any](body))
			if err == nil && slices.Contains(kids, pane) {
				return &node{object: o}
			}
			if len(kids) <= holderWidth {
				below = append(below, kids...)
			}
		}
		at = below
	}
	return &node{object: frame}
}

// holderDepth bounds how many levels below its frame a root pane is looked for, and
// holderWidth the children of a node that is looked into.
const holderDepth, holderWidth = 4, 32

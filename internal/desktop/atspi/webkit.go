//go:build linux

package atspi

import "understudy/internal/desktop"

// A page of WebKit is drawn by a process of its own, whose elements are objects of
// that process. In GTK 3 they are below a socket: a node that has no states, is in no
// items and has its child only by index. Neither the child nor the scroll pane in it
// says that it shows, and what is in that says so even if the page does not.

// isForeign reports whether a node is of another program than the application.
func (l *loader) isForeign(n *node) bool { return n.bus != l.app.bus }

// isSocket reports whether a node may be a socket. Where the application does not know
// the position of its windows, nothing relates boxes of another program to them.
func (l *loader) isSocket(n *node) bool {
	return l.signalsChanges() && !l.placeless && n.item == nil && n.states == 0 && roleName(n.role) == "filler"
}

// askPlug requests the child of a socket, and passes on none if there is none or its
// program does not reply.
func (l *loader) askPlug(n *node, then func([]object)) {
	if l.app.pageSilent.until() != nil {
		n.note = desktop.Opaque
		then(nil)
		return
	}
	l.ask(n.object, ifaceAccessible+".GetChildAtIndex", func(b []any, _ error) {
		var kids []object
		if o := objectOf(first[[]any](b)); !o.none() {
			kids = append(kids, o)
		}
		then(kids)
	}, int32(0))
}

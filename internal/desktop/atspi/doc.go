// Package atspi reads and operates the accessibility tree of a Linux desktop,
// over D-Bus and without cgo. Client implements desktop.Elements, Actor, Focus and
// Changes.
//
// Its main idea is that round trips cost the time, not the data. Where a
// toolkit can return all its elements in one call, that call is made;
// everything else is read with many calls in flight. Each application is read
// on its own, under its own timeout, so that a hung one delays no other.
//
// Its limit is what the applications report: a box may lag behind a moving
// element, and a state that a toolkit does not report is unknown here. The
// accessibility bus knows no window stacking, so windows come from
// Options.Windows.
//
// A call of the Client is a query, which visits applications. A visit is a
// walker, whose loader reads nodes; types that embed the walker read for a purpose: a
// tree (treeReader), a point (pointSearch, pageTest), the scroll bars around an
// element (scroller). A builder converts nodes to elements.
package atspi

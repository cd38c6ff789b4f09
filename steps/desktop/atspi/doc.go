// Package atspi reads and works the accessibility tree of a Linux desktop,
// over D-Bus and without cgo. Client is the Elements, Controls, Focus and
// Changes of a desktop.
//
// Its main idea is that what costs time is the round trip, not the data. Where
// a toolkit can give all its elements in one call, it is asked once; whatever
// is missing then is asked for with many calls in flight. Each application is
// read on its own, under its own deadline, so one that has stopped delays
// nobody else.
//
// Its limit is what the applications say: a box may lag behind a moving
// element, and a state that a toolkit does not report is not known here. The
// accessibility bus knows no stacking of windows, so windows come from
// Options.Windows.
package atspi

// Package uia reads and operates the elements of the windows of Windows. Its main idea is
// that of two sources: UI Automation, called through its COM interfaces without cgo, and the
// window handles of the controls that the system has, for windows of which UI Automation
// tells nothing. Both tell the same facts, from which the elements are made. Its limit is one
// cached read per tree: it keeps nothing of a tree but the elements that handles name.
//
// What needs no Windows has no build tag, so that it is tested on every system; only programs
// for Windows have the package.
package uia

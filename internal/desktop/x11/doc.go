// Package x11 drives a display of the X Window System: pointer, keyboard, screen, windows,
// clipboard and marks, and it watches what a person does with mouse and keyboard. It has
// one X connection of its own. robotgo, on another connection, moves the pointer, turns
// the wheel and presses buttons that are held.
//
// robotgo notices neither that a display is gone nor that it is stuck, so each of its calls
// is surrounded by a ping on our own connection.
//
// No call outlives its context, or a display that does not answer, by more than a moment:
// the connection is closed, the call fails with desktop.ErrUnresponsive or
// desktop.ErrUnavailable, and the next call connects again. Held keys and buttons are noted
// in a file, so that the next process releases those of one that was killed.
package x11

// Options say which display to use and how to reach it.
type Options struct {
	// Display is the X display, such as ":0".
	Display string
	// Authority is the file with the cookies of X displays.
	Authority string
	// Dir is the folder for notes about held keys; "" keeps them in memory only.
	Dir string
	// Env is what programs need in their environment to reach the display.
	Env []string
}

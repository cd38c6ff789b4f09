// Package x11 drives a display of the X Window System: pointer, keyboard,
// screen, windows, clipboard, marks and what a person does with mouse and
// keyboard. It holds one X connection of its own. robotgo, beside it, moves
// the pointer, turns the wheel and presses most key combinations.
//
// robotgo neither notices that a display is gone nor gives up waiting for one
// that is stuck, so each of its calls is surrounded by a ping on our own
// connection.
//
// No call outlives its context, or a display that does not answer, by more
// than a moment: the connection is closed, the call fails with
// desktop.ErrUnresponsive or desktop.ErrUnavailable, and the next call
// connects again. Keys and buttons that are held are noted in a file, so that
// the next process releases what a killed one held.
package x11

// Options say which display to use and how to reach it.
type Options struct {
	// Display is the X display, such as ":0".
	Display string
	// Authority is the file with the cookies of X displays.
	Authority string
	// Dir is where held keys are noted; "" notes them in memory only.
	Dir string
	// Env is what programs need in their environment to reach the display.
	Env []string
}

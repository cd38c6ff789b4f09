// Package robot sees and touches a desktop: pointer, keyboard, screen,
// windows, clipboard, marks and what a person does with mouse and keyboard.
//
// It is built on robotgo. On Windows and macOS robotgo does what is there;
// the rest answers that it is missing. On Linux robotgo moves the pointer,
// presses its buttons and most key combinations, and one X connection of our
// own, beside it, does what robotgo cannot do exactly: typing any text,
// capture, windows, recorded input. That connection also watches over
// robotgo, which neither notices that a display is gone nor gives up waiting
// for one that is stuck.
//
// No call outlives its context, or a display that does not answer, by more
// than a moment: the connection is cut, the call fails with
// desktop.ErrUnresponsive or desktop.ErrUnavailable, and the next call
// connects again. Keys and buttons that are held are noted in a file, so that
// the next robot lets go of what a killed one held.
package robot

// Options say which display to use and how to reach it.
type Options struct {
	// Display is the X display, such as ":0". Other systems have only one.
	Display string
	// Authority is the file with the cookies of X displays.
	Authority string
	// Dir is where held keys are noted; "" notes them in memory only.
	Dir string
	// Env is what programs need in their environment to reach the display.
	Env []string
}

// Package virtual starts a display of our own for a machine that has none: an
// X server without a screen (Xvfb), a window manager and a session bus, each
// private to us.
//
// They live as long as this process. The kernel ends them when the process
// dies, whatever killed it, and what is left even then is found by the next
// Start in the same folder, through the state file that each display keeps.
//
// It works on Linux only; elsewhere Start fails with a desktop.MissingError.
package virtual

import "understudy/steps/desktop"

// Options say what display to start.
type Options struct {
	// Dir is the folder in which displays keep their cookies, sockets and
	// state; each has a folder of its own inside. When it is empty, or too
	// long for the address of a socket, a folder in the system's temporary
	// folder is used.
	Dir string
	// Screen is the size of the screen; zero means 1920×1080.
	Screen desktop.Size
}

// DefaultScreen is the size of a virtual screen when none is asked for.
var DefaultScreen = desktop.Size{W: 1920, H: 1080}

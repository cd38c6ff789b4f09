// Package robot drives the desktop of macOS through robotgo: pointer, keyboard
// and screen. Everything that robotgo cannot do, windows and elements above all, fails with
// a desktop.MissingError.
package robot

// Options describe the desktop to programs. macOS has only one.
type Options struct {
	// Env is added to the environment of programs that are started.
	Env []string
}

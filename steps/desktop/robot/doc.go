// Package robot drives the desktop of Windows and macOS through robotgo:
// pointer, keyboard and screen. What robotgo does not do, windows and
// elements above all, answers that it is missing.
package robot

// Options describe the desktop to programs; these systems have only one.
type Options struct {
	// Env is added to the environment of programs that are started.
	Env []string
}

// Package watch records a person at work: it turns the input of a desktop into
// the events of package recorder while they work.
//
// Start returns a Session. One goroutine, Session.run, owns all that is known of
// the recording; callbacks of the desktop only queue input for it or wake it, so
// nothing is lost while an application is slow to answer. It never acts on the
// desktop, save that it shows its bar, and what the events mean is left to package compile.
package watch

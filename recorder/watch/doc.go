// Package watch records a person at work: it turns the input of a desktop into
// the events of package recorder while they work.
//
// Start returns a Session. One goroutine, Session.run, owns the state of the
// recording; callbacks of the desktop only queue input for it or wake it, so nothing
// is lost while an application is slow to answer. It never acts on the desktop, except
// to show its bar. Package compile interprets the events.
package watch

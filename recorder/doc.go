// Package recorder says what a recording of a person at work is: events, in a
// log that loses none when the program crashes.
//
// The package watch makes the events: input, the element under it, windows that
// opened and closed, what a field held afterwards. The package compile turns
// them into a workflow. That is a pure function, so it can be tested with files
// and repeated when it has learnt more.
//
// Text that is typed into a password field, or into a field of which nothing is
// known, is never part of an event. Only what accessibility shows is recorded:
// of an application without it there are only points and keys, and the workflow
// says how little that is worth.
package recorder

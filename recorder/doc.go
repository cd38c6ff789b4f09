// Package recorder defines the recording of a person at work: events, in a log that
// loses none when the program crashes.
//
// Package watch makes the events: input, the element under it, windows that opened and
// closed, the values of fields afterwards. Package compile turns them into a workflow.
// That is a pure function, so it can be tested with files and repeated by a later
// version.
//
// Text that is typed into a password field, or into an unknown field, is never part of
// an event. Only what accessibility exposes is recorded: of an application without it
// there are only points and keys, and the workflow notes how unreliable these are.
package recorder

// Package compile turns the events of a recording, or the calls of a run, into a
// workflow. It is pure: it knows no desktop, no clock and no file, and equal
// events make equal documents.
//
// A Compiler reads one event after the other and keeps the steps so far, which a later
// event may still change: a click becomes a double click, or the choice of an option.
// Its parts handle keys (typing.go, and guess.go for what a field holds) and the pointer (clicks.go). document.go writes the
// steps as a workflow.
package compile

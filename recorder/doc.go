// Package recorder watches a person at work and writes down a workflow that
// does the same.
//
// A recording has two parts. The events are what was seen: input, the element
// that it met, windows that came and went, what a field held afterwards. They
// are written as they come, so that a crash loses none. The workflow is what
// they mean, and Compile makes it of them: a pure function, so it can be
// tested with files, and repeated when it has learnt more.
//
// What is typed into a password field, or into a field that nothing is known
// of, is never part of an event. The package sees what accessibility shows:
// of an application without it, there are only points and keys, and the
// workflow says how little that is worth.
package recorder

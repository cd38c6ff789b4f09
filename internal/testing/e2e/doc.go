// Package e2e plays workflows in real applications on virtual displays, as a
// user does: through the command line, with its store and its desktop. It
// holds only tests.
//
// What came of a workflow is judged from outside: by the file that an editor
// wrote, by what a page sent to its server, by the log of an application that
// writes down all that is done to it. What a run says of itself is compared
// with that, so there are four verdicts: a pass, a right failure, a wrong
// failure, and the one that must never be, a false success.
package e2e

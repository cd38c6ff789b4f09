// Package lasting holds the test of what an operator does with desktops that
// last: a run fails, is killed or is cut short, its process is gone, and it goes
// on later on the same desktop, in the same program, with nothing done twice.
package lasting

// Package lasting tests what an operator does with lasting desktops: a run fails, is
// killed or interrupted, its process is gone, and it continues later on the same
// desktop, in the same program, with nothing done twice.
package lasting

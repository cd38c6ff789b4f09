// Package input is what the drivers of pointer and keyboard share: the names
// of keys in X and in robotgo, how a chord is read, and how far apart the
// clicks of two steps must be. It sends nothing.
package input

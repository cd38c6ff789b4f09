// Package input holds what the drivers of pointer and keyboard share: keys and their
// keysyms, how chords are read, how keysyms that were heard become text, how far apart
// clicks must be, whether windows stayed and settled, which marks are shown and how they look. It
// sends nothing itself.
package input

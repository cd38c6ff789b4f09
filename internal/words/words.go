// Package words offers the word that someone probably meant. Every message
// that refuses a name uses it. Which word that is, the desktop package decides,
// since its own messages do the same and it imports nothing.
package words

import (
	"slices"
	"strings"

	"understudy/steps/desktop"
)

// Nearest is the known word that is most like the given one, or "" when none
// is like it.
func Nearest(word string, known []string) string { return desktop.Nearest(word, known) }

// DidYouMean is the end of a message that refuses a word: the nearest known
// word, or else the known words when they are few.
func DidYouMean(word string, known []string) string {
	if n := Nearest(word, known); n != "" {
		return "did you mean " + n + "?"
	}
	if len(known) == 0 || len(known) > 12 {
		return ""
	}
	return "known are " + strings.Join(slices.Sorted(slices.Values(known)), ", ")
}

// Package words makes the words of messages: the word that someone probably
// meant, and a text cut to a length. The desktop package, which says the same
// things and imports nothing, has them.
package words

import (
	"slices"
	"strings"

	"understudy/steps/desktop"
)

// Nearest is the known word that is most like the given one, or "" when none
// is like it.
func Nearest(word string, known []string) string { return desktop.Nearest(word, known) }

// Shorten is a text of at most so many characters; one that was longer ends in
// "…".
func Shorten(text string, limit int) string { return desktop.Shorten(text, limit) }

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

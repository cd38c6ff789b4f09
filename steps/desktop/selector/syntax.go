package selector

import (
	"fmt"
	"strings"

	"understudy/steps/desktop"
)

// A SyntaxError says what cannot be read in a selector, where, and what could
// stand there.
type SyntaxError struct {
	Offset  int    // where the fault begins, in bytes of the text
	Length  int    // how long it is; 0 when something is missing there
	Message string // what was wanted and what was found
	Hint    string // what could be written in place of the fault; may be empty
}

func (e *SyntaxError) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("selector, column %d: %s", e.Offset+1, e.Message)
	}
	return fmt.Sprintf("selector, column %d: %s; write %s", e.Offset+1, e.Message, e.Hint)
}

// nearest is the word that a misspelled one was probably meant to be, or "".
func nearest(word string, known []string) string {
	word = strings.ToLower(word)
	best, least := "", 1+(len(word)+1)/3 // a third of the letters may be wrong
	for _, k := range known {
		if d := distance(word, k, least); d < least {
			best, least = k, d
		}
	}
	return best
}

// distance is the number of letters to add, leave out, change, or swap with
// their neighbour, to make one word from the other; least or more when it is
// not less than that.
func distance(a, b string, least int) int {
	x, y := []rune(a), []rune(b)
	if d := len(x) - len(y); d >= least || -d >= least {
		return least
	}
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			change := last[j-1]
			if x[i-1] != y[j-1] {
				change++
			}
			row[j] = min(change, last[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

// barewords says what a text without a prefix was probably meant to be.
func barewords(text string) string {
	text = strings.TrimSpace(text)
	word, rest, colon := strings.Cut(text, ":")
	if id, ok := strings.CutPrefix(text, "#"); ok && id != "" {
		return "id:" + quote(id)
	}
	if r, ok := desktop.ParseRole(word); ok && (!colon || strings.TrimSpace(rest) != "") {
		if !colon {
			return "role:" + string(r)
		}
		return "role:" + string(r) + " && name:" + quote(unquoted(strings.TrimSpace(rest)))
	}
	return "name:" + quote(unquoted(text))
}

// unquoted is a text without the quotes around it.
func unquoted(text string) string {
	if len(text) > 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	return text
}

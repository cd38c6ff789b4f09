// Package words helps to write messages: it suggests the word that someone probably
// meant, shortens texts, makes invisible characters visible, marks untrusted
// text, and finds where a text is not UTF-8. It imports nothing of this module.
package words

import (
	"encoding/json"
	"slices"
	"strings"
	"unicode/utf8"
)

// Shorten cuts a text to limit characters; a text that was cut ends in "…".
func Shorten(text string, limit int) string {
	last, n := 0, 0
	for at := range text {
		if n++; n > limit {
			return text[:last] + "…"
		}
		last = at
	}
	return text
}

// DidYouMean returns the end of a message that refuses a word: the nearest known
// word, or else all known words if they are few.
func DidYouMean(word string, known []string) string {
	if n := Nearest(word, known); n != "" {
		return "did you mean " + string(Quoted(n)) + "?"
	}
	if len(known) == 0 || len(known) > 12 {
		return ""
	}
	return "known are " + string(List(slices.Sorted(slices.Values(known))))
}

// Nearest returns the known word that is most similar to a misspelled one, or "" if
// none is similar. Case, spaces, hyphens and underscores do not count.
func Nearest(word string, known []string) string {
	w := fold(word)
	if w == "" {
		return ""
	}
	best, bestCost := "", len([]rune(w))/3+1
	for _, k := range slices.Sorted(slices.Values(known)) {
		f := fold(k)
		if f == w {
			return k
		}
		cost := distance(w, f, bestCost)
		if cost >= bestCost && len(w) >= 4 && (strings.HasPrefix(f, w) || strings.HasPrefix(w, f) && len(f) >= 4) {
			cost = bestCost - 1
		}
		if cost < bestCost {
			best, bestCost = k, cost
		}
	}
	return best
}

var separators = strings.NewReplacer("_", "", "-", "", " ", "")

func fold(s string) string { return separators.Replace(strings.ToLower(s)) }

// distance returns the number of letters to add, drop, change or swap to make a into
// b, at most limit.
func distance(a, b string, limit int) int {
	x, y := []rune(a), []rune(b)
	if len(x)-len(y) >= limit || len(y)-len(x) >= limit {
		return limit
	}
	rows := [3][]int{make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)}
	for j := range rows[1] {
		rows[1][j] = j
	}
	for i := 1; i <= len(x); i++ {
		before, above, row := rows[(i+2)%3], rows[i%3], rows[(i+1)%3]
		row[0] = i
		for j := 1; j <= len(y); j++ {
			change := above[j-1]
			if x[i-1] != y[j-1] {
				change++
			}
			row[j] = min(change, above[j]+1, row[j-1]+1)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
	}
	return min(rows[(len(x)+1)%3][len(y)], limit)
}

// InvalidUTF8 returns the offset of the first byte of a text that is not UTF-8, or -1.
func InvalidUTF8(text string) int {
	for i, r := range text {
		if r == utf8.RuneError {
			if _, n := utf8.DecodeRuneInString(text[i:]); n == 1 {
				return i
			}
		}
	}
	return -1
}

// JSON encodes a value without the escapes of <, > and & for HTML pages. With an
// indent, each value is on a line of its own.
func JSON(v any, indent string) (string, error) {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", indent)
	err := e.Encode(v)
	return strings.TrimSuffix(b.String(), "\n"), err
}

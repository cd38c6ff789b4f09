package desktop

import "strings"

// Nearest is the known word that a misspelled one was probably meant to be,
// or "" when none is near.
func Nearest(word string, known []string) string {
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

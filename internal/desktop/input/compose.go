package input

import (
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Compose returns what a dead key of Windows, which it names by the accent alone, and a
// character type: one character if there is one, and otherwise both, as Windows does.
func Compose(dead, r rune) string {
	if r == ' ' {
		return string(dead)
	}
	accent := accentOf(dead)
	switch dead {
	case '\'':
		if accent = '\u0301'; unicode.ToLower(r) == 'c' {
			accent = '\u0327' // on the international layout of the United States
		}
	case '"':
		accent = '\u0308'
	}
	if one := norm.NFC.String(string([]rune{r, accent})); accent != 0 && utf8.RuneCountInString(one) == 1 {
		return one
	}
	return string([]rune{dead, r})
}

// accentOf returns the combining character of an accent that stands alone, or 0.
func accentOf(alone rune) rune {
	for _, d := range deadKeys {
		if d.twice == alone {
			return d.accent
		}
	}
	return 0
}

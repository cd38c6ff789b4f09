package cli

import (
	"strings"
	"unicode"
)

// What is shown to a person may come from anywhere: the name of a window, the
// text of a field, the log of a script. A terminal would obey what such a text
// holds for it, and an eye would read it in the wrong order.

// steers says whether a letter does something to a terminal, or to the order in
// which letters are shown, instead of being shown.
func steers(r rune) bool {
	return unicode.IsControl(r) || unicode.Is(unicode.Cf, r) && r != '\u200d' || r == '\u2028' || r == '\u2029'
}

// clean is a text for one cell of a table, or one line.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if steers(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// cleanLines is a text that keeps its lines.
func cleanLines(text string) string {
	return strings.Map(func(r rune) rune {
		if steers(r) && r != '\n' && r != '\t' {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

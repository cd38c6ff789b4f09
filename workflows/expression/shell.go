package expression

import "strings"

// ShellQuote makes a value one word of a POSIX shell, of which nothing is
// executed. It is for a value that stands outside of quotes.
func ShellQuote(value string) string {
	return "'" + strings.ReplaceAll(value, "'", `'\''`) + "'"
}

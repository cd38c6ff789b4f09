package workflows

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// escapes are the escapes of one letter in a text in double quotes.
var escapes = map[byte]string{
	'0': "\x00", 'a': "\a", 'b': "\b", 't': "\t", '\t': "\t", 'n': "\n", 'v': "\v", 'f': "\f", 'r': "\r", 'e': "\x1b",
	' ': " ", '"': `"`, '/': "/", '\\': `\`, 'N': "\u0085", '_': "\u00a0", 'L': "\u2028", 'P': "\u2029",
}

// unescape reads the escape that a source starts with: how many bytes it
// takes and what it gives. It takes nothing when it is none.
func unescape(source string) (taken int, gives string) {
	if len(source) < 2 {
		return 0, ""
	}
	if s, ok := escapes[source[1]]; ok {
		return 2, s
	}
	digits := map[byte]int{'x': 2, 'u': 4, 'U': 8}[source[1]]
	r, ok := hexRune(source, 2, digits)
	if !ok {
		return 0, ""
	}
	taken = 2 + digits
	if utf16.IsSurrogate(r) && strings.HasPrefix(source[taken:], `\u`) {
		if low, ok := hexRune(source, taken+2, 4); ok {
			return taken + 6, string(utf16.DecodeRune(r, low))
		}
	}
	if !utf8.ValidRune(r) {
		r = utf8.RuneError
	}
	return taken, string(r)
}

func hexRune(source string, from, digits int) (rune, bool) {
	if digits == 0 || len(source) < from+digits {
		return 0, false
	}
	n, err := strconv.ParseUint(source[from:from+digits], 16, 32)
	return rune(n), err == nil
}

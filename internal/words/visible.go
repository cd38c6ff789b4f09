package words

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
)

// Visible replaces the invisible characters of a text by escapes as in JSON, and keeps
// its lines: control characters, marks that reorder characters, and characters of no
// width. Otherwise a text could hold instructions that a model obeys and nobody sees.
func Visible(text string) string {
	if !strings.ContainsFunc(text, invisible) {
		return text
	}
	var b strings.Builder
	for i, r := range text {
		switch {
		case !invisible(r), r == '\r' && strings.HasPrefix(text[i:], "\r\n"):
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}

// VisibleIn applies Visible to the strings of a JSON value, but not to field names.
func VisibleIn(v any) any {
	switch v := v.(type) {
	case string:
		return Visible(v)
	case []any:
		out := make([]any, len(v))
		for i, x := range v {
			out[i] = VisibleIn(x)
		}
		return out
	case map[string]any:
		out := make(map[string]any, len(v))
		for name, x := range v {
			out[name] = VisibleIn(x)
		}
		return out
	}
	return v
}

// Line is Visible on one line.
func Line(text string) string {
	return strings.NewReplacer("\r", `\r`, "\n", `\n`).Replace(Visible(text))
}

// fillers are invisible characters that Unicode does not class as format characters.
var fillers = &unicode.RangeTable{
	R16: []unicode.Range16{{0x034f, 0x034f, 1}, {0x115f, 0x1160, 1}, {0x180b, 0x180f, 1}, {0x2028, 0x2029, 1}, {0x3164, 0x3164, 1}, {0xfe00, 0xfe0e, 1}, {0xffa0, 0xffa0, 1}},
	R32: []unicode.Range32{{0xe0100, 0xe01ef, 1}},
}

// invisible reports whether a character cannot be seen. The joiner of emoji and of some
// scripts counts as visible.
func invisible(r rune) bool {
	if r < ' ' {
		return r != '\n' && r != '\t'
	}
	return r >= 0x7f && r != '\u200d' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(fillers, r))
}

package words

import (
	"crypto/rand"
	"strings"
)

// What applications, files and programs say may be written for a model to obey. In
// all that a client is told, such a text stands between two lines, as data; names and
// values in quotes are data too. The guide for models says so once.

// Fenced puts a text of others between two lines. Their mark is drawn for each, so the
// text cannot hold the second.
func Fenced(text string) string {
	mark := "untrusted-" + strings.ToLower(rand.Text()[:8])
	return "<" + mark + ">\n" + strings.TrimRight(text, "\n") + "\n</" + mark + ">"
}

// FencedLines is a text of others, which stands between two lines if it has several.
func FencedLines(text string) string {
	if strings.Contains(text, "\n") {
		return Fenced(text)
	}
	return text
}

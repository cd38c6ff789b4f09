package selector

import (
	"fmt"
	"strings"

	"understudy/steps/desktop"
)

// A SyntaxError says what is wrong in a selector, where, and what could be
// written instead.
type SyntaxError struct {
	Offset  int    // of the error, in bytes of the text
	Length  int    // 0 if something is missing there
	Message string // what was wanted and found
	Hint    string // a replacement; may be empty
}

func (e *SyntaxError) Error() string {
	if e.Hint == "" {
		return fmt.Sprintf("selector, column %d: %s", e.Offset+1, e.Message)
	}
	return fmt.Sprintf("selector, column %d: %s; write %s", e.Offset+1, e.Message, e.Hint)
}

// suggestSelector returns what a text without a prefix probably meant.
func suggestSelector(text string) string {
	text = strings.TrimSpace(text)
	word, rest, colon := strings.Cut(text, ":")
	if id, ok := strings.CutPrefix(text, "#"); ok && id != "" {
		return "id:" + quote(id)
	}
	if r, ok := desktop.WantedRole(word); ok && (!colon || strings.TrimSpace(rest) != "") {
		if !colon {
			return "role:" + string(r)
		}
		return "role:" + string(r) + " && name:" + quote(unquoted(strings.TrimSpace(rest)))
	}
	return "name:" + quote(unquoted(text))
}

func unquoted(text string) string {
	if len(text) > 2 && (text[0] == '"' || text[0] == '\'') && text[len(text)-1] == text[0] {
		return text[1 : len(text)-1]
	}
	return text
}

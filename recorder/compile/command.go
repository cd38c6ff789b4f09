package compile

import (
	"regexp"
	"strings"
)

// commandWord matches a word of a command line with its quotes.
var commandWord = regexp.MustCompile(`(?:'[^']*'|\\.|[^\s'\\])+`)

// splitCommand returns the words of a command line, with their quotes.
func splitCommand(line string) []string { return commandWord.FindAllString(line, -1) }

// escaped matches text in quotes or after a backslash.
var escaped = regexp.MustCompile(`'([^']*)'|\\(.)`)

// unquoteWord returns a word without its quotes.
func unquoteWord(word string) string { return escaped.ReplaceAllString(word, "$1$2") }

// QuoteWord quotes a word for a shell, if necessary.
func QuoteWord(word string) string {
	if word != "" && !strings.ContainsAny(word, " \t\n'\"\\$`&|;<>()*?[]#~!{}") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// command returns a command line with variables for its files and addresses.
func (w *writer) command(words []string) template {
	parts := []any{words[0]}
	for _, word := range words[1:] {
		parts = append(parts, " ")
		flag, value := "", unquoteWord(word)
		if name, v, ok := strings.Cut(value, "="); ok && strings.HasPrefix(name, "-") {
			flag, value = name+"=", v
		}
		if kind := openable(value, flag != ""); kind != "" {
			if ref := w.reference(kind, value); ref != "" {
				if strings.Contains(value, "'") {
					ref = escapingQuotes(ref)
				}
				parts = append(parts, flag+"'", ref, "'") // other data may hold a blank
				continue
			}
		}
		parts = append(parts, word)
	}
	return templateOf(parts...)
}

// escapingQuotes returns a reference for a place inside the single quotes of a shell.
func escapingQuotes(ref template) template {
	name := strings.TrimSuffix(strings.TrimPrefix(string(ref), "${{ "), " }}")
	return template("${{ replace(" + name + `, "'", "'\\''") }}`)
}

// openable returns the sort of an argument that the program opens; "" for others. A file in an
// option is a setting.
func openable(value string, option bool) string {
	switch {
	case strings.Contains(value, "://"):
		return "address"
	case option:
		return ""
	case strings.HasSuffix(value, "/") && strings.HasPrefix(value, "/"):
		return "folder"
	case strings.HasPrefix(value, "/"), strings.HasPrefix(value, "~/"):
		return "file"
	}
	return ""
}

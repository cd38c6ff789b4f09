package workflows

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"understudy/internal/words"
)

// value is one value of a document's text, and its position there.
type value struct {
	position
	sort    sort
	text    string // of a text; a number as it was written
	number  float64
	truth   bool
	list    []*value
	entries []entry
	style   style
	node    *yaml.Node // that it was read from; nil if from JSON
}

// entry is one key of an object and its value.
type entry struct{ key, value *value }

// sort is the JSON type of a value.
type sort string

const (
	sortNull   sort = "null"
	sortTruth  sort = "boolean"
	sortNumber sort = "number"
	sortText   sort = "string"
	sortList   sort = "array"
	sortObject sort = "object"
)

// style is how a text is quoted, from which follows the position of each of its
// characters in the source.
type style int

const (
	plainStyle  style = iota
	singleStyle       // 'text'
	doubleStyle       // "text"
	blockStyle        // | and >
)

// file is the text of one document, by lines.
type file struct {
	name  string
	lines []string
}

// position is a place in a file. Lines and columns count from 1, columns in
// characters.
type position struct {
	file                 *file
	line, column, length int
}

// get returns the value under a key, or nil.
func (v *value) get(key string) *value {
	if e := v.entry(key); e != nil {
		return e.value
	}
	return nil
}

func (v *value) entry(key string) *entry {
	if v == nil || v.sort != sortObject {
		return nil
	}
	for i := range v.entries {
		if v.entries[i].key.text == key {
			return &v.entries[i]
		}
	}
	return nil
}

// follow returns the value at the end of a path of keys and indexes, and its key,
// which is nil for an element of a list. If the path leads nowhere, found is false
// and end is the last value on it.
func (v *value) follow(path []string) (end, key *value, found bool) {
	for _, p := range path {
		if e := v.entry(p); e != nil {
			v, key = e.value, e.key
			continue
		}
		i, err := strconv.Atoi(p)
		if err != nil || i < 0 || i >= len(v.list) {
			return v, nil, false
		}
		v, key = v.list[i], nil
	}
	return v, key, true
}

// at returns the position of the end of a path; with key, that of its last key.
func (v *value) at(path []string, key bool) position {
	end, k, _ := v.follow(path)
	if key && k != nil {
		return k.position
	}
	return end.position
}

// str returns the text of a value, or "" for nil.
func (v *value) str() string {
	if v == nil {
		return ""
	}
	return v.text
}

// plain returns the value as encoding/json would decode it.
func (v *value) plain() any {
	if v == nil {
		return nil
	}
	switch v.sort {
	case sortTruth:
		return v.truth
	case sortNumber:
		return v.number
	case sortText:
		return v.text
	case sortList:
		list := make([]any, len(v.list))
		for i, x := range v.list {
			list[i] = x.plain()
		}
		return list
	case sortObject:
		object := make(map[string]any, len(v.entries))
		for _, e := range v.entries {
			object[e.key.text] = e.value.plain()
		}
		return object
	}
	return nil
}

// String returns the value as messages name it.
func (v *value) String() string {
	switch v.sort {
	case sortNull:
		return "nothing"
	case sortList:
		return "a list"
	case sortObject:
		return "an object"
	case sortTruth:
		return fmt.Sprintf("the boolean %t", v.truth)
	case sortText:
		return fmt.Sprintf("the string %q", words.Shorten(v.text, 60))
	}
	return "the number " + words.Shorten(v.text, 60)
}

// within returns the position of a part of a text, which begins at a byte offset.
func (v *value) within(offset, length int) position {
	offset = min(max(offset, 0), len(v.text))
	length = min(max(length, 1), max(1, len(v.text)-offset))
	if v.sort != sortText || v.file == nil || v.line < 1 || v.line > len(v.file.lines) {
		return v.position
	}
	if v.style == blockStyle {
		return v.withinBlock(offset, length)
	}
	return v.withinLine(offset, length)
}

// withinLine is within for a text on one line.
func (v *value) withinLine(offset, length int) position {
	start, ok := v.columnOf(offset)
	if !ok {
		return v.position
	}
	end, ok := v.columnOf(offset + length)
	if !ok {
		end = start + 1
	}
	return position{v.file, v.line, start, max(1, end-start)}
}

// columnOf returns the column of a byte of the text. It reads the source and the text
// side by side, and fails where the line ends.
func (v *value) columnOf(offset int) (column int, ok bool) {
	source, column := from(v.file.lines[v.line-1], v.column), v.column
	if v.style != plainStyle && source != "" {
		source, column = source[1:], column+1
	}
	for done := 0; done < offset; {
		c, n := utf8.DecodeRuneInString(v.text[min(done, len(v.text)):])
		width := v.sourceWidth(source, c)
		if n == 0 || width == 0 || width > len(source) {
			return 0, false
		}
		column += utf8.RuneCountInString(source[:width])
		source = source[width:]
		done += n
	}
	return column, true
}

// escapeWidth holds the lengths of the escapes in double quotes that are longer than
// two bytes.
var escapeWidth = map[byte]int{'x': 4, 'u': 6, 'U': 10}

// sourceWidth returns how many bytes the source has for a character of the text, or 0 if
// the source does not continue with that character.
func (v *value) sourceWidth(source string, c rune) int {
	quoted := v.style == doubleStyle && strings.HasPrefix(source, `\`)
	switch {
	case quoted && c > 0xffff && strings.HasPrefix(source, `\u`):
		return 2 * escapeWidth['u'] // a pair of surrogates
	case quoted:
		return max(2, escapeWidth[source[min(1, len(source)-1)]])
	case v.style == singleStyle && strings.HasPrefix(source, "''"):
		return 2
	case strings.HasPrefix(source, string(c)):
		return utf8.RuneLen(c)
	}
	return 0
}

// withinBlock is within for a block text, whose lines are indented.
func (v *value) withinBlock(offset, length int) position {
	line := v.line + 1 + strings.Count(v.text[:offset], "\n")
	start := strings.LastIndexByte(v.text[:offset], '\n') + 1
	rest, _, _ := strings.Cut(v.text[start:], "\n")
	if line > len(v.file.lines) || rest == "" {
		return v.position
	}
	indent := strings.Index(v.file.lines[line-1], rest)
	if indent < 0 {
		return v.position
	}
	column := utf8.RuneCountInString(v.file.lines[line-1][:indent]) + utf8.RuneCountInString(v.text[start:offset]) + 1
	length = min(length, len(rest)-(offset-start))
	return position{v.file, line, column, max(1, utf8.RuneCountInString(v.text[offset:offset+max(0, length)]))}
}

// from returns a line from a column on.
func from(line string, column int) string {
	for range column - 1 {
		_, n := utf8.DecodeRuneInString(line)
		line = line[n:]
	}
	return line
}

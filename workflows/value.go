package workflows

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"understudy/internal/words"
)

// value is one value of a document's text, and where it stands.
type value struct {
	position
	sort    sort
	text    string // of a text; of a number, as it is written
	number  float64
	truth   bool
	list    []*value
	entries []entry
	style   style
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

// style is how a text is written: it tells where in the source each of its
// characters stands.
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

// position is where something stands in a file. Lines and columns count from 1,
// columns in characters.
type position struct {
	file                 *file
	line, column, length int
}

// get is the value under a key, or nil.
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

// at follows a path of keys and indexes as far as it leads; key asks for the
// position of the last key, not of its value.
func (v *value) at(path []string, key bool) position {
	for i, p := range path {
		switch {
		case v.sort == sortObject:
			e := v.entry(p)
			if e == nil {
				return v.position
			}
			if key && i == len(path)-1 {
				return e.key.position
			}
			v = e.value
		case v.sort == sortList:
			var n int
			if _, err := fmt.Sscan(p, &n); err != nil || n < 0 || n >= len(v.list) {
				return v.position
			}
			v = v.list[n]
		default:
			return v.position
		}
	}
	return v.position
}

// str is the text of a value, "" when there is none.
func (v *value) str() string {
	if v == nil {
		return ""
	}
	return v.text
}

// plain is the value as the rest of the program knows it, the way
// encoding/json would decode it.
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

// String is the value as a message shows it.
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

// within is the position of a part of a text, from a byte offset on.
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

// withinLine walks the source and the text together, as far as the text
// stands on one line.
func (v *value) withinLine(offset, length int) position {
	source := from(v.file.lines[v.line-1], v.column)
	column := v.column
	if v.style != plainStyle && source != "" {
		source, column = source[1:], column+1
	}
	start, end := -1, -1
	for done := 0; done <= offset+length; {
		if done >= offset && start < 0 {
			start = column
		}
		if done >= offset+length {
			end = column
			break
		}
		taken, gives := v.step(source)
		if taken == 0 || !strings.HasPrefix(v.text[min(done, len(v.text)):], gives) {
			break
		}
		column += utf8.RuneCountInString(source[:taken])
		source = source[taken:]
		done += len(gives)
	}
	switch {
	case start < 0:
		return v.position
	case end < 0:
		end = start + 1
	}
	return position{v.file, v.line, start, max(1, end-start)}
}

// step is how many bytes of the source the next character of the text takes,
// and what it gives.
func (v *value) step(source string) (taken int, gives string) {
	if source == "" {
		return 0, ""
	}
	if v.style == singleStyle && strings.HasPrefix(source, "''") {
		return 2, "'"
	}
	if v.style == doubleStyle && source[0] == '\\' {
		return unescape(source)
	}
	_, n := utf8.DecodeRuneInString(source)
	return n, source[:n]
}

// withinBlock finds the line of a block text, and the column behind its
// indentation.
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

// from is a line from a column on.
func from(line string, column int) string {
	for range column - 1 {
		_, n := utf8.DecodeRuneInString(line)
		line = line[n:]
	}
	return line
}

package workflows

import (
	"bytes"
	"cmp"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"understudy/internal/words"
)

// The limits of one document.
const (
	MaxSize    = 4 << 20 // bytes
	MaxNesting = 64      // lists and objects inside one another
	MaxSteps   = 10_000  // with those of the documents that it calls
	maxValues  = 250_000 // also after its aliases are expanded
	maxExprs   = 50_000  // with those of the documents that it calls
	maxHoles   = 500     // expressions in one text
)

// newFile prepares a text for positions.
func newFile(src Source) *file {
	name := cmp.Or(src.Name, "inline")
	text := bytes.TrimPrefix(src.Text, []byte("\ufeff"))
	return &file{name: name, lines: strings.Split(strings.ReplaceAll(string(text), "\r\n", "\n"), "\n")}
}

// read turns a text into values. It gives nil when it cannot, and says why.
func read(src Source, r *report) *value {
	f := newFile(Source{Name: src.Name})
	start := position{file: f, line: 1, column: 1}
	if len(src.Text) > MaxSize {
		r.add(start, "put large texts into files and read them with read_file",
			"the document has %d bytes, and the limit is %d", len(src.Text), MaxSize)
		return nil
	}
	if at := invalidUTF8(src.Text); at >= 0 {
		line, column := lineAndColumn(src.Text, at)
		r.add(position{file: f, line: line, column: column}, "save the file as UTF-8", "byte %d is not UTF-8", at)
		return nil
	}
	f = newFile(src)
	start.file = f
	text := bytes.TrimPrefix(src.Text, []byte("\ufeff"))
	if len(bytes.TrimSpace(text)) == 0 {
		r.add(start, "start it with: steps:", "the document is empty")
		return nil
	}
	if isJSON(text) {
		return readJSON(text, f, r)
	}
	return readYAML(text, f, r)
}

func isJSON(text []byte) bool {
	t := bytes.TrimSpace(text)
	return t[0] == '{' && json.Valid(t)
}

func invalidUTF8(text []byte) int {
	if utf8.Valid(text) {
		return -1
	}
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && n < 2 {
			return i
		}
		i += n
	}
	return -1
}

// lineAndColumn is the line and the column of a byte of a text.
func lineAndColumn(text []byte, offset int) (line, column int) {
	before := text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// doubled reports the keys that an object has twice.
func (v *value) doubled(r *report) {
	first := make(map[string]position, len(v.entries))
	kept := v.entries[:0]
	for _, e := range v.entries {
		if at, ok := first[e.key.text]; ok {
			r.add(e.key.position, "remove one of the two", "the key %q stands twice; first in line %d", words.Shorten(e.key.text, 60), at.line)
			continue
		}
		first[e.key.text] = e.key.position
		kept = append(kept, e)
	}
	v.entries = kept
}

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

// newFile splits a text into lines.
func newFile(src Source) *file {
	text := strings.ReplaceAll(string(withoutBOM(src.Text)), "\r\n", "\n")
	return &file{name: cmp.Or(src.Name, "inline"), lines: strings.Split(text, "\n")}
}

func withoutBOM(text []byte) []byte { return bytes.TrimPrefix(text, []byte("\ufeff")) }

// read turns a text into values. If it cannot, it reports why and returns nil.
func read(src Source, r *report) *value {
	f := newFile(Source{Name: src.Name})
	start := position{file: f, line: 1, column: 1}
	if len(src.Text) > MaxSize {
		r.add(start, "put large texts into files and read them with read_file",
			"the document has %d bytes, and the limit is %d", len(src.Text), MaxSize)
		return nil
	}
	if at := words.InvalidUTF8(string(src.Text)); at >= 0 {
		line, column := lineAndColumn(src.Text, at)
		r.add(position{file: f, line: line, column: column}, "save the file as UTF-8", "byte %d is not UTF-8", at)
		return nil
	}
	f = newFile(src)
	text := withoutBOM(src.Text)
	if isJSON(text) {
		return readJSON(text, f, r)
	}
	return readYAML(text, f, r)
}

func isJSON(text []byte) bool {
	t := bytes.TrimSpace(withoutBOM(text))
	return bytes.HasPrefix(t, []byte("{")) && json.Valid(t)
}

// A reader keeps the limits of one document while its text is turned into values.
// Only the first failure is reported.
type reader struct {
	file   *file
	report *report
	values int
	failed bool
}

func (r *reader) fail(at position, hint, format string, args ...any) {
	if !r.failed {
		r.report.add(at, hint, format, args...)
	}
	r.failed = true
}

// count counts a value, and fails if it is one too many or nested too deep.
func (r *reader) count(at position, depth int, hint, expanded string) {
	if r.values++; r.values > maxValues {
		r.fail(at, hint, "the document holds more than %d values%s", maxValues, expanded)
	}
	if depth > MaxNesting {
		r.fail(at, tooDeep, "the document is nested more than %d levels deep", MaxNesting)
	}
}

// lineAndColumn returns the position of a byte of a text.
func lineAndColumn(text []byte, offset int) (line, column int) {
	before := text[:offset]
	start := bytes.LastIndexByte(before, '\n') + 1
	return bytes.Count(before, []byte("\n")) + 1, utf8.RuneCount(before[start:]) + 1
}

// reportDoubled reports the keys that an object has twice, and keeps the first of
// each.
func (v *value) reportDoubled(r *report) {
	first := make(map[string]position, len(v.entries))
	kept := v.entries[:0]
	for _, e := range v.entries {
		if at, ok := first[e.key.text]; ok {
			r.add(e.key.position, "remove one of the two", "the key %q occurs twice; first in line %d", words.Shorten(e.key.text, 60), at.line)
			continue
		}
		first[e.key.text] = e.key.position
		kept = append(kept, e)
	}
	v.entries = kept
}

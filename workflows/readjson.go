package workflows

import (
	"bytes"
	"encoding/json"
	"strings"
	"unicode/utf8"

	"understudy/internal/words"
)

// readJSON reads a text that is valid JSON. YAML contains JSON, apart from the
// pairs of escapes for characters beyond U+FFFF, which language models and other
// programs write.
func readJSON(text []byte, f *file, r *report) *value {
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	j := jsonReader{reader: reader{file: f, report: r}, d: d, text: text, line: 1, column: 1}
	return j.value(0)
}

type jsonReader struct {
	reader
	d            *json.Decoder
	text         []byte
	offset       int // in bytes; line and column are those of this offset
	line, column int
}

// next returns the next token and its position.
func (j *jsonReader) next() (json.Token, position) {
	j.advance(int(j.d.InputOffset()))
	for j.offset < len(j.text) && strings.IndexByte(" \t\r\n,:", j.text[j.offset]) >= 0 {
		j.advance(j.offset + 1)
	}
	at := position{file: j.file, line: j.line, column: j.column}
	t, err := j.d.Token()
	if err != nil {
		j.fail(at, "", "%v", err)
	}
	if end := int(j.d.InputOffset()); !j.failed {
		at.length = utf8.RuneCount(j.text[j.offset:end])
	}
	return t, at
}

func (j *jsonReader) advance(to int) {
	for j.offset < to {
		c, n := utf8.DecodeRune(j.text[j.offset:])
		j.offset += n
		j.column++
		if c == '\n' {
			j.line, j.column = j.line+1, 1
		}
	}
}

// value reads one value. It returns nil after a failure.
func (j *jsonReader) value(depth int) *value {
	t, at := j.next()
	if j.count(at, depth, tooLarge, ""); j.failed {
		return nil
	}
	v := &value{position: at, style: doubleStyle}
	switch t := t.(type) {
	case nil:
		v.sort = sortNull
	case bool:
		v.sort, v.truth = sortTruth, t
	case json.Number:
		v.sort, v.text = sortNumber, t.String()
		if n, err := t.Float64(); err == nil {
			v.number = n
		} else {
			j.report.add(at, "", "the number %s is too large", words.Shorten(t.String(), 40))
		}
	case string:
		v.sort, v.text = sortText, t
	case json.Delim:
		j.inside(v, t, depth)
	}
	if j.failed {
		return nil
	}
	return v
}

// inside reads the elements of a list or the entries of an object.
func (j *jsonReader) inside(v *value, open json.Delim, depth int) {
	if v.sort = sortList; open == '{' {
		v.sort = sortObject
	}
	for j.d.More() && !j.failed {
		if v.sort == sortList {
			v.list = append(v.list, j.value(depth+1))
			continue
		}
		key := j.value(depth + 1)
		if value := j.value(depth + 1); value != nil {
			v.entries = append(v.entries, entry{key, value})
		}
	}
	if !j.failed {
		j.next()
		v.reportDoubled(j.report)
	}
}

package clients

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/tailscale/hujson"
)

// With returns the text of the client's file with a server in it. Everything else in
// the text stays byte for byte, and so do the fields of the same server that do not
// say how to reach it. An empty text is a file that does not exist yet.
func (c Client) With(text []byte, name string, s Server) ([]byte, error) {
	bom, text := withoutMark(text)
	lines := bytes.Contains(text, []byte("\r\n"))
	if lines {
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	}
	if len(bytes.TrimSpace(text)) == 0 {
		text = []byte("{\n}\n")
	}
	root, err := hujson.Parse(text)
	if err != nil {
		return nil, readable(err)
	}
	w := writer{unit: unitOf(text), flat: !bytes.ContainsRune(bytes.TrimSpace(text), '\n')}
	top, ok := root.Value.(*hujson.Object)
	if !ok {
		return nil, errors.New("it holds no JSON object")
	}
	servers, err := w.object(top, c.key, "")
	if err != nil {
		return nil, err
	}
	entry, err := w.object(servers, name, w.unit)
	if err != nil {
		return nil, err
	}
	fields := c.fields(s)
	if !w.sameAddress(entry, fields) {
		remove(entry, "headers") // the token of one server must not be sent to another
	}
	for _, gone := range transport {
		if !slices.ContainsFunc(fields, func(f field) bool { return f.name == gone }) {
			remove(entry, gone)
		}
	}
	for _, f := range fields {
		w.set(entry, f.name, f.value, w.unit+w.unit)
	}
	out := root.Pack()
	if lines {
		out = bytes.ReplaceAll(out, []byte("\n"), []byte("\r\n"))
	}
	return append(bom, out...), nil
}

// withoutMark splits off the byte order mark, which some editors write.
func withoutMark(text []byte) (mark, rest []byte) {
	rest = bytes.TrimPrefix(text, []byte("\uFEFF"))
	return slices.Clone(text[:len(text)-len(rest)]), rest
}

// readable returns an error of the parser without the parser's name.
func readable(err error) error {
	return fmt.Errorf("it is not JSON: %s", strings.TrimPrefix(err.Error(), "hujson: "))
}

// unitOf returns the indentation of one level.
func unitOf(text []byte) string {
	for line := range bytes.Lines(text) {
		body := bytes.TrimLeft(line, " \t")
		if indent := line[:len(line)-len(body)]; len(indent) > 0 && len(bytes.TrimSpace(body)) > 0 {
			return string(indent)
		}
	}
	return "  "
}

// A writer adds members to objects, in the style of the surrounding text.
type writer struct {
	unit string
	flat bool // the text is a single line
}

// object returns the object that a member holds, which it adds if it is missing. The
// indentation is that of the object above.
func (w writer) object(above *hujson.Object, name, indent string) (*hujson.Object, error) {
	i := member(above, name)
	if i < 0 {
		w.append(above, name, &hujson.Object{}, indent)
		i = len(above.Members) - 1
	}
	o, ok := above.Members[i].Value.Value.(*hujson.Object)
	if !ok {
		return nil, fmt.Errorf("%q in it is not an object", name)
	}
	return o, nil
}

// sameAddress reports whether an entry has the address of the fields already.
func (w writer) sameAddress(entry *hujson.Object, fields []field) bool {
	return slices.ContainsFunc(fields, func(f field) bool {
		i := member(entry, f.name)
		return (f.name == "url" || f.name == "serverUrl") && i >= 0 && same(entry.Members[i].Value, w.text(f.value, ""))
	})
}

// set gives a member a value; an equal value keeps its formatting.
func (w writer) set(o *hujson.Object, name string, value any, indent string) {
	text := w.text(value, indent+w.unit)
	i := member(o, name)
	if i < 0 {
		w.append(o, name, hujson.Literal(text), indent)
		return
	}
	if same(o.Members[i].Value, text) {
		return
	}
	o.Members[i].Value.Value = hujson.Literal(text)
}

// text encodes a value as JSON, for an indentation.
func (w writer) text(value any, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if _, isList := value.([]string); !w.flat && !isList {
		e.SetIndent(indent, w.unit)
	}
	if err := e.Encode(value); err != nil {
		panic(err) // cannot happen: strings, lists and maps of strings can be encoded
	}
	return bytes.TrimSpace(b.Bytes())
}

func same(v hujson.Value, text []byte) bool {
	old := v.Clone()
	old.Minimize()
	var packed bytes.Buffer
	return json.Compact(&packed, text) == nil && bytes.Equal(old.Pack(), packed.Bytes())
}

// append adds a member at the end of an object. What follows the last member, such as
// a comment on its line, stays there.
func (w writer) append(o *hujson.Object, name string, value hujson.ValueTrimmed, indent string) {
	before, after := "\n"+indent+w.unit, "\n"+indent
	if w.flat {
		before, after = "", ""
	}
	n := len(o.Members)
	if n > 0 {
		if at := bytes.LastIndexByte(o.Members[n-1].Name.BeforeExtra, '\n'); at >= 0 {
			before = string(o.Members[n-1].Name.BeforeExtra[at:])
		}
	}
	rest := string(o.AfterExtra)
	if at := strings.LastIndexByte(rest, '\n'); at >= 0 {
		rest, after = rest[:at], rest[at:]
	}
	if strings.TrimSpace(rest) == "" {
		rest = ""
	}
	m := hujson.ObjectMember{
		Name:  hujson.Value{BeforeExtra: hujson.Extra(rest + before), Value: hujson.String(name)},
		Value: hujson.Value{Value: value},
	}
	if !w.flat {
		m.Value.BeforeExtra = hujson.Extra(" ")
	}
	if n > 0 && o.Members[n-1].Value.AfterExtra != nil { // it ends with a comma
		m.Value.AfterExtra = hujson.Extra{}
	}
	o.Members = append(o.Members, m)
	o.AfterExtra = hujson.Extra(after)
}

func remove(o *hujson.Object, name string) {
	if i := member(o, name); i >= 0 {
		o.Members = slices.Delete(o.Members, i, i+1)
	}
}

// member returns the index of a member, or -1. Readers take the last one with a name.
func member(o *hujson.Object, name string) int {
	for i, m := range slices.Backward(o.Members) {
		if text, ok := m.Name.Value.(hujson.Literal); ok && text.String() == name {
			return i
		}
	}
	return -1
}

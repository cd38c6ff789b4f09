package workflows

import (
	"bytes"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"understudy/internal/words"

	"go.yaml.in/yaml/v4"
	"go.yaml.in/yaml/v4/plugin/loaderlimits"
)

const (
	tooLarge = "put large texts into files, and split the workflow with `workflow:`"
	tooDeep  = "split the workflow with `workflow:`"
)

// readYAML reads a text as YAML 1.2 with its core types, in which on, yes, no and
// dates are strings.
func readYAML(text []byte, f *file, r *report) *value {
	start := position{file: f, line: 1, column: 1}
	if separators(text) > maxValues {
		r.add(start, tooLarge, "the document holds more than %d values", maxValues)
		return nil
	}
	root, err := loadYAML(text)
	if err != nil {
		reportYAML(err, start, r)
		return nil
	}
	return valueOf(root, f, r)
}

// valueOf turns a document of the YAML library into a value. It returns nil after a
// failure.
func valueOf(root *yaml.Node, f *file, r *report) *value {
	y := yamlReader{reader: reader{file: f, report: r}, inside: map[*yaml.Node]bool{}}
	v := y.value(root.Content[0], 0)
	if y.failed {
		return nil
	}
	return v
}

// errMany is the error for a text that holds a second document, which begins in a
// line.
type errMany struct{ line int }

func (errMany) Error() string { return "the file holds more than one document" }

var errEmpty = errors.New("the document is empty")

// loadYAML reads a text with one document as a tree of nodes.
func loadYAML(text []byte) (*yaml.Node, error) {
	l, err := yaml.NewLoader(bytes.NewReader(text), yaml.WithPlugin(loaderlimits.New(loaderlimits.DepthValue(4*MaxNesting))))
	if err != nil {
		return nil, err
	}
	var root, second yaml.Node
	switch err := l.Load(&root); {
	case errors.Is(err, io.EOF) || err == nil && len(root.Content) == 0:
		return nil, errEmpty
	case err != nil:
		return nil, err
	}
	switch err := l.Load(&second); {
	case err == nil:
		return nil, errMany{second.Line}
	case !errors.Is(err, io.EOF):
		return nil, err
	}
	return &root, nil
}

func reportYAML(err error, at position, r *report) {
	if errors.Is(err, errEmpty) {
		r.add(at, "start it with: steps:", "%v", err)
		return
	}
	if many, ok := errors.AsType[errMany](err); ok {
		at.line = many.line
		r.add(at, "write each workflow into a file of its own", "%v", err)
		return
	}
	if l, ok := errors.AsType[*yaml.LoadError](err); ok {
		if l.Mark.Line > 0 {
			at.line, at.column = l.Mark.Line, max(1, l.Mark.Column)
		}
		text := l.Message
		if l.ContextMsg != "" {
			text += " " + l.ContextMsg
		}
		if l.ContextMark.Line > 0 && l.ContextMark.Line != at.line {
			text += " that starts in line " + strconv.Itoa(l.ContextMark.Line)
		}
		r.add(at, yamlHint(l.Message), "this is not YAML: %s", text)
		return
	}
	r.add(at, "", "this cannot be read: %v", err)
}

// yamlHint returns the fix for the most common mistakes.
func yamlHint(message string) string {
	switch {
	case strings.Contains(message, "cannot start any token"):
		return "indent with spaces, not with tabs, and quote a text that starts with @, ` or %"
	case strings.Contains(message, "mapping values are not allowed"):
		return "quote a text that contains a colon and a space"
	case strings.Contains(message, "depth"):
		return tooDeep
	}
	return ""
}

// separators counts the characters that can separate values in YAML, so that a
// text with too many values is refused before it takes memory as nodes.
func separators(text []byte) (n int) {
	for i, c := range text {
		switch c {
		case ',', '[', '{':
			n++
		case '&', '*', '!':
			if i == 0 || strings.IndexByte(" \t\r\n,[{", text[i-1]) >= 0 {
				n++
			}
		case ':', '-', '?':
			if i+1 == len(text) || strings.IndexByte(" \t\r\n,]}[{\"'", text[i+1]) >= 0 {
				n++
			}
		}
	}
	return n
}

type yamlReader struct {
	reader
	inside map[*yaml.Node]bool // the nodes around the one that is read: an alias to one of them would not end
}

func (y *yamlReader) position(n *yaml.Node) position {
	p := position{file: y.file, line: n.Line, column: n.Column, length: 1}
	if n.Kind == yaml.ScalarNode && n.Line >= 1 && n.Line <= len(y.file.lines) {
		first, _, _ := strings.Cut(n.Value, "\n")
		p.length = utf8.RuneCountInString(first)
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle) != 0 {
			p.length += 2
		}
	}
	return p
}

// value turns a node into a value.
func (y *yamlReader) value(n *yaml.Node, depth int) *value {
	v := &value{position: y.position(n), sort: sortNull, node: n}
	y.count(v.position, depth, "use fewer aliases", " when its aliases are expanded")
	if y.inside[n] {
		y.fail(v.position, "write it out", "the alias contains itself")
	}
	if y.failed {
		return v
	}
	switch n.Kind {
	case yaml.AliasNode:
		return y.value(n.Alias, depth)
	case yaml.ScalarNode:
		y.scalar(n, v)
	default:
		y.inside[n] = true
		defer delete(y.inside, n)
		y.container(n, v, depth)
	}
	return v
}

func (y *yamlReader) container(n *yaml.Node, v *value, depth int) {
	if v.sort = sortList; n.Kind == yaml.SequenceNode {
		for _, c := range n.Content {
			v.list = append(v.list, y.value(c, depth+1))
		}
		return
	}
	v.sort = sortObject
	var merged []entry
	for i := 0; i+1 < len(n.Content) && !y.failed; i += 2 {
		k, c := n.Content[i], n.Content[i+1]
		if k.Tag == "!!merge" {
			merged = append(merged, y.merge(c, depth)...)
			continue
		}
		key := y.key(k)
		v.entries = append(v.entries, entry{key, y.value(c, depth+1)})
	}
	v.reportDoubled(y.report)
	for _, e := range merged {
		if v.entry(e.key.text) == nil {
			v.entries = append(v.entries, e)
		}
	}
}

// merge returns the entries that << takes over from other objects.
func (y *yamlReader) merge(n *yaml.Node, depth int) (entries []entry) {
	v := y.value(n, depth+1)
	if v.sort == sortObject {
		return v.entries
	}
	for _, x := range v.list {
		entries = append(entries, x.entries...)
	}
	if len(entries) == 0 {
		y.report.add(v.position, "", "<< wants an object or a list of objects, found %s", v)
	}
	return entries
}

func (y *yamlReader) key(n *yaml.Node) *value {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	v := &value{position: y.position(n), sort: sortText, text: n.Value, style: yamlStyle(n), node: n}
	if n.Kind != yaml.ScalarNode {
		y.report.add(v.position, "", "a key is a text")
	}
	return v
}

func yamlStyle(n *yaml.Node) style {
	switch {
	case n.Style&yaml.SingleQuotedStyle != 0:
		return singleStyle
	case n.Style&yaml.DoubleQuotedStyle != 0:
		return doubleStyle
	case n.Style&(yaml.LiteralStyle|yaml.FoldedStyle) != 0:
		return blockStyle
	}
	return plainStyle
}

var (
	yamlInt   = regexp.MustCompile(`^(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$`)
	yamlFloat = regexp.MustCompile(`^[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?$`)
)

// scalar gives a plain scalar its type in YAML 1.2. A quoted scalar is a text.
func (y *yamlReader) scalar(n *yaml.Node, v *value) {
	v.sort, v.text, v.style = sortText, n.Value, yamlStyle(n)
	if n.Style&yaml.TaggedStyle != 0 {
		if n.Tag != "!!str" {
			y.report.add(v.position, "leave it out, or write !!str", "the tag %s is not known here", words.Shorten(n.Tag, 40))
		}
		return
	}
	if v.style != plainStyle {
		return
	}
	switch n.Value {
	case "", "~", "null", "Null", "NULL":
		v.sort = sortNull
	case "true", "True", "TRUE":
		v.sort, v.truth = sortTruth, true
	case "false", "False", "FALSE":
		v.sort = sortTruth
	default:
		y.number(v)
	}
}

func (y *yamlReader) number(v *value) {
	if len(v.text) > 400 || v.text[0] > '9' {
		return
	}
	switch {
	case strings.HasPrefix(v.text, "0o") || strings.HasPrefix(v.text, "0x"):
		if i, err := strconv.ParseUint(v.text, 0, 64); err == nil && yamlInt.MatchString(v.text) {
			v.sort, v.number = sortNumber, float64(i)
		}
	case yamlFloat.MatchString(v.text):
		if f, err := strconv.ParseFloat(v.text, 64); err == nil {
			v.sort, v.number = sortNumber, f
		}
	}
}

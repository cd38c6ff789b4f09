package workflows

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// The methods below change a value, and the node of YAML that it was read from, so that
// the document can be written again with its comments.

// setText gives a value another text.
func (v *value) setText(text string) {
	v.sort, v.text = sortText, text
	if n := v.node; n != nil {
		made := textNode(text, true)
		if n.Style&(yaml.SingleQuotedStyle|yaml.DoubleQuotedStyle|yaml.LiteralStyle|yaml.FoldedStyle) == 0 {
			n.Style = made.Style
		}
		n.Value, n.Tag = text, ""
	}
}

// set gives a scalar another value.
func (v *value) set(x any) {
	now := made(x, v.position)
	v.sort, v.text, v.truth, v.number = now.sort, now.text, now.truth, now.number
	if v.node != nil {
		made := valueNode(x, true)
		v.node.Value, v.node.Tag, v.node.Style = made.Value, "", made.Style
	}
}

// remove removes a key of an object, if it has it.
func (v *value) remove(key string) {
	v.entries = slices.DeleteFunc(v.entries, func(e entry) bool { return e.key.text == key })
	if i := indexIn(v.node, key); i >= 0 {
		k, x := v.node.Content[i], v.node.Content[i+1]
		v.node.Content = slices.Delete(v.node.Content, i, i+2)
		v.keepComments(i, k.HeadComment, k.LineComment, x.LineComment, k.FootComment)
	}
}

// keepComments puts the comments of a key that was removed above the key that stands in
// its place now, or else below the object.
func (v *value) keepComments(i int, comments ...string) {
	if i < len(v.node.Content) {
		next := v.node.Content[i]
		comments = append(comments, next.HeadComment)
		next.HeadComment = joined(comments)
		return
	}
	v.node.FootComment = joined(append(comments, v.node.FootComment))
}

func joined(comments []string) string {
	return strings.Join(slices.DeleteFunc(comments, func(c string) bool { return c == "" }), "\n")
}

// insert adds a key to an object, before its others or behind them.
func (v *value) insert(key string, x any, first bool) {
	e := entry{&value{position: v.position, sort: sortText, text: key}, made(x, v.position)}
	at, inNode := len(v.entries), -1
	if first {
		at, inNode = 0, 0
	}
	v.entries = slices.Insert(v.entries, at, e)
	if v.node != nil && v.node.Kind == yaml.MappingNode {
		e.value.node = nodeOf(x)
		e.key.node = insertKey(v.node, inNode, key, e.value.node)
		if c := v.node.Content; first && len(c) > 2 { // what stands above all stays there
			c[0].HeadComment, c[2].HeadComment = c[2].HeadComment, ""
		}
	}
}

// add adds an element to a list.
func (v *value) add(x any) {
	v.list = append(v.list, made(x, v.position))
	if v.node != nil && v.node.Kind == yaml.SequenceNode {
		v.node.Style &^= yaml.FlowStyle
		v.node.Content = append(v.node.Content, nodeOf(x))
	}
}

// made returns a value of a document that has one position throughout.
func made(x any, at position) *value {
	if pairs, ok := x.([]Pair); ok {
		v := &value{position: at, sort: sortObject}
		for _, p := range pairs {
			v.entries = append(v.entries, entry{&value{position: at, sort: sortText, text: p.Key}, made(p.Value, at)})
		}
		return v
	}
	text := []byte(encode(x))
	v := readJSON(text, newFile(Source{Text: text}), &report{})
	v.move(at)
	return v
}

// nodeOf returns a value as YAML, an object with a line for each key.
func nodeOf(x any) *yaml.Node {
	if text, ok := x.(string); ok && strings.Contains(text, "\n") {
		return &yaml.Node{Kind: yaml.ScalarNode, Style: yaml.LiteralStyle, Value: text}
	}
	object, ok := x.([]Pair)
	if !ok {
		return valueNode(x, false)
	}
	n := &yaml.Node{Kind: yaml.MappingNode}
	for _, p := range object {
		put(n, p.Key, nodeOf(p.Value))
	}
	return n
}

func indexIn(n *yaml.Node, key string) int {
	if n == nil || n.Kind != yaml.MappingNode {
		return -1
	}
	return indexOf(n, key)
}

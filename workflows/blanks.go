package workflows

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v4"
)

// blanks holds the nodes before which the author left a blank line. The YAML
// library does not keep blank lines.
type blanks map[*yaml.Node]bool

// blanksOf finds the nodes of a text before which, and before whose comment, a blank
// line stands.
func blanksOf(root *yaml.Node, text []byte) blanks {
	b, lines := blanks{}, strings.Split(string(text), "\n")
	eachNode(root, func(n *yaml.Node) {
		above := n.Line - 2 - commentLines(n)
		if above >= 1 && above < len(lines) && strings.TrimSpace(lines[above]) == "" {
			b[n] = true
		}
	})
	return b
}

// commentLines returns how many lines the comment above a node has.
func commentLines(n *yaml.Node) int {
	if n.HeadComment == "" {
		return 0
	}
	return strings.Count(n.HeadComment, "\n") + 1
}

// insert puts the blank lines into the text that was written from the same nodes.
func (b blanks) insert(root *yaml.Node, out []byte) ([]byte, bool) {
	written, err := loadYAML(out)
	if err != nil {
		return nil, false
	}
	at := map[int]bool{}
	if !b.match(root, written, at) {
		return nil, false
	}
	var text bytes.Buffer
	line, last := 0, ""
	for l := range strings.Lines(string(out)) {
		if line++; at[line] && strings.TrimSpace(last) != "" {
			text.WriteByte('\n')
		}
		text.WriteString(l)
		last = l
	}
	return text.Bytes(), true
}

// match compares the nodes with those of the written text, and adds to at the lines
// of the text that get a blank line before them.
func (b blanks) match(n, written *yaml.Node, at map[int]bool) bool {
	if n.Kind != written.Kind || len(n.Content) != len(written.Content) {
		return false
	}
	for i, c := range n.Content {
		w := written.Content[i]
		entry := n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode && i%2 == 0
		if entry && i > 0 && b[c] && written.Style&yaml.FlowStyle == 0 {
			at[w.Line-commentLines(w)] = true
		}
		if !b.match(c, w, at) {
			return false
		}
	}
	return true
}

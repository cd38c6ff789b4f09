package workflows

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v4"
)

// blanks remembers in front of which nodes the author left a blank line; the
// YAML library does not.
type blanks struct {
	lines  []string
	before map[*yaml.Node]bool
}

// note looks whether a blank line stands before a node and its comment.
func (b *blanks) note(n *yaml.Node) {
	above := n.Line - 2 - strings.Count(n.HeadComment, "\n")
	if n.HeadComment != "" {
		above--
	}
	if above < 1 || above >= len(b.lines) || strings.TrimSpace(b.lines[above]) != "" {
		return
	}
	if b.before == nil {
		b.before = map[*yaml.Node]bool{}
	}
	b.before[n] = true
}

// insert puts the blank lines into the text that was made of the same nodes.
func (b *blanks) insert(root *yaml.Node, out []byte) ([]byte, bool) {
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

// match walks the nodes and what was made of them, and notes the lines that
// want a blank line before them.
func (b *blanks) match(n, written *yaml.Node, at map[int]bool) bool {
	if n.Kind != written.Kind || len(n.Content) != len(written.Content) {
		return false
	}
	for i, c := range n.Content {
		w := written.Content[i]
		entry := n.Kind == yaml.SequenceNode || n.Kind == yaml.MappingNode && i%2 == 0
		if entry && i > 0 && b.before[c] && written.Style&yaml.FlowStyle == 0 {
			above := 0
			if w.HeadComment != "" {
				above = strings.Count(w.HeadComment, "\n") + 1
			}
			at[w.Line-above] = true
		}
		if !b.match(c, w, at) {
			return false
		}
	}
	return true
}

package fake

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"understudy/internal/desktop"
)

// outlineLine matches: - role "name" [word]… : "text"
var outlineLine = regexp.MustCompile(`^( *)- ([a-z ]+?)(?: ("(?:[^"\\]|\\.)*"))?((?: \[[^\]]*\])*)(?::(?: ("(?:[^"\\]|\\.)*"))?)?$`)

// Parse reads windows from an outline, the format in which trees are printed and
// which the package's example shows. A child is indented by two spaces more than
// its parent. Brackets hold states, or disabled, hidden or default, or process, id,
// label, class, at=x,y,w,h and value=3 in 0 to 10; a ref is ignored.
func Parse(outline string) ([]*Node, error) {
	var windows []*Node
	var around []*Node // the last node of each depth
	for i, text := range strings.Split(strings.ReplaceAll(outline, "\t", ""), "\n") {
		if strings.TrimSpace(text) == "" {
			continue
		}
		n, depth, err := parseLine(strings.TrimRight(text, " "))
		if err != nil {
			return nil, fmt.Errorf("outline, line %d: %w", i+1, err)
		}
		if depth > len(around) {
			return nil, fmt.Errorf("outline, line %d: %q stands deeper than inside the line before it", i+1, text)
		}
		if around = append(around[:depth], n); depth == 0 {
			windows = append(windows, n)
			continue
		}
		n.parent = around[depth-1]
		n.parent.children = append(n.parent.children, n)
	}
	return windows, nil
}

// MustParse is like Parse but panics if the outline is invalid.
func MustParse(outline string) []*Node {
	windows, err := Parse(outline)
	if err != nil {
		panic(err)
	}
	return windows
}

func parseLine(text string) (n *Node, depth int, err error) {
	m := outlineLine.FindStringSubmatch(text)
	if m == nil {
		return nil, 0, fmt.Errorf(`%q is not like: - button "Save" [disabled]`, text)
	}
	role, ok := desktop.ParseRole(m[2])
	if !ok {
		return nil, 0, fmt.Errorf("there is no role %q", m[2])
	}
	name, err := unquote(m[3])
	if err != nil {
		return nil, 0, err
	}
	text, err = unquote(m[5])
	if err != nil {
		return nil, 0, err
	}
	n = El(role, name).Holding(text)
	n.el.RawRole = m[2]
	for _, word := range strings.FieldsFunc(m[4], func(r rune) bool { return r == '[' || r == ']' }) {
		if err := n.parseWord(strings.TrimSpace(word)); err != nil {
			return nil, 0, err
		}
	}
	return n, len(m[1]) / 2, nil
}

func unquote(text string) (string, error) {
	if text == "" {
		return "", nil
	}
	s, err := strconv.Unquote(text)
	if err != nil {
		return "", fmt.Errorf("%s is not a quoted text", text)
	}
	return s, nil
}

// parseWord reads the content of one pair of brackets.
func (n *Node) parseWord(word string) error {
	if word == "" {
		return nil
	}
	key, value, given := strings.Cut(word, "=")
	if !given {
		return n.parseState(word)
	}
	switch key {
	case "process":
		n.el.Process = value
	case "id":
		n.el.ID = value
	case "label":
		n.el.Label = value
	case "class":
		n.el.Class = value
	case "at":
		var x, y, w, h int
		if _, err := fmt.Sscanf(value, "%d,%d,%d,%d", &x, &y, &w, &h); err != nil {
			return fmt.Errorf("[%s] is not like [at=20,70,80,24]", word)
		}
		n.At(x, y, w, h)
	case "value":
		var r desktop.Range
		if _, err := fmt.Sscanf(value, "%g in %g to %g", &r.Now, &r.Min, &r.Max); err != nil {
			return fmt.Errorf("[%s] is not like [value=3 in 0 to 10]", word)
		}
		n.el.Value = &r
	case "ref":
	default:
		return fmt.Errorf("[%s]: wanted process, id, label, class, at, value or a state", word)
	}
	return nil
}

func (n *Node) parseState(word string) error {
	switch word {
	case "default":
		n.el.Default = true
	case "disabled":
		n.Without(desktop.Enabled)
	case "hidden":
		n.Without(desktop.Showing)
	default:
		s, ok := desktop.ParseState(word)
		if !ok {
			return fmt.Errorf("there is no state %q", word)
		}
		n.With(s)
	}
	return nil
}

package fake

import (
	"slices"
	"strings"

	"understudy/internal/desktop"
)

// content is the text of a node, with its caret and selection.
type content struct {
	text   []rune
	caret  int
	chosen [2]int // the ends of the selection
}

// hold replaces the text, with the caret at its end.
func (c *content) hold(text string) {
	c.text = []rune(text)
	c.moveTo(len(c.text))
}

// moveTo moves the caret and selects nothing.
func (c *content) moveTo(at int) {
	c.caret = min(max(at, 0), len(c.text))
	c.chosen = [2]int{c.caret, c.caret}
}

// extendTo moves the caret and selects the text between.
func (c *content) extendTo(at int) {
	c.caret = min(max(at, 0), len(c.text))
	c.chosen[1] = c.caret
}

func (c *content) selectAll() { c.chosen, c.caret = [2]int{0, len(c.text)}, len(c.text) }

// selection returns the ends of the selected text, in order.
func (c *content) selection() (from, to int) {
	return min(c.chosen[0], c.chosen[1]), max(c.chosen[0], c.chosen[1])
}

func (n *Node) editable() bool {
	return n.has(desktop.Editable|desktop.Enabled) && !n.has(desktop.ReadOnly)
}

// admits returns the part of a text that a field takes.
func (n *Node) admits(text string) string {
	if n.has(desktop.MultiLine) {
		return text
	}
	return strings.NewReplacer("\n", "", "\t", "").Replace(text)
}

// insert replaces the selected text, or inserts at the caret.
func (s *stack) insert(n *Node, text string) {
	from, to := n.selection()
	if text == "" && from == to {
		return
	}
	runes := []rune(text)
	n.text = slices.Concat(n.text[:from], runes, n.text[to:])
	n.moveTo(from + len(runes))
	now := string(n.text)
	s.hear("text %q %q", n.el.Name, now)
	if f := n.changed; f != nil {
		s.later(func() { f(now) })
	}
}

// edit has the effect of a chord in a field.
func (s *stack) edit(n *Node, c desktop.Chord) {
	switch c.String() {
	case "left":
		n.moveTo(n.caret - 1)
	case "right":
		n.moveTo(n.caret + 1)
	case "home", "ctrl+home":
		n.moveTo(0)
	case "end", "ctrl+end":
		n.moveTo(len(n.text))
	case "shift+left":
		n.extendTo(n.caret - 1)
	case "shift+right":
		n.extendTo(n.caret + 1)
	case "shift+home":
		n.extendTo(0)
	case "shift+end":
		n.extendTo(len(n.text))
	case "backspace":
		s.erase(n, n.caret-1)
	case "delete":
		s.erase(n, n.caret+1)
	case "enter":
		s.insert(n, n.admits("\n"))
	case "space":
		s.insert(n, " ")
	case "ctrl+a":
		n.selectAll()
	case "ctrl+c":
		s.copy(n)
	case "ctrl+x":
		s.copy(n)
		s.insert(n, "")
	case "ctrl+v":
		s.insert(n, n.admits(s.clipboard))
	default:
		if len(c.Mods) == 0 && len([]rune(c.Key)) == 1 {
			s.insert(n, string(c.Key))
		}
	}
}

// erase removes the selected text, or the text from the caret to an offset.
func (s *stack) erase(n *Node, to int) {
	if n.chosen[0] == n.chosen[1] {
		n.extendTo(to)
	}
	s.insert(n, "")
}

// copy puts the selected text on the clipboard; a password is not copied.
func (s *stack) copy(n *Node) {
	if from, to := n.selection(); from < to && n.el.Role != "password" {
		s.clipboard = string(n.text[from:to])
	}
}

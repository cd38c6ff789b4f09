package fake

import (
	"slices"
	"strings"

	"understudy/steps/desktop"
)

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
	from, to := min(n.chosen[0], n.chosen[1]), max(n.chosen[0], n.chosen[1])
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

// moveTo moves the caret and selects nothing.
func (n *Node) moveTo(at int) {
	n.caret = min(max(at, 0), len(n.text))
	n.chosen = [2]int{n.caret, n.caret}
}

// extendTo moves the caret and selects the text between.
func (n *Node) extendTo(at int) {
	n.caret = min(max(at, 0), len(n.text))
	n.chosen[1] = n.caret
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
		n.chosen, n.caret = [2]int{0, len(n.text)}, len(n.text)
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
		n.chosen = [2]int{n.caret, min(max(to, 0), len(n.text))}
	}
	s.insert(n, "")
}

// copy puts the selected text on the clipboard; a password is not copied.
func (s *stack) copy(n *Node) {
	if from, to := min(n.chosen[0], n.chosen[1]), max(n.chosen[0], n.chosen[1]); from < to && n.el.Role != "password" {
		s.clipboard = string(n.text[from:to])
	}
}

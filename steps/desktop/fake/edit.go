package fake

import (
	"slices"
	"strings"

	"understudy/steps/desktop"
)

func (n *Node) editable() bool {
	return n.has(desktop.Editable|desktop.Enabled) && !n.has(desktop.ReadOnly)
}

// admits is what of a text a field takes.
func (n *Node) admits(text string) string {
	if n.has(desktop.MultiLine) {
		return text
	}
	return strings.NewReplacer("\n", "", "\t", "").Replace(text)
}

// insert puts text in place of the selected text, or at the caret.
func (h *hands) insert(n *Node, text string) {
	from, to := min(n.chosen[0], n.chosen[1]), max(n.chosen[0], n.chosen[1])
	if text == "" && from == to {
		return
	}
	n.text = slices.Concat(n.text[:from], []rune(text), n.text[to:])
	n.moveTo(from + len([]rune(text)))
	now := string(n.text)
	h.hear("text %q %q", n.el.Name, now)
	if f := n.changed; f != nil {
		h.later(func() { f(now) })
	}
}

// moveTo puts the caret somewhere and selects nothing.
func (n *Node) moveTo(at int) {
	n.caret = min(max(at, 0), len(n.text))
	n.chosen = [2]int{n.caret, n.caret}
}

// extendTo puts the caret somewhere and selects what lies between.
func (n *Node) extendTo(at int) {
	n.caret = min(max(at, 0), len(n.text))
	n.chosen[1] = n.caret
}

// edit has the effect of a chord in a field.
func (h *hands) edit(n *Node, c desktop.Chord) {
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
		h.erase(n, n.caret-1)
	case "delete":
		h.erase(n, n.caret+1)
	case "enter":
		h.insert(n, n.admits("\n"))
	case "space":
		h.insert(n, " ")
	case "ctrl+a":
		n.chosen, n.caret = [2]int{0, len(n.text)}, len(n.text)
	case "ctrl+c":
		h.copy(n)
	case "ctrl+x":
		h.copy(n)
		h.insert(n, "")
	case "ctrl+v":
		h.insert(n, n.admits(h.clipboard))
	default:
		if len(c.Mods) == 0 && len([]rune(c.Key)) == 1 {
			h.insert(n, string(c.Key))
		}
	}
}

// erase takes away the selected text, or from the caret to a place beside it.
func (h *hands) erase(n *Node, to int) {
	if n.chosen[0] == n.chosen[1] {
		n.chosen = [2]int{n.caret, min(max(to, 0), len(n.text))}
	}
	h.insert(n, "")
}

// copy puts the selected text on the clipboard; a password is not copied.
func (h *hands) copy(n *Node) {
	if from, to := min(n.chosen[0], n.chosen[1]), max(n.chosen[0], n.chosen[1]); from < to && n.el.Role != "password" {
		h.clipboard = string(n.text[from:to])
	}
}

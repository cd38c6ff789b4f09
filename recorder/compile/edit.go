package compile

import (
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// net is the effect of the keys in a field: a text that was added at its end, or that
// replaced its content. After other keys it is unknown.
type net struct {
	text     string
	replaced bool // the whole content was selected when something was typed
	selected bool // it is selected now
	other    bool // keys moved the caret, or deleted content
	typed    bool // some keys typed text
	chords   []string
	parts    []part   // all keys in their order
	caret    []string // the last of them, which only moved the caret, selected or copied
}

// key adds a key.
func (n *net) key(ev recorder.Event) {
	chord := chordOf(ev)
	n.chords = append(n.chords, chord)
	n.press(ev, chord)
	if n.caret = append(n.caret, chord); !recorder.MovesCaret(ev.Key, ev.Mods) {
		n.caret = nil
	}
	replaces := ev.Text != "" || ev.Hidden || changesText(chord) || chord == "enter"
	if n.selected && replaces {
		n.text, n.replaced, n.other = "", true, false
	}
	was := n.selected
	n.selected = chord == "ctrl+a" || chord == "ctrl+c" && was
	switch {
	case ev.Text != "" || ev.Hidden:
		n.text, n.typed = n.text+ev.Text, true
	case chord == "enter":
		n.text += "\n"
	case chord == "ctrl+v":
		n.text += pasted
	case chord == "ctrl+a", was && (chord == "end" || chord == "ctrl+end"), chord == "ctrl+c" && n.text == "":
	case (chord == "end" || chord == "ctrl+end") && n.text == "" && !n.replaced:
	case (chord == "backspace" || chord == "delete") && n.text == "" && n.replaced:
	case chord == "backspace" && n.text != "" && !strings.HasSuffix(n.text, pasted):
		r := []rune(n.text)
		n.text = string(r[:len(r)-1])
	default:
		n.other = true
	}
}

// netOf returns the effect of keys.
func netOf(keys []keystroke) (n net) {
	for _, k := range keys {
		if !k.browses && !k.pointed {
			n.key(k.Event)
		}
	}
	return n
}

// typedText returns all that was typed.
func (n *net) typedText() (text string) {
	for _, p := range n.parts {
		text += p.text
	}
	return text
}

// addition returns the text that was appended to a value. A value that was read late may hold some of
// it already, and some editors end the last line when they save.
func (n *net) addition(before, now string) (text string, ok bool) {
	if before == "" || n.replaced || n.other || n.text == "" || strings.Contains(n.text, pasted) || !sameWithBlanks(strings.TrimSuffix(now, "\n"), strings.TrimSuffix(before+n.text, "\n")) {
		return "", false
	}
	return n.text, true
}

// added returns the text that was appended to the value before. If that is unknown, the keys must
// start at its end.
func (t *typing) added() (text string, ok bool) {
	n := &t.net
	if !t.late {
		return n.addition(t.before, t.value)
	}
	toEnd := n.chords[0] == "end" || n.chords[0] == "ctrl+end"
	return n.text, toEnd && n.text != "" && !n.replaced && !n.other && !strings.Contains(n.text, pasted) && strings.HasSuffix(strings.TrimSuffix(t.value, "\n"), n.text)
}

// leaveCaret keeps the last keys in a field for the steps that follow: a copy and a selection
// always, and where the caret went in a document; in a field of one line only if the next
// step goes to whatever has the focus.
func (k *keyboard) leaveCaret(t *typing) {
	keys := t.net.caret
	if t.hidden || len(keys) == 0 {
		return
	}
	last := recorder.Event{Time: t.last, Field: t.field}
	selects := func(chord string) bool {
		return chord == "ctrl+a" || chord == "ctrl+c" || strings.Contains(chord, "shift+")
	}
	if t.target.MultiLine() || slices.ContainsFunc(keys, selects) {
		k.pressOn(t.target, strings.Join(keys, " "), last)
		return
	}
	k.tabs = tabs{from: t.target, last: last, chords: keys, after: k.steps.last()}
}

// onlyKeys reports whether the typing is recorded as keys: Enter alone, or a copy inside the document.
func (t *typing) onlyKeys() bool {
	n := t.net
	inside := slices.Contains(n.chords, "ctrl+c") && slices.Contains(n.chords, "ctrl+v") && len(t.copies) == 0
	return !n.typed && !t.hidden && t.changed && len(n.chords) > 0 && (inside || t.target.MultiLine() && !slices.Contains(n.chords, "ctrl+v"))
}

// changesText reports whether a chord that types nothing changes the text of a field.
func changesText(chord string) bool {
	return slices.Contains([]string{"v", "x", "z", "y", "backspace", "delete", "insert"}, chord[strings.LastIndex(chord, "+")+1:])
}

func chordOf(ev recorder.Event) string { return desktop.Chord{Mods: ev.Mods, Key: ev.Key}.String() }

// addAtEnd makes a step append its text to the content of its field.
func (c *compilation) addAtEnd(s *step) {
	key := "end"
	if s.target.MultiLine() {
		key = "ctrl+end"
	}
	c.goTo(s.target, key, "go to the end", s.begin)
	s.set("clear_before_typing", false)
}

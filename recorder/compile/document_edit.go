package compile

import (
	"cmp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/recorder"
	"understudy/steps/observe"
)

// A document that held something is never typed again as a whole: how it was read, and when, would
// decide what is typed. What was pressed is pressed, and what was typed is typed where that leads.

// part is some chords that moved the caret, selected or deleted, and the text that was typed then.
type part struct {
	chords []string
	text   string
}

// press adds a key to the parts.
func (n *net) press(ev recorder.Event, chord string) {
	if len(n.parts) == 0 {
		n.parts = append(n.parts, part{})
	}
	last := &n.parts[len(n.parts)-1]
	switch {
	case ev.Text != "":
		last.text += ev.Text
	case chord == "enter" && last.text != "":
		last.text += "\n"
	case chord == "backspace" && last.text != "":
		_, size := utf8.DecodeLastRuneInString(last.text)
		last.text = last.text[:len(last.text)-size]
	case last.text == "":
		last.chords = append(last.chords, chord)
	default:
		n.parts = append(n.parts, part{chords: []string{chord}})
	}
}

// moves reports whether keys moved the caret, selected or deleted before anything was typed.
func (n *net) moves() bool { return len(n.parts) > 0 && len(n.parts[0].chords) > 0 }

// replaces reports whether all keys came after the whole content was selected.
func (n *net) replaces() bool { return n.replaced && !n.other }

// movedInDocument reports whether keys moved the caret in a document that held something, or may have:
// Enter begins a line there.
func (t *typing) movedInDocument(value string) bool {
	return t.target.MultiLine() && !t.hidden && !t.net.replaces() && t.net.moves() && (t.late || t.before != "" || value != "" && t.target.Text != "")
}

// editsDocument reports whether keys edited a document whose content is not all typed by them, or
// may not be.
func (t *typing) editsDocument() bool {
	n := &t.net
	if !t.target.MultiLine() || t.hidden || !n.typed || len(n.parts) == 0 || n.replaces() {
		return false
	}
	return t.continues || t.late && !t.isReformatted() || t.before != "" || !t.sure && n.typesApart() || t.holdsMore()
}

// typesApart reports whether text was typed in more than one place.
func (n *net) typesApart() bool {
	places := 0
	for _, p := range n.parts {
		places += min(1, len(p.text))
	}
	return places > 1
}

// isReformatted reports whether a document holds what was typed and no more, as 12×34 for 12*34.
func (t *typing) isReformatted() bool {
	text := t.net.text
	return !t.net.moves() && utf8.RuneCountInString(text) == utf8.RuneCountInString(t.value) && observe.Reformatted(text, t.value)
}

// holdsMore reports whether a document holds more than was typed.
func (t *typing) holdsMore() bool {
	typed := 0
	for _, p := range t.net.parts {
		if slices.Contains(p.chords, "ctrl+v") {
			return false
		}
		typed += utf8.RuneCountInString(p.text) + len(p.chords)
	}
	return utf8.RuneCountInString(strings.TrimSuffix(t.value, "\n")) > typed
}

// pressAgain makes steps of the keys in a document as they were pressed.
func (k *keyboard) pressAgain(t *typing) {
	k.switchTo(t.target.Window)
	last, summary := k.steps.lastNow()
	defer func() { k.prove(t, k.steps.since(last, summary)) }()
	doubt := k.putCaret(t)
	for _, p := range t.net.parts {
		if chords := p.chords; len(chords) > 0 {
			if p.text != "" && leaveSelected(chords) {
				chords = append(slices.Clip(chords), "delete") // the text takes its place
			}
			k.pressOn(t.target, strings.Join(chords, " "), t.first)
		}
		if p.text != "" {
			if len(p.chords) > 0 {
				k.steps.last().clearDoubts() // the next step has them
			}
			k.typeAtCaret(t, p.text, doubt)
			doubt = ""
		}
	}
	k.keeps = t.field
}

// putCaret makes the steps that put the caret where the text was typed, if the keys do not, and returns
// the doubt about its place, or "".
func (k *keyboard) putCaret(t *typing) (doubt string) {
	text := t.net.parts[0].text
	switch {
	case t.continues || t.goesOn || goesToEdge(t.net.parts[0].chords):
	case t.net.moves() && t.led == nil: // from where the program has the caret
	case t.sure && !t.net.moves() && t.isAdded():
		k.goTo(t.target, "ctrl+end", "go to the end", t.first.Time)
	case t.sure && !t.net.moves() && t.before != "" && len(t.net.parts) == 1 && !t.late && sameWithBlanks(t.value, text+t.before):
		k.goTo(t.target, "ctrl+home", "go to the beginning", t.first.Time)
	case t.led != nil:
		k.ledCaret(t)
	case t.late || !t.shown:
		return unread
	default:
		return "the position of the caret is unknown, so the text is typed where the caret is"
	}
	return ""
}

// isAdded reports whether the text is at the end of what was there.
func (t *typing) isAdded() bool {
	_, ok := t.added()
	return ok
}

// picture returns the file of a picture of the field, when it was clicked, or "".
func (t *typing) picture() string {
	if t.led == nil {
		return ""
	}
	return t.led.picture
}

// goTo makes a step that goes to an end of a field, by a key.
func (c *compilation) goTo(t *recorder.Seen, key, summary string, begin time.Time) {
	s := &step{kind: pressKey, subject: "press " + key, summary: summary + " of " + describe(t), begin: begin}
	s.setTarget(t)
	s.set("key", key)
	s.clearDoubts() // the next step has them
	c.emit(s)
}

// ledCaret makes a step of the click or the drag that put the caret into a document.
func (k *keyboard) ledCaret(t *typing) {
	s := t.led
	if s.click != nil && s.target.Bounds.Contains(s.click.at) && s.arg("click_position") == nil {
		s.set("click_position", position(s.target, s.click.at))
	}
	s.doubt("the caret is put where it was, in what the document showed there")
	k.emit(s)
	if selected := s.selects || s.click != nil && s.click.count > 1; selected && !t.net.moves() {
		k.pressOn(t.target, "delete", t.first) // the text takes its place
	}
}

// typeAtCaret makes the step that types a text where the caret is.
func (k *keyboard) typeAtCaret(t *typing, text, doubt string) {
	s := t.step(text)
	s.set("clear_before_typing", false)
	if doubt != "" {
		s.doubt("%s", doubt)
	}
	k.emit(s)
}

// step returns the step that types a text into the field.
func (t *typing) step(text string) *step {
	s := &step{kind: typeIntoElement, subject: cmp.Or(nameOf(t.target), "type "+string(t.target.Role)), summary: typeSummary(text, t.target), begin: t.first.Time, end: t.last, picture: t.picture()}
	s.setTarget(t.target)
	s.input = &input{arg: "text_to_type", value: text, many: t.target.MultiLine(), field: t.field}
	s.set("text_to_type", "")
	return s
}

// goesToEdge reports whether chords put the caret where it is the same whatever was before.
func goesToEdge(chords []string) bool {
	return len(chords) > 0 && slices.Contains([]string{"ctrl+end", "ctrl+home", "ctrl+a"}, chords[0])
}

// leaveSelected reports whether something is selected after chords.
func leaveSelected(chords []string) (selected bool) {
	for _, chord := range chords {
		switch {
		case chord == "ctrl+c":
		default:
			selected = chord == "ctrl+a" || strings.Contains(chord, "shift+")
		}
	}
	return selected
}

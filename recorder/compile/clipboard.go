package compile

import (
	"slices"
	"strings"
	"time"

	"understudy/recorder"
)

// What was pasted is known by its content: the text comes from the step that copied an equal one last,
// by whatever key, menu or button.

// copyTime is how long after a step the clipboard counts as taken by it.
const copyTime = 5 * time.Second

// clipboardTaken notes which step copied what the clipboard holds now. A program may take the
// clipboard again later, with the same text.
func (c *Compiler) clipboardTaken(ev recorder.Event) {
	c.clip = ev.Clip
	if c.typing != nil && slices.ContainsFunc(c.typing.net.chords, copiesText) {
		delete(c.copied, c.clip) // the keys will be a step
		return
	}
	if s := c.steps.last(); s != nil && ev.Time.Sub(s.end) <= copyTime {
		c.copied[c.clip] = s
	}
}

// copiesText reports whether a chord puts something on the clipboard.
func copiesText(chord string) bool { return chord == "ctrl+c" || chord == "ctrl+x" }

// copies notes that a step puts something on the clipboard.
func (c *compilation) copies(s *step, chords string) {
	if slices.ContainsFunc(strings.Fields(chords), copiesText) {
		c.copied[c.clip] = s
	}
}

// unknownCopy is the doubt about a text that was pasted from elsewhere.
const unknownCopy = "it was pasted, and no step copied it: the recorded text is typed"

// result returns the step that reads what another copied: that step itself for a whole field, or one
// that reads the clipboard after it.
func (c *compilation) result(s *step) *step {
	if s.kind == getClipboard || s.kind == validateElement {
		return s
	}
	if s.kind == pressKey && s.arg("key") == "ctrl+a ctrl+c" {
		s.kind, s.subject, s.summary = validateElement, "read "+nameOf(s.target), "read "+describe(s.target)
		s.drop("key")
		s.expect, s.mustHave = nil, "$.exists"
		return s
	}
	next := slices.Index(c.steps, s) + 1
	if next < len(c.steps) && c.steps[next].kind == getClipboard {
		return c.steps[next]
	}
	read := &step{kind: getClipboard, subject: "copied", summary: "read the clipboard", begin: s.end, end: s.end, process: s.process, pid: s.pid, window: s.window, mustHave: "$.text != ''"}
	c.steps = slices.Insert(c.steps, next, read)
	for clip, from := range c.copied {
		if from == s {
			c.copied[clip] = read
		}
	}
	return read
}

// notePaste keeps the step whose copy a chord pastes.
func (k *keyboard) notePaste(chord string) {
	t := k.typing
	switch {
	case chord == "ctrl+a":
		t.copies = nil
	case chord == "ctrl+v" && !slices.Contains(t.net.chords, "ctrl+c"):
		t.copies = append(t.copies, k.copied[k.clip])
	}
}

// paste makes a step type the results of other steps, with the text that was typed around them.
func (k *keyboard) paste(s *step, t *typing) {
	if !t.pastes() {
		if slices.Contains(t.copies, nil) && !t.hidden {
			s.doubt(unknownCopy)
		}
		return
	}
	for i, text := range t.net.around() {
		if i > 0 {
			s.input.parts = append(s.input.parts, k.result(t.copies[i-1]))
		}
		s.input.parts = append(s.input.parts, text)
	}
	s.input.value = strings.TrimPrefix(t.value, t.held())
	s.summary = "type what was copied into " + describe(t.target)
	if t.held() != "" {
		k.addAtEnd(s)
	}
}

// held returns what the field held that is still there.
func (t *typing) held() string {
	if t.net.replaced {
		return ""
	}
	return t.before
}

// around returns the texts that were typed before, between and after the pastes.
func (n *net) around() []string { return strings.Split(n.text, pasted) }

// pastes reports whether what steps copied was pasted at the end of the field.
func (t *typing) pastes() bool {
	texts := t.net.around()
	return len(t.copies) > 0 && len(texts) == len(t.copies)+1 && !slices.Contains(t.copies, nil) && !t.net.other && !t.hidden &&
		strings.HasPrefix(t.value, t.held()+texts[0]) && strings.HasSuffix(t.value, texts[len(texts)-1])
}

// reads reports whether an argument holds the result of a step.
func (in *input) reads(s *step) bool { return in != nil && slices.Contains(in.parts, any(s)) }

package compile

import (
	"slices"
	"strings"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/internal/words"
	"understudy/recorder"
)

// Keys that edit no field are pressed again as they were.

// pressChord handles a key that edits no field.
func (k *keyboard) pressChord(ev recorder.Event, thing *recorder.Seen) {
	k.flush()
	if ev.Key == "" || switchesWindow(ev) || k.inOpenList(ev) {
		return
	}
	chord := chordOf(ev)
	if isTab(ev) && thing != nil {
		k.tab(chord, ev)
		return // it leads to the next field, which its own step finds
	}
	k.waitForText()
	if s := k.steps.last(); chord == "enter" && s != nil && s.kind == typeIntoElement && s.input.after == "" && len(s.expect) == 0 && sameElement(s.target, thing) {
		s.input.after, s.end = "{Enter}", ev.Time // a cell has the keyboard again when it was edited
		return
	}
	if thing != nil && len(ev.Mods) == 0 && worksElement(ev.Key) && !thing.TakesText() && thing.Role != "frame" && !highlighted(thing) {
		if len(unique(thing)) > 0 {
			k.pressOn(thing, chord, ev)
			return
		}
		if k.pressAfterTabs(chord, ev) {
			return
		}
	}
	k.pressTabs()
	k.pressGlobal(chord, ev)
}

// highlighted reports whether an element may only look as if it had the focus, as an option of a list in a
// page does.
func highlighted(t *recorder.Seen) bool {
	return t.InPage() && recorder.IsOption(t.Role) && !t.DropDown()
}

// pressGlobal makes a step that presses a key, whatever has the focus.
func (k *keyboard) pressGlobal(chord string, ev recorder.Event) {
	if _, ok := k.windows.open[k.windows.active]; !ok && k.fields[ev.Field] != nil {
		k.windows.active = k.fields[ev.Field].Window
	}
	s := &step{kind: pressKeyGlobal, subject: "press " + chord, summary: "press " + chord, begin: ev.Time}
	k.windows.setActive(s)
	if s.process != "" {
		s.set("process", s.process)
	}
	s.set("key", chord)
	k.act(s)
	k.copies(s, chord)
}

// worksElement reports whether a key is for the focused element, not for its program.
func worksElement(k desktop.Key) bool {
	switch k {
	case "space", "enter", "up", "down", "left", "right", "home", "end", "pageup", "pagedown", "delete", "backspace":
		return true
	}
	return utf8.RuneCountInString(string(k)) == 1
}

// switchesWindow reports whether a key only switches windows, which becomes a step by itself.
func switchesWindow(ev recorder.Event) bool {
	return ev.Key == "tab" && (slices.Contains(ev.Mods, desktop.Alt) || slices.Contains(ev.Mods, desktop.Super))
}

// pressOn makes a step that presses a key on an element, or extends the last.
func (k *keyboard) pressOn(thing *recorder.Seen, chord string, ev recorder.Event) {
	if s := k.steps.last(); s != nil && s.kind == pressKey && s.target == thing && len(s.expect) == 0 && ev.Time.Sub(s.end) < doubleClickTime {
		s.set("key", s.args[len(s.args)-1].Value.(string)+" "+chord)
		s.summary, s.end = s.summary+", "+chord, ev.Time
		k.copies(s, chord)
		return
	}
	s := &step{kind: pressKey, subject: "press " + chord, summary: "press " + chord + " on " + describe(thing), begin: ev.Time}
	s.setTarget(thing)
	s.set("key", chord)
	k.act(s)
	k.copies(s, chord)
}

// isSpaceOn reports whether a blank presses a control instead of being typed.
func isSpaceOn(ev recorder.Event, t *recorder.Seen) bool {
	return ev.Text == " " && t != nil && (recorder.IsToggle(t) || t.Role == "button" || t.Role == "togglebutton")
}

// quoteShort returns a text as one short line in quotes.
func quoteShort(text string) string {
	const most = 40
	return `"` + words.Shorten(strings.Join(strings.Fields(text), " "), most) + `"`
}

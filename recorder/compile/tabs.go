package compile

import (
	"strings"

	"understudy/recorder"
)

// tabs are the presses of Tab since a step, from an element that selectors name if there
// is one. They become part of a step only if the next one needs them to find its element.
type tabs struct {
	from   *recorder.Seen
	last   recorder.Event // the last press
	stayed bool           // the focus was not reported to move since
	chords []string
	after  *step // the last step at that time; a later one moves the focus by itself
	made   *step // of the keys for elements that were reached so
}

// tab notes a press of Tab on an element.
func (k *keyboard) tab(chord string, ev recorder.Event) {
	on, last := k.fields[ev.Field], k.steps.last()
	switch pending := k.tabsPending(); {
	case pending && k.stayed(ev):
	case len(unique(on)) > 0:
		k.tabs = tabs{from: on, after: last}
	case last != k.tabs.after:
		k.tabs = tabs{after: last}
	}
	k.tabs.last, k.tabs.stayed, k.tabs.chords = ev, true, append(k.tabs.chords, chord)
}

// tabsPending reports whether Tab was pressed since the last step.
func (k *keyboard) tabsPending() bool {
	return len(k.tabs.chords) > 0 && k.steps.last() == k.tabs.after
}

// stayed reports whether a key goes to the element that got the last Tab.
func (k *keyboard) stayed(ev recorder.Event) bool {
	return k.tabs.stayed && ev.Field > 0 && ev.Field == k.tabs.last.Field
}

// pressTabs makes a step of the presses of Tab since the last step, before a step for
// whatever has the focus.
func (k *keyboard) pressTabs() {
	if !k.tabsPending() {
		return
	}
	t := k.tabs
	k.tabs = tabs{}
	chords := strings.Join(t.chords, " ")
	if t.from == nil {
		k.pressGlobal(chords, t.last)
	} else {
		k.pressOn(t.from, chords, t.last)
	}
}

// waitForText keeps the presses of Tab for the step after the wait.
func (k *keyboard) waitForText() {
	last := k.steps.last()
	k.compilation.waitForText()
	if k.tabs.after == last {
		k.tabs.after = k.steps.last()
	}
}

// pressAfterTabs makes a step of a key for an element that no selector names: it begins
// at the one from which Tab led there. It reports whether there is one.
func (k *keyboard) pressAfterTabs(chord string, ev recorder.Event) bool {
	t := &k.tabs
	if t.from == nil || k.steps.last() != t.after || t.made != nil && len(t.made.expect) > 0 {
		return false
	}
	chords := strings.Join(append(t.chords, chord), " ")
	if t.made == nil {
		k.pressOn(t.from, chords, ev)
		t.made = k.steps.last()
		t.made.doubt("no selector finds the element that the key was for; Tab leads to it")
	} else {
		t.made.set("key", t.made.args[len(t.made.args)-1].Value.(string)+" "+chords)
		t.made.summary, t.made.end = t.made.summary+", "+chords, ev.Time
	}
	t.chords, t.after = nil, t.made
	return true
}

// isTab reports whether a key leads to the next element, or the previous.
func isTab(ev recorder.Event) bool {
	chord := chordOf(ev)
	return chord == "tab" || chord == "shift+tab"
}

package compile

import (
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// keyboard turns keys and the values of fields into steps.
type keyboard struct {
	*compilation
	fields map[int]*recorder.Seen
	reads  map[int][]read // of fields, since the last that was typed into them
	typing *typing
	keeps  int // the field that had the focus since it was typed into, or 0
	tabs   tabs
}

// typing is the edit of one field, until the person uses something else.
type typing struct {
	field  int
	target *recorder.Seen
	first  recorder.Event
	last   time.Time // when the last key came
	keys   []keystroke
	net    net
	hidden bool    // the text is not written
	led    *step   // the click or the drag that put the caret there, which is a step only if its place matters
	goesOn bool    // it had the focus since it was typed into, and only something else was clicked
	copies []*step // those whose copies were pasted, in the order of the pastes; nil: unknown
	// continues: the program took what was typed before it, so the caret is where that left it.
	continues bool

	// Known when it ends:
	settled
	before  string
	late    bool             // it was read only when keys had been pressed, so what it held before is not known
	changed bool             // something was typed, or the field holds another text
	browsed []recorder.Event // the last keys, which chose in a list and changed nothing in the field
}

// value returns what a field held when it was seen last.
func (k *keyboard) value(field int) string {
	if all := k.reads[field]; len(all) > 0 {
		return all[len(all)-1].value
	}
	return ""
}

func (k *keyboard) focused(ev recorder.Event) {
	if k.typing != nil && k.typing.field != ev.Field {
		k.flush()
	}
	k.tabs.stayed, k.keeps = false, 0
	k.fields[ev.Field] = ev.Element
	if ev.Value != nil && k.typing == nil {
		k.saw(ev)
	}
}

// saw keeps what a field was seen to hold: before its keys are told of, only the last few times.
func (k *keyboard) saw(ev recorder.Event) {
	const most = 100
	k.reads[ev.Field] = append(k.reads[ev.Field], read{ev.Time, *ev.Value})
	if all := k.reads[ev.Field]; k.typing == nil && len(all) > most {
		k.reads[ev.Field] = all[1:]
	}
}

// held handles the value of a field.
func (k *keyboard) held(ev recorder.Event) {
	if ev.Value == nil {
		return
	}
	was := k.value(ev.Field)
	if k.typing == nil && sameWithBlanks(was, *ev.Value) {
		ev.Value = &was // a page has other blanks where one ends a line
	}
	k.typedInferred(ev)
	k.saw(ev)
	k.splitAtEnter(false)
	k.complete(k.fields[ev.Field], was, *ev.Value)
}

// sameWithBlanks reports whether two values differ only in which blanks may break a line.
func sameWithBlanks(a, b string) bool {
	const noBreak = "\u00a0"
	return strings.ReplaceAll(a, noBreak, " ") == strings.ReplaceAll(b, noBreak, " ")
}

// around returns what the field held before the keys, and the reads since then. Keys that only move the caret
// may come before it is read.
func (t *typing) around(reads []read) (before []guess, since []read) {
	n, first := 0, t.first.Time
	if edit := slices.IndexFunc(t.keys, func(k keystroke) bool { return k.pointed || !recorder.MovesCaret(k.Key, k.Mods) }); edit >= 0 {
		first = t.keys[edit].Time
	}
	for n < len(reads) && reads[n].at.Before(first) {
		n++
	}
	switch {
	case n > 0:
		t.before = reads[n-1].value
	case len(reads) > 0 && reads[0].value != "": // it may have been loaded, or hold what was typed
		t.late = true
		return []guess{anyText}, reads
	}
	return guessesOf(t.before), reads[n:]
}

// settle finds out what the field holds after the keys.
func (t *typing) settle(reads []read) {
	before, since := t.around(reads)
	t.settled = settle(before, t.keys, since)
	if first, without := t.browsing(before, since); first < len(t.keys) {
		t.settled = without
		for _, k := range t.keys[first:] {
			t.browsed = append(t.browsed, k.Event)
		}
	}
	if t.value == "" && !t.sure {
		t.value = t.before
	}
	t.changed = t.net.typed || t.value != t.before || slices.Contains(t.net.chords, "enter") || t.hidden && slices.Contains(t.net.chords, "ctrl+v")
}

// browsing returns where the last keys begin that chose in a list, and what the field holds without them; after
// all keys if there are none, or the field shows their effect.
func (t *typing) browsing(before []guess, reads []read) (first int, without settled) {
	first = len(t.keys)
	for first > 0 && t.keys[first-1].browses {
		first--
	}
	if first == len(t.keys) {
		return first, without
	}
	earlier := slices.IndexFunc(reads, func(r read) bool { return t.keys[first].Time.Before(r.at) })
	if earlier < 0 {
		earlier = len(reads)
	}
	without = settle(before, t.keys[:first], reads[:earlier])
	if slices.ContainsFunc(reads[earlier:], func(r read) bool { return !sameWithBlanks(r.value, without.value) }) {
		return len(t.keys), without
	}
	return first, without
}

// lastEnter returns the place of the last Enter among the keys, if only text was typed since then, or -1.
func (t *typing) lastEnter() (at int, since string) {
	for at = len(t.keys) - 1; at >= 0 && t.keys[at].Text != ""; at-- {
		since = t.keys[at].Text + since
	}
	if at < 0 || t.keys[at].browses || chordOf(t.keys[at].Event) != "enter" {
		return -1, ""
	}
	return at, since
}

// splitAtEnter makes a step of the typing up to the last Enter, if the field shows that the program took the
// text then, and reports whether it did. The text since then was typed into what the program left.
func (k *keyboard) splitAtEnter(ended bool) bool {
	t := k.typing
	if t == nil || t.hidden || len(k.reads[t.field]) == 0 {
		return false
	}
	enter, since := t.lastEnter()
	now := k.reads[t.field][len(k.reads[t.field])-1]
	before, reads := t.around(k.reads[t.field])
	if enter < 0 || !t.keys[enter].Time.Before(now.at) || t.movedInDocument(now.value) {
		return false
	}
	whole, until := settle(before, t.keys, reads), slices.IndexFunc(reads, func(r read) bool { return t.keys[enter].Time.Before(r.at) })
	entered := settle(before, t.keys[:enter], reads[:until])
	if entered.value == "" || !whole.odd && (!ended || now.value != t.before) || !t.took(entered, since, now, ended) {
		return false
	}
	shown := since
	for !strings.HasSuffix(now.value, shown) {
		shown = shown[:len(shown)-1]
	}
	at, later := t.keys[enter].Time, t.keys[enter+1:]
	t.keys = t.keys[:enter]
	t.net = netOf(t.keys)
	k.reads[t.field] = slices.DeleteFunc(k.reads[t.field], func(r read) bool { return at.Before(r.at) })
	k.flushEntered(now.at)
	k.reads[t.field] = []read{{at, strings.TrimSuffix(now.value, shown)}}
	for _, key := range later {
		k.typed(key.Event)
		k.typing.continues = true
	}
	k.reads[t.field] = append(k.reads[t.field], now)
	return true
}

// took reports whether a read after Enter shows that the program took the text: as it was before Enter, with
// some of what was typed later, or another with no new line.
func (t *typing) took(entered settled, since string, now read, ended bool) bool {
	if later, same := strings.CutPrefix(now.value, entered.value); same {
		return !ended && strings.HasPrefix(since, later) && (later != "" || now.at.Sub(t.last) >= readLag)
	}
	return strings.Count(now.value, "\n") <= strings.Count(entered.value, "\n")
}

// flushEntered makes a step of the typing so far and an Enter, and returns it; nil if nothing was
// typed.
func (k *keyboard) flushEntered(at time.Time) *step {
	before := len(k.steps)
	k.flush()
	s := k.steps.last()
	if len(k.steps) <= before || s.input == nil {
		return nil
	}
	s.input.after += "{Enter}"
	s.end = at
	k.navigates(s)
	return s
}

// forgetReadsAfter drops the reads of the field that came after a time, unless a key did.
func (k *keyboard) forgetReadsAfter(at time.Time) {
	if t := k.typing; !t.last.After(at) {
		k.reads[t.field] = slices.DeleteFunc(k.reads[t.field], func(r read) bool { return r.at.After(at) })
	}
}

// complete merges a click on a completion into the typing, if the field holds it only then, or
// it was offered in a popup. In a page the list may be part of it: its script may do more than
// filling the field.
func (k *keyboard) complete(t *recorder.Seen, was, value string) {
	n := len(k.steps)
	if n < 2 || k.typing != nil {
		return
	}
	typed, clicked := k.steps[n-2], k.steps[n-1]
	if clicked.click != nil && !clicked.click.inPopup && t.InPage() {
		return
	}
	if typed.kind != typeIntoElement || typed.input.secret || !sameElement(typed.target, t) || clicked.click == nil || was == value && !clicked.click.inPopup || len(clicked.expect) > 0 ||
		clicked.target == nil || !recorder.IsOption(clicked.target.Role) || nameOf(clicked.target) == "" || !strings.Contains(value, nameOf(clicked.target)) {
		return
	}
	typed.input.value, typed.summary, typed.end = value, typeSummary(value, t), clicked.end
	k.steps = k.steps[:n-1]
}

// typed handles a key.
func (k *keyboard) typed(ev recorder.Event) {
	if ev.Key.IsModifier() || k.ledToChoice(ev) {
		return
	}
	if k.typing != nil && k.typing.field != ev.Field {
		k.flush()
	}
	if k.stayed(ev) && !isTab(ev) {
		k.pressTabs() // they were for the element itself
	}
	thing := k.fields[ev.Field]
	edits := thing.TakesText() && (ev.Text != "" || ev.Hidden || isEdit(ev, thing))
	switch {
	case edits:
		k.beginTyping(ev, thing)
		k.typing.add(keystroke{Event: ev})
		k.notePaste(chordOf(ev))
	case k.browses(ev, thing):
		k.beginTyping(ev, thing)
		k.typing.add(keystroke{Event: ev, browses: true})
	case thing.TakesText() && len(ev.Mods) == 0 && ev.Key == "enter" && k.typing != nil:
		if k.flushEntered(ev.Time) == nil {
			k.pressChord(ev, k.fields[ev.Field])
		}
	case thing.TakesText() && len(ev.Mods) == 0 && ev.Key == "tab" && k.typing != nil:
		k.flush() // the next step finds its field by itself
		k.tab("tab", ev)
	case k.typing != nil && !thing.TakesText() && len(ev.Mods) == 0 && ev.Key == "enter":
		k.typing.last = ev.Time
		k.flush()
		if s := k.steps.last(); s != nil && s.input != nil {
			s.input.after = "\n"
		} else {
			k.pressChord(ev, thing)
		}
	case thing.DropDown() && ev.Text != "":
		ev.Mods = nil // a letter selects an option in either case
		k.pressChord(ev, thing)
	case ev.Text != "" && !isSpaceOn(ev, thing), ev.Hidden:
		k.beginTyping(ev, thing)
		k.typing.add(keystroke{Event: ev})
	default:
		k.pressChord(ev, thing)
	}
}

// browses reports whether a key may select or accept a completion, or change a number. What
// chooses in a list that is part of a page is pressed again, as its script may do more than filling
// the field.
func (k *keyboard) browses(ev recorder.Event, t *recorder.Seen) bool {
	if t.InPage() && t.Role != "spinbutton" && !k.windows.any(func(w desktop.Window) bool { return w.Popup }) {
		return false
	}
	if !t.TakesText() || t.Secret() || t.MultiLine() || len(ev.Mods) > 0 {
		return false
	}
	switch ev.Key {
	case "up", "down", "pageup", "pagedown":
		return true
	case "enter":
		if k.typing != nil {
			first, _ := k.typing.browsing(k.typing.around(k.reads[ev.Field]))
			return first < len(k.typing.keys)
		}
	}
	return false
}

// isEdit reports whether a key without text edits a field, or moves the caret in it.
func isEdit(ev recorder.Event, t *recorder.Seen) bool {
	switch ev.Key {
	case "up", "down", "pageup", "pagedown", "enter":
		return t.MultiLine() && len(ev.Mods) == 0
	}
	return recorder.Edits(ev.Key, ev.Mods)
}

// beginTyping starts the editing of a field, unless it is under way.
func (k *keyboard) beginTyping(ev recorder.Event, thing *recorder.Seen) {
	if k.typing != nil && k.typing.field == ev.Field {
		return
	}
	k.flush()
	led := k.steps.unclick(thing)
	k.waitForText()
	last := k.steps.last()
	goesOn := ev.Field == k.keeps && last != nil && last.click != nil && last.target != nil && thing != nil && !sameField(last.target, thing)
	k.typing = &typing{field: ev.Field, goesOn: goesOn, led: led, target: thing, first: ev}
}

// add adds a key, or a press of the pointer in the field.
func (t *typing) add(k keystroke) {
	t.keys, t.last = append(t.keys, k), k.Time
	t.hidden = t.hidden || k.Hidden || t.target.TakesText() && t.target.Secret()
	if !k.browses && !k.pointed {
		t.net.key(k.Event)
	}
}

// flush makes a step of the typing so far.
func (k *keyboard) flush() {
	t := k.typing
	if t == nil {
		return
	}
	if k.splitAtEnter(true) {
		k.flush()
		return
	}
	k.typing = nil
	if t.target.TakesText() {
		t.settle(k.reads[t.field])
		if !t.hidden {
			k.reads[t.field] = []read{{t.last, t.value}}
		}
	}
	switch {
	case t.target.TakesText() && t.onlyKeys():
		last, summary := k.steps.lastNow()
		k.pressOn(t.target, strings.Join(t.net.chords, " "), t.first)
		k.prove(t, k.steps.since(last, summary))
	case t.editsDocument() && !t.pastes():
		k.pressAgain(t)
		return
	case t.target.TakesText() && t.changed:
		k.fillField(t)
		k.leaveCaret(t)
	case t.target.TakesText() && !t.sure && slices.ContainsFunc(t.net.chords, changesText):
		k.pressOn(t.target, strings.Join(t.net.chords, " "), t.first)
		k.steps.last().doubt(unread)
	case t.target.TakesText():
		k.leaveCaret(t)
	default:
		k.typeAnywhere(t)
	}
	if t.target == nil {
		return
	}
	for _, ev := range t.browsed {
		k.pressOn(t.target, desktop.Chord{Key: ev.Key}.String(), ev)
	}
}

// unread is the doubt about a field whose value was not read after the last keys.
const unread = "the field could not be read after the last keys, so its text may differ"

// fillField makes the step that types a field's final value.
func (k *keyboard) fillField(t *typing) {
	k.switchTo(t.target.Window)
	s := t.step(t.value)
	if added, ok := t.added(); ok {
		s.input.value, s.summary = added, typeSummary(added, t.target)
		if t.goesOn { // to move the caret would undo what was clicked, such as Bold
			s.set("clear_before_typing", false)
		} else {
			k.addAtEnd(s)
		}
	}
	if t.hidden {
		s.input.value, s.input.secret = "", true
		s.summary = "type a secret into " + describe(t.target)
	} else if t.less {
		s.doubt("the field did not show all that was typed: it was read too early, or does not take it")
	} else if !t.sure && !t.pastes() {
		s.doubt(unread)
	}
	if !t.hidden {
		k.keeps = t.field
	}
	k.paste(s, t)
	k.emit(s)
}

func typeSummary(value string, t *recorder.Seen) string {
	return "type " + quoteShort(value) + " into " + describe(t)
}

// typeAnywhere makes the step that types where no field is known.
func (k *keyboard) typeAnywhere(t *typing) {
	s := &step{kind: typeText, subject: "type", begin: t.first.Time, input: &input{arg: "text", secret: true}}
	switch {
	case !t.hidden:
		s.input = &input{arg: "text", value: t.net.typedText(), names: "typed", field: t.field}
		s.summary, s.end = "type "+quoteShort(s.input.value), t.last
	case t.target != nil && t.target.Role == "terminal":
		s.subject, s.summary, s.input.names = "type password", "type a password into "+describe(t.target), "password"
	default:
		s.summary = "type something that is not recorded"
		s.doubt("nothing is known of the field, so what was typed there was not recorded")
	}
	s.set("text", "")
	k.windows.setActive(s)
	k.pressTabs()
	k.act(s)
}

package compile

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/recorder"
	"understudy/steps/observe"
)

// keyboard turns keys and the values of fields into steps.
type keyboard struct {
	*compilation
	fields map[int]*recorder.Seen
	values map[int]string
	readAt map[int]time.Time // when a field was read for the first time
	typing *typing
	keeps  int // the field that had the focus since it was typed into, or 0
	tabs   tabs
}

// readLag is how long after a key a field may not show its effect yet.
const readLag = 500 * time.Millisecond

// typing is the edit of one field, until the person uses something else: what it held, the keys, and what
// it held then. The keys are the truth: where they alone tell the text, what is read only checks it, as it
// may have been read too early. What is read counts where only the program knows what its keys did.
type typing struct {
	field    int
	target   *recorder.Seen
	first    recorder.Event
	last     time.Time // when the last key came
	led      *step     // the click or the drag that put the caret there, which is a step only if its place matters
	goesOn   bool      // it had the focus since it was typed into, and only something else was clicked
	before   string    // what the field held before the keys
	beforeAt time.Time // when that was read, if it held something
	late     bool      // keys had come by then, so what it held before them is not known
	net      net
	copies   []*step // those whose copies were pasted, in the order of the pastes; nil: unknown
	held     string  // what the field held when it was read last, and what keys added since
	heldAt   time.Time
	read     bool // it was read since the first key, and did not lag behind the keys
	pending  bool // keys came since
	// heardLate: some of them were pressed before that, so they may be in it.
	heardLate bool
	unknown   bool    // some of them have an effect that only the field shows
	lagging   *string // the last value that was read, if it lags behind the keys
	lagged    bool    // it was read so late that the program may hold no more
	changed   bool
	hidden    bool // the text is not written
	moved     bool // the pointer moved the caret, or a completion was chosen, so the keys do not tell the text
	// browsed are keys for a list of completions or a number: the value read afterwards decides.
	browsed []recorder.Event
	// entered is the value when Enter was pressed last, until it is known whether that began a line
	// or a key comes that types nothing; since is the text that was typed after it.
	entered *string
	since   string
	// continues: the program took what was typed before it, so the caret is where that left it.
	continues bool
}

func (k *keyboard) focused(ev recorder.Event) {
	if k.typing != nil && k.typing.field != ev.Field {
		k.flush()
	}
	k.tabs.stayed, k.keeps = false, 0
	k.fields[ev.Field] = ev.Element
	if ev.Value != nil {
		k.values[ev.Field] = *ev.Value
		if k.readAt[ev.Field].IsZero() {
			k.readAt[ev.Field] = ev.Time
		}
	}
}

// held handles the value of a field, which takes precedence over the keys.
func (k *keyboard) held(ev recorder.Event) {
	if ev.Value == nil {
		return
	}
	k.keepBlanks(&ev)
	k.typedInferred(ev)
	if t := k.typing; t != nil && t.field == ev.Field && !t.hidden {
		if t.lags(*ev.Value, ev.Time) {
			t.lagging, t.lagged = ev.Value, ev.Time.Sub(t.last) >= readLag
			return
		}
		t.lagging = nil
		if t.submitted(*ev.Value) || t.kept(*ev.Value, ev.Time) {
			k.submit(t, *ev.Value, ev.Time)
			if k.typing != nil {
				k.held(ev)
			}
			return
		}
		t.entered = nil // it began a line
		if *ev.Value != t.held {
			t.changed, t.browsed = true, nil
		}
		t.held, t.heldAt, t.read = *ev.Value, ev.Time, true
		t.unknown, t.pending, t.heardLate = false, false, false
	}
	was := k.values[ev.Field]
	k.values[ev.Field] = *ev.Value
	k.complete(k.fields[ev.Field], was, *ev.Value)
}

// keepBlanks keeps the blanks that were known of a value: a page has others where one ends a line.
func (k *keyboard) keepBlanks(ev *recorder.Event) {
	known := k.values[ev.Field]
	if t := k.typing; t != nil && t.field == ev.Field {
		known = t.held
	}
	if sameWithBlanks(known, *ev.Value) {
		ev.Value = &known
	}
}

// sameWithBlanks reports whether two values differ only in which blanks may break a line.
func sameWithBlanks(a, b string) bool {
	const noBreak = "\u00a0"
	return strings.ReplaceAll(a, noBreak, " ") == strings.ReplaceAll(b, noBreak, " ")
}

// keyed returns what the field holds according to the keys, if they alone tell it. Where they moved the caret
// nowhere, that is at the end.
func (t *typing) keyed() (text string, ok bool) {
	n := &t.net
	switch {
	case n.other || t.moved || strings.Contains(n.text, pasted) || t.hidden:
		return "", false
	case n.replaced:
		return n.text, n.text != ""
	}
	return t.before + n.text, !t.late
}

// value returns what the field holds, as far as it is known.
func (t *typing) value() string {
	if keyed, ok := t.keyed(); ok && (!t.read || t.heardLate || strings.HasPrefix(keyed, t.held)) {
		return keyed
	}
	return t.held
}

// differs reports whether the field was read, and shows another edit than the keys made.
func (t *typing) differs() bool {
	if !t.read || t.pending || t.moved || t.hidden || len(t.net.parts) == 0 || !t.net.typed || t.told() || len(t.copies) > 0 {
		return false
	}
	e := t.net.edit()
	return !e.unknown && !t.late && !e.Made(t.before, t.held) || utf8.RuneCountInString(t.held) < t.net.fewest(t.before)
}

// unsure reports whether some keys have an effect that was not read.
func (t *typing) unsure() bool {
	_, ok := t.keyed()
	return t.unknown && !ok
}

// told reports whether the keys alone tell what they typed, and where.
func (t *typing) told() bool {
	return t.net.certain() && !t.moved && (t.net.replaced || t.before == "" && !t.late || t.net.toEnd())
}

// submitted reports whether Enter made the program take the text: the field holds another, with no
// new line.
func (t *typing) submitted(value string) bool {
	return !t.movedInDocument() && t.entered != nil && *t.entered != "" && !t.unsure() && !strings.HasPrefix(value, *t.entered) &&
		strings.Count(value, "\n") <= strings.Count(*t.entered, "\n")
}

// kept reports whether Enter left the field as it was: it began no line, so it was for the
// program. Before readLag the value may be behind, unless it holds later text.
func (t *typing) kept(value string, at time.Time) bool {
	if t.movedInDocument() || t.entered == nil || *t.entered == "" {
		return false
	}
	later, same := strings.CutPrefix(value, *t.entered)
	return same && strings.HasPrefix(t.since, later) && (later != "" || at.Sub(t.last) >= readLag)
}

// submit makes a step of the text that the program took, with its Enter. The text since then was
// typed into what the program left in the field, which holds a value now.
func (k *keyboard) submit(t *typing, value string, now time.Time) {
	later := recorder.Event{Type: recorder.Typed, Time: t.last, Field: t.field, Text: t.since}
	t.held, t.read, t.lagging, t.entered = *t.entered, false, nil, nil
	t.net.cut("\n" + t.since)
	k.flushEntered(now)
	shown := t.since
	for !strings.HasSuffix(value, shown) {
		shown = shown[:len(shown)-1]
	}
	k.values[t.field] = strings.TrimSuffix(value, shown)
	if later.Text != "" {
		k.typed(later)
		k.typing.continues = true
	}
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

// forgetReadAfter drops the last read of the field if that came after a time.
func (t *typing) forgetReadAfter(at time.Time) {
	if t.heldAt.After(at) && !t.pending {
		t.read, t.unknown = false, true
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

// lags reports whether a value is only what the field held before the last keys, because the program is slow:
// the beginning of the text. Where the keys do not tell that text, this counts for readLag.
func (t *typing) lags(value string, at time.Time) bool {
	_, certain := t.keyed()
	shown := t.value()
	if !t.pending || value == shown || t.unsure() {
		return false
	}
	if certain && t.net.certain() && t.entered == nil && (value == t.before || t.net.replaced && !completes(shown, value) && !observe.Reformatted(shown, value)) {
		return true // what was typed is not there yet
	}
	return strings.HasPrefix(shown, value) && (certain && t.entered == nil || at.Sub(t.last) < readLag)
}

// completes reports whether a program made a longer text of one that was typed.
func completes(typed, text string) bool {
	return strings.TrimSpace(typed) != "" && strings.HasPrefix(text, typed)
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
		k.typing.key(ev)
		k.notePaste(chordOf(ev))
	case k.browses(ev, thing):
		k.beginTyping(ev, thing)
		k.typing.browsed, k.typing.last, k.typing.moved = append(k.typing.browsed, ev), ev.Time, true
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
		k.typing.hidden = k.typing.hidden || ev.Hidden
		k.typing.changed, k.typing.last = true, ev.Time
		k.typing.net.text += ev.Text
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
		return k.typing != nil && len(k.typing.browsed) > 0
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
	before := k.values[ev.Field]
	k.typing = &typing{field: ev.Field, goesOn: goesOn, led: led, target: thing, first: ev, held: before, before: before}
	if before != "" {
		k.typing.beforeAt = k.readAt[ev.Field]
	}
	k.typing.moved = led != nil && led.selected() // which the keys replaced
}

// key applies a key to the value of a field.
func (t *typing) key(ev recorder.Event) {
	held, certain := t.keyed()
	if !certain {
		held = t.held
	}
	inBefore := ev.Time.Before(t.beforeAt)
	if inBefore && ev.Text != "" {
		t.before, t.late = "", true
	}
	t.net.key(ev)
	t.pending, t.last, t.lagging, t.lagged = true, ev.Time, nil, false
	if t.since += ev.Text; ev.Text == "" {
		t.entered = nil
	}
	if len(t.browsed) > 0 {
		t.unknown, t.browsed = true, nil // only the field shows their effect
	}
	if ev.Time.Before(t.heldAt) {
		t.heardLate, t.unknown = true, true
	}
	add := func(text string) {
		if t.changed = true; !inBefore && !(t.heardLate && strings.HasSuffix(t.held, text)) {
			t.held += text
		}
	}
	if t.net.replaces() && t.net.text == ev.Text {
		t.read = false // the text took the place of what was read
	}
	switch chord := chordOf(ev); {
	case ev.Hidden || t.target.Secret():
		t.hidden = true
		t.changed = t.changed || ev.Hidden || ev.Text != ""
	case ev.Text != "":
		add(ev.Text)
	case ev.Key == "enter":
		if !inBefore {
			t.entered, t.since = &held, ""
		}
		add("\n")
	case chord == "backspace" && t.held != "":
		t.changed = true
		if r := []rune(t.held); !inBefore {
			t.held = string(r[:len(r)-1])
		}
	case chord == "ctrl+c":
	default:
		t.unknown = true
	}
	t.changed = t.changed || ev.Key == "v" && len(ev.Mods) > 0 && t.hidden // pasted
}

// flush makes a step of the typing so far.
func (k *keyboard) flush() {
	t := k.typing
	if t == nil {
		return
	}
	if t.lagging != nil && t.submitted(*t.lagging) {
		k.submit(t, *t.lagging, t.last)
		k.flush()
		return
	}
	k.typing = nil
	text, brought := t.broughtIn()
	switch {
	case t.target.TakesText() && t.onlyKeys():
		last, summary := k.steps.lastNow()
		k.pressOn(t.target, strings.Join(t.net.chords, " "), t.first)
		k.prove(t, k.steps.since(last, summary))
	case t.editsDocument() && !t.pastes():
		k.pressAgain(t)
		return
	case brought && !t.pastes():
		k.typeBrought(t, text)
		return
	case t.target.TakesText() && t.changed:
		k.fillField(t)
		k.leaveCaret(t)
	case t.target.TakesText() && t.unsure() && slices.ContainsFunc(t.net.chords, changesText):
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

// cutShort is the doubt about a field that did not show what the keys typed.
const cutShort = "the field did not show all that was typed: it was read too early, or does not take it"

// fillField makes the step that types a field's final value.
func (k *keyboard) fillField(t *typing) {
	k.switchTo(t.target.Window)
	s := t.step(t.value())
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
	} else if t.differs() || !t.told() && (t.unsure() || t.pending && (t.late || t.before != "") || t.late && t.net.other) {
		s.doubt(unread)
	} else if t.lagged {
		s.doubt(cutShort)
	}
	if !t.hidden {
		k.values[t.field] = t.value()
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
		s.input = &input{arg: "text", value: t.net.text, names: "typed", field: t.field}
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

package compile

import (
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/internal/words"
	"understudy/recorder"
)

// keyboard turns keys and the values of fields into steps.
type keyboard struct {
	*compilation
	fields map[int]*recorder.Seen
	values map[int]string
	readAt map[int]time.Time // when a field was read for the first time
	reads  map[int][]read    // of fields, since they were typed into
	typing *typing
	keeps  int // the field that had the focus since it was typed into, or 0
	tabs   tabs
}

// read is a read of a field that had changed, and the value before.
type read struct {
	at  time.Time
	was string
}

// readLag is how long after a key a field may not show its effect yet.
const readLag = 500 * time.Millisecond

// typing is the editing of one field, until the person uses something else.
type typing struct {
	field      int
	target     *recorder.Seen
	first      recorder.Event
	before     string // the value of the field at first
	value      string // the value of the field, as far as it is known
	earlier    string // the same before it was read last
	changed    bool
	unreadable bool      // the effect of some keys is unknown
	hidden     bool      // the text is not written
	pending    bool      // keys came after the value was read
	last       time.Time // when the last key came
	lastRead   time.Time // when the value was read
	ahead      string    // the end of that value whose keys had not arrived
	net        net
	copies     []*step // those whose copies were pasted, in the order of the pastes; nil: unknown
	// browsed are keys for a list of completions or a number: the value read afterwards decides.
	browsed []recorder.Event
	text    strings.Builder // typed where there is no field
	readAt  time.Time       // when the field was read for the first time
	showed  bool            // it was not empty then
	late    bool            // the first value may include typed text
	goesOn  bool            // it had the focus since it was typed into, and only something else was clicked
	// entered is the value when Enter was pressed last, until it is known whether that began a line
	// or a key comes that types nothing; since is the text that was typed after it.
	entered *string
	since   string
	behind  *string // the last value that was read, if it lags behind the keys
	led     *step   // the click or the drag that put the caret there, which is a step only if its place matters
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
		if t.isBehind(*ev.Value, ev.Time) {
			t.behind = ev.Value
			return
		}
		t.behind = nil
		if t.submitted(*ev.Value) || t.kept(*ev.Value, ev.Time) {
			k.submit(t, *ev.Value, ev.Time)
			if k.typing != nil {
				k.held(ev)
			}
			return
		}
		t.entered = nil // it began a line
		if *ev.Value != t.value {
			t.changed, t.browsed = true, nil
		}
		t.lastRead, t.ahead = ev.Time, lastOf(*ev.Value, utf8.RuneCountInString(*ev.Value)-utf8.RuneCountInString(t.predicted(*ev.Value)))
		t.earlier, t.value, t.unreadable, t.pending = t.value, *ev.Value, false, false
	}
	was := k.values[ev.Field]
	k.values[ev.Field] = *ev.Value
	if *ev.Value != was {
		k.reads[ev.Field] = append(k.reads[ev.Field], read{ev.Time, was})
	}
	k.complete(k.fields[ev.Field], was, *ev.Value)
}

// keepBlanks keeps the blanks that were known of a value: a page has others where one ends a line.
func (k *keyboard) keepBlanks(ev *recorder.Event) {
	known := k.values[ev.Field]
	if t := k.typing; t != nil && t.field == ev.Field {
		known = t.value
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

// predicted returns the value of a field according to the keys that arrived, or else the value
// that was read.
func (t *typing) predicted(read string) string {
	switch {
	case t.net.replaced && !t.net.other:
		return t.net.text
	case t.unreadable:
		return read
	}
	return strings.TrimSuffix(t.value, t.ahead)
}

// lastOf returns the last characters of a text.
func lastOf(text string, n int) string {
	r := []rune(text)
	return string(r[len(r)-max(0, min(n, len(r))):])
}

// wasRead reports whether the last value holds the text of a key that arrives only now.
func (t *typing) wasRead(text string, at time.Time) bool {
	return text != "" && at.Before(t.lastRead) && strings.HasPrefix(t.ahead, text)
}

// submitted reports whether Enter made the program take the text: the field holds another, with no
// new line.
func (t *typing) submitted(value string) bool {
	return !t.movedInDocument() && t.entered != nil && *t.entered != "" && !t.unreadable && !strings.HasPrefix(value, *t.entered) &&
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
	t.value, t.behind, t.entered = *t.entered, nil, nil
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

// forgetReadAfter restores the value before the last read if that came after a time.
func (t *typing) forgetReadAfter(at time.Time) {
	if t.lastRead.After(at) && !t.pending {
		t.value = t.earlier
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

// isBehind reports whether a value is only the beginning of the typed text because the
// application is slow. After readLag the value counts as complete.
func (t *typing) isBehind(value string, at time.Time) bool {
	if t.pending && value == t.before && t.entered == nil && t.net.certain() {
		return true // what was typed is not there yet
	}
	return !t.unreadable && t.pending && len(value) < len(t.value) && strings.HasPrefix(t.value, value) && at.Sub(t.last) < readLag
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
		k.typing.browsed, k.typing.last = append(k.typing.browsed, ev), ev.Time
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
		k.typing.text.WriteString(ev.Text)
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

// isSpaceOn reports whether a blank presses a control instead of being typed.
func isSpaceOn(ev recorder.Event, t *recorder.Seen) bool {
	return ev.Text == " " && t != nil && (recorder.IsToggle(t) || t.Role == "button" || t.Role == "togglebutton")
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
	k.typing = &typing{field: ev.Field, goesOn: goesOn, led: led, target: thing, first: ev, value: k.values[ev.Field], before: k.values[ev.Field], readAt: k.readAt[ev.Field]}
	k.typing.showed = k.typing.value != ""
	k.typing.take(k.reads[ev.Field])
	delete(k.reads, ev.Field)
}

// take finds the text of keys that are told of only now in the reads before the first of them.
func (t *typing) take(reads []read) {
	for _, r := range reads {
		if !t.first.Time.Before(r.at) {
			continue
		}
		if ahead, ok := strings.CutPrefix(t.value, r.was); ok {
			t.before, t.lastRead, t.ahead = r.was, reads[len(reads)-1].at, ahead
		}
		return
	}
}

// shownAlready reports whether the first read of the field came after a key, and may include it.
func (t *typing) shownAlready(ev recorder.Event) bool {
	return t.showed && ev.Time.Before(t.readAt)
}

// key applies a key to the value of a field.
func (t *typing) key(ev recorder.Event) {
	t.net.key(ev)
	t.pending, t.last, t.behind = true, ev.Time, nil
	if t.since += ev.Text; ev.Text == "" {
		t.entered = nil
	}
	if len(t.browsed) > 0 {
		t.unreadable, t.browsed = true, nil // only the field shows their effect
	}
	if t.shownAlready(ev) {
		if ev.Text != "" {
			t.before, t.late = "", true // it is unknown
		}
		shown := t.value
		defer func() { t.value, t.entered = shown, nil }()
	}
	chord := chordOf(ev)
	switch {
	case ev.Hidden || t.target.Secret():
		t.hidden = true
		t.changed = t.changed || ev.Hidden || ev.Text != ""
	case t.wasRead(ev.Text, ev.Time):
		t.ahead, t.changed = t.ahead[len(ev.Text):], true
	case ev.Text != "":
		t.value += ev.Text
		t.changed = true
	case ev.Key == "enter":
		held, known := t.value, t.wasRead("\n", ev.Time)
		if known {
			held, t.ahead = strings.TrimSuffix(t.value, t.ahead), t.ahead[1:]
		}
		if t.net.replaced && !t.net.other {
			held, t.unreadable = strings.TrimSuffix(t.net.text, "\n"), false
		}
		t.entered, t.since = &held, ""
		if !known {
			t.value += "\n"
		}
		t.changed = true
	case ev.Key == "backspace" && len(ev.Mods) == 0 && t.value != "":
		r := []rune(t.value)
		t.value = string(r[:len(r)-1])
		t.changed = true
	case chord == "ctrl+a" || chord == "ctrl+c":
		t.unreadable = t.unreadable || chord == "ctrl+a"
	default:
		t.unreadable = true
	}
	t.changed = t.changed || ev.Key == "v" && len(ev.Mods) > 0 && t.hidden // pasted
}

// flush makes a step of the typing so far.
func (k *keyboard) flush() {
	t := k.typing
	if t == nil {
		return
	}
	if t.behind != nil && t.submitted(*t.behind) {
		k.submit(t, *t.behind, t.last)
		k.flush()
		return
	}
	k.typing = nil
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
	case t.target.TakesText() && t.unreadable && slices.ContainsFunc(t.net.chords, changesText):
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
	} else if t.unreadable || t.pending && t.before != "" && (!t.net.replaced || t.net.other) {
		s.doubt(unread)
	}
	if !t.hidden {
		k.values[t.field] = t.value
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
		s.input = &input{arg: "text", value: t.text.String(), names: "typed", field: t.field}
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

// quoteShort returns a text as one short line in quotes.
func quoteShort(text string) string {
	const most = 40
	return `"` + words.Shorten(strings.Join(strings.Fields(text), " "), most) + `"`
}

package watch

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"understudy/recorder"
	"understudy/steps/desktop"
)

// focusTimeout bounds the question which element has the focus.
const focusTimeout = 250 * time.Millisecond

const (
	// readsPerAction is how often a field or a choice is read after input: again if it lags.
	readsPerAction = 2
	// maxTimeouts is how many reads in a row may time out before no more are made.
	maxTimeouts = 10
)

// answerTimeout bounds how long keys are held until the application confirms their field.
const answerTimeout = 10 * time.Second

// focus is what is known of the element that has the keyboard.
type focus struct {
	numbers map[desktop.Handle]int
	secret  map[desktop.Handle]bool // it was a password field once
	fields  []*recorder.Seen        // by number, from 1
	now     int                     // the number of the field that has the keyboard; 0: not known
	handle  desktop.Handle
	certain bool // nothing happened since that could move the keyboard
	secrecy secrecy
}

// of is the element with a number, or nil.
func (f *focus) of(n int) *recorder.Seen {
	if n < 1 || n > len(f.fields) {
		return nil
	}
	return f.fields[n-1]
}

// holder is the element with a number, as a holder of the keyboard.
func (f *focus) holder(n int) holder {
	t := f.of(n)
	if t == nil {
		return holder{}
	}
	return holder{n, t.Secret() || f.secret[t.Handle]}
}

// surely is the number of the field that surely has the keyboard; 0: not known.
func (f *focus) surely() int {
	if !f.certain {
		return 0
	}
	return f.now
}

// set notes which element has the keyboard.
func (f *focus) set(n int, h desktop.Handle) { f.now, f.handle, f.certain = n, h, true }

// forget notes that it is not known what has the keyboard.
func (f *focus) forget() { f.now, f.handle, f.certain = 0, "", false }

// programMoved notes that something other than input may have moved the focus.
func (f *focus) programMoved() {
	f.secrecy.had(f.holder(f.surely()))
	f.certain = false
}

// focusClicked notes that a click may have moved the focus. A click on a field is assumed to, so
// that text after a click on a password field is hidden whatever has the focus when it is read.
func (r *recording) focusClicked(ctx context.Context, t *recorder.Seen) {
	r.focus.certain = false
	r.followChoice(ctx, t)
	if !t.TakesText() || t.Handle == "" {
		return
	}
	if n, ok := r.focus.numbers[t.Handle]; ok {
		if t.Role == "cell" {
			r.writeFocused(n, r.focus.of(n))
		} else if n != r.focus.now {
			r.writeFocused(n, t)
		}
		r.focus.set(n, t.Handle)
		return
	}
	r.addField(ctx, t, t.Text)
}

// writeFocused notes that a field has the focus again. Typing replaces the value of a cell.
func (r *recording) writeFocused(n int, t *recorder.Seen) {
	ev := recorder.Event{Type: recorder.Focused, Time: time.Now(), Field: n, Element: t}
	if t.Role == "cell" {
		ev.Value = new(string)
	}
	r.write(ev)
}

// keyPressed holds a key that types until its field is known, and writes any other.
func (r *recording) keyPressed(ctx context.Context, ev desktop.InputEvent) {
	if ev.Key.IsModifier() || isDeadKey(ev) {
		return
	}
	r.noteActivity(ev.Time)
	if r.restPending {
		r.scheduleLook(keysDelay) // the program has enough to do
	}
	if staysInField(ev) {
		if len(r.heldKeys) == 0 {
			r.heldSince = time.Now()
		}
		r.heldKeys = append(r.heldKeys, ev)
		return
	}
	typed := len(r.heldKeys) > 0
	field := r.flushKeys(ctx, true)
	if !typed || field == 0 {
		if !r.focus.certain {
			r.focusOn(ctx, r.askFocus(ctx))
		}
		field = r.focus.now
	} // else it goes where they went, whatever has the keyboard after it
	r.write(recorder.Event{Type: recorder.Typed, Time: ev.Time, Key: ev.Key, Mods: ev.Mods, Field: field})
	r.focus.certain = r.focus.certain && ev.Key == "enter" && r.focus.of(r.focus.now).MultiLine()
	r.keysHadEffect()
}

// staysInField reports whether a key leaves the keyboard where it is.
func staysInField(ev desktop.InputEvent) bool {
	return ev.Text != "" || isEditing(ev)
}

// isDeadKey reports whether a key only changes the character that follows.
func isDeadKey(ev desktop.InputEvent) bool {
	return ev.Text == "" && utf8.RuneCountInString(string(ev.Key)) == 1 && len(ev.Mods) == 1 && ev.Mods[0] == desktop.Shift
}

// keepsFocus reports whether a key without text leaves the keyboard in its field.
func keepsFocus(k desktop.Key) bool {
	return slices.Contains([]desktop.Key{"backspace", "delete", "left", "right", "home", "end", "insert"}, k)
}

// isEditing reports whether a chord works on the text of a field.
func isEditing(ev desktop.InputEvent) bool {
	switch ev.Key {
	case "a", "c", "v", "x", "z", "y":
		return len(ev.Mods) == 1 && ev.Mods[0] == desktop.Ctrl
	}
	return keepsFocus(ev.Key) && !slices.ContainsFunc(ev.Mods, func(m desktop.Key) bool { return m != desktop.Ctrl && m != desktop.Shift })
}

// flushKeys writes the held keys and returns their field. moved: the focus may have moved since.
func (r *recording) flushKeys(ctx context.Context, moved bool) (field int) {
	if moved {
		r.drainChanges()
	}
	field = r.focus.now
	if len(r.heldKeys) > 0 {
		field = r.writeKeys(ctx, moved)
	}
	if !moved {
		return field
	}
	if field == r.focus.now {
		r.readField(ctx)
	}
	if r.keyed { // otherwise it may show the effect of the press already
		r.readChoice(ctx)
	}
	r.focus.secrecy.inputMoved()
	return field
}

// writeKeys writes the held keys and returns their field, or holds them until it is known.
func (r *recording) writeKeys(ctx context.Context, moved bool) (field int) {
	was, now := r.focus, desktop.Handle("")
	if !moved {
		asking, cancel := r.queue.untilFocusMoves(ctx) // then the answer is of no use
		now = r.askFocus(asking)
		moved = asking.Err() != nil
		cancel()
	}
	var after holder
	if !moved {
		after = r.focus.holder(r.focusOn(ctx, now))
	}
	before := r.focus.holder(was.surely())
	if r.focus.secrecy.mayWait(before, after, moved) && time.Since(r.heldSince) < answerTimeout {
		r.focus = was
		r.settleTimer.Reset(settleDelay)
		return was.now
	}
	keys := r.heldKeys
	r.heldKeys = nil
	field, hidden := r.focus.secrecy.attribute(before, after, moved)
	hidden = hidden || r.asksInTerminal(ctx, r.focus.of(field), moved)
	for _, ev := range keys {
		r.writeKey(ev, field, hidden)
	}
	r.keysHadEffect()
	return field
}

// writeKey writes a key that went to a field. Hidden text is one event, without its length and
// corrections.
func (r *recording) writeKey(ev desktop.InputEvent, field int, hidden bool) {
	types := ev.Text != ""
	switch {
	case !hidden || !types && (!keepsFocus(ev.Key) || field == 0 && !endsHidden(r.journal.events, field)):
		r.write(recorder.Event{Type: recorder.Typed, Time: ev.Time, Key: ev.Key, Mods: ev.Mods, Text: ev.Text, Field: field})
	case types && !endsHidden(r.journal.events, field):
		r.write(recorder.Event{Type: recorder.Typed, Time: ev.Time, Hidden: true, Field: field})
	}
}

// endsHidden reports whether the last event is already hidden text in a field.
func endsHidden(events []recorder.Event, field int) bool {
	for _, last := range slices.Backward(events) {
		if last.Type != recorder.Focused {
			return last.Type == recorder.Typed && last.Hidden && last.Field == field
		}
	}
	return false
}

// keysHadEffect schedules reads of the field after typing.
func (r *recording) keysHadEffect() {
	r.lastEffect, r.keyed = time.Now(), true
	r.rereadSoon()
}

// rereadSoon schedules reads of the field and the choice after input. A field that sends change
// events is read after those, or else once, late.
func (r *recording) rereadSoon() {
	r.fieldUnread, r.reads, r.choiceReads = true, 0, 0
	r.changes.edited(r.focus.now)
	if r.choice != nil {
		r.choiceReads = readsPerAction
	}
	if r.choice == nil && r.changes.field.reports(r.focus.handle) {
		r.reads = readsPerAction - 1
		r.settleTimer.Reset(rereadDelay)
		return
	}
	r.settleTimer.Reset(settleDelay)
}

// askFocus asks which element has the focus; "" is none that is known.
func (r *reader) askFocus(ctx context.Context) desktop.Handle {
	ctx, cancel := context.WithTimeout(ctx, r.timeout(focusTimeout))
	defer cancel()
	state, err := r.desktop.SaveFocus(ctx)
	if err != nil {
		return ""
	}
	return state.Element
}

// focusOn notes that an element has the focus, and returns its number.
func (r *recording) focusOn(ctx context.Context, h desktop.Handle) int {
	e := r.focusedElement(ctx, h)
	if e == nil {
		r.focus.forget()
		return 0
	}
	if n, ok := r.focus.numbers[e.Handle]; ok {
		changed := r.focus.now != n
		r.followChoice(ctx, r.focus.of(n))
		r.focus.set(n, e.Handle)
		if changed {
			r.writeFocused(n, r.focus.of(n))
		}
		return n
	}
	ctx, cancel := context.WithTimeout(ctx, r.timeout(focusTimeout))
	defer cancel()
	return r.meetField(ctx, e.Handle, e)
}

// focusedElement is the focused element or cell, or nil; of a known field only the handle.
func (r *recording) focusedElement(ctx context.Context, h desktop.Handle) *desktop.Element {
	if h == "" {
		return nil
	}
	e := find(r.view.roots, h)
	if !isSheet(e) {
		if _, known := r.focus.numbers[h]; known {
			return &desktop.Element{Handle: h}
		}
		var err error
		if e, err = r.refresh(ctx, h, focusTimeout); err != nil {
			return nil
		}
	}
	if isSheet(e) {
		return r.cellOfSheet(ctx, e)
	}
	return e
}

// meetField notes a field that has the keyboard for the first time.
func (r *recording) meetField(ctx context.Context, h desktop.Handle, e *desktop.Element) int {
	text := e.Text
	e.Handle = h
	if r.focus.isEdited(e) {
		r.focus.set(r.focus.now, h)
		return r.focus.now
	}
	t := r.describe(ctx, e)
	cell := r.cellUnder(ctx, t)
	if cell == nil {
		t.Handle = h
		return r.addField(ctx, t, text)
	}
	n, known := r.focus.numbers[cell.Handle]
	if !known {
		t = seenIn(cell, r.view.roots)
		t.States |= desktop.Editable
		n = r.addField(ctx, t, "")
	} else if n != r.focus.now {
		r.writeFocused(n, r.focus.of(n))
	}
	r.focus.set(n, h)
	return n
}

// addField gives an element a number as a field, unless it has one, and the focus.
func (r *recording) addField(ctx context.Context, t *recorder.Seen, text string) int {
	n, known := r.focus.numbers[t.Handle]
	if !known {
		if t.Role == "cell" { // what is typed takes the place of all that it holds, and Enter ends it
			cell := *t
			cell.States &^= desktop.MultiLine
			t, text = &cell, ""
		}
		r.focus.fields = append(r.focus.fields, t)
		n = len(r.focus.fields)
		r.focus.numbers[t.Handle] = n
		r.unnamed.add(t, n)
	}
	r.followChoice(ctx, t)
	r.focus.set(n, t.Handle)
	ev := recorder.Event{Type: recorder.Focused, Time: time.Now(), Field: n, Element: t}
	if !t.Secret() && t.TakesText() {
		ev.Value = &text
	}
	r.write(ev)
	return n
}

// timedOut reports whether an application may answer when it is asked again.
func timedOut(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, desktop.ErrUnresponsive)
}

// readField writes the value of the focused field after keys, once no more are queued.
func (r *recording) readField(ctx context.Context) {
	t := r.focus.of(r.focus.now)
	r.changes.delayedSince = time.Time{}
	r.fieldUnread = r.fieldUnread && !t.Secret() && t.TakesText() && !r.paused && t.Role != "cell" // whose field is empty when it ends
	if !r.fieldUnread {
		return
	}
	asked := time.Now()
	e, err := r.refresh(ctx, r.focus.handle, elementTimeout)
	r.changes.backOff(time.Since(asked))
	if timedOut(err) && r.timeouts < maxTimeouts {
		r.timeouts++
		r.settleTimer.Reset(settleDelay)
		return
	}
	r.timeouts = 0
	if err != nil {
		r.fieldUnread = false // it is gone, or does not tell
		return
	}
	if r.queue.hasAction() {
		r.settleTimer.Reset(settleDelay)
		return
	}
	if e.Role == "password" {
		r.focus.secret[r.focus.handle], t.Role, t.Text = true, "password", ""
		return
	}
	r.reads++
	if r.fieldUnread = r.reads < readsPerAction; r.fieldUnread {
		r.settleTimer.Reset(rereadDelay - settleDelay)
	}
	if r.changes.shouldWrite(r.focus.now, e.Text) {
		r.write(recorder.Event{Type: recorder.Held, Time: time.Now(), Field: r.focus.now, Value: &e.Text, Clicked: r.unheard.clicked})
	}
}

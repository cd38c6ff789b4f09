package watch

import (
	"context"
	"errors"
	"slices"
	"time"
	"unicode/utf8"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// focusTimeout bounds the query for the focused element.
const focusTimeout = 250 * time.Millisecond

const (
	// readsPerAction is how often a field or a choice is read after input, as it may lag.
	readsPerAction = 2
	// maxTimeouts bounds the reads in a row that time out.
	maxTimeouts = 10
)

// answerTimeout bounds how long keys are held back until the application reports their field.
const answerTimeout = 10 * time.Second

// keyboard tracks the element that has the keyboard and its value, and holds back keys
// whose field is not known yet.
type keyboard struct {
	*shared
	focus       focus
	changes     changes
	unnamed     unnamedElements
	choice      choice
	heldKeys    []desktop.InputEvent // keys whose field is not known yet
	heldSince   time.Time            // when the first of them arrived
	fieldUnread bool                 // a read of the field is due
	reads       int                  // how often it was read since the last key
	timeouts    int                  // reads in a row that timed out
	settleTimer *time.Timer
}

// focus is the element that has the keyboard, as far as it is known.
type focus struct {
	numbers map[desktop.Handle]int
	secret  map[desktop.Handle]bool // it was a password field once
	fields  []*recorder.Seen        // by number, from 1
	now     int                     // the number of the field that has the keyboard; 0: not known
	handle  desktop.Handle
	certain bool // nothing that could move the keyboard happened since
	secrecy secrecy
}

// of returns the element with a number, or nil.
func (f *focus) of(n int) *recorder.Seen {
	if n < 1 || n > len(f.fields) {
		return nil
	}
	return f.fields[n-1]
}

// holder returns the element with a number as a holder of the keyboard.
func (f *focus) holder(n int) holder {
	t := f.of(n)
	if t == nil {
		return holder{}
	}
	return holder{n, t.Secret() || f.secret[t.Handle]}
}

// surely returns the number of the field that certainly has the keyboard; 0: unknown.
func (f *focus) surely() int {
	if !f.certain {
		return 0
	}
	return f.now
}

// set sets the element that has the keyboard.
func (f *focus) set(n int, h desktop.Handle) { f.now, f.handle, f.certain = n, h, true }

// forget notes that the element with the keyboard is unknown.
func (f *focus) forget() { f.now, f.handle, f.certain = 0, "", false }

// hide makes a secret of the text in a field, from now on. The events keep the field as it was.
func (k *keyboard) hide(field int) {
	t := k.focus.of(field)
	if t == nil {
		return
	}
	hidden := withoutText(t)
	hidden.Role = "password"
	k.focus.secret[t.Handle], k.focus.fields[field-1] = true, hidden
	for i, e := range k.unnamed.elements {
		if e.Handle == t.Handle {
			k.unnamed.elements[i] = withoutText(e)
		}
	}
	if u := k.used[t.Handle]; u != nil {
		u.seen = withoutText(u.seen)
	}
}

func withoutText(t *recorder.Seen) *recorder.Seen {
	clean := *t
	clean.Text = ""
	return &clean
}

// programMoved notes that something other than input may have moved the focus.
func (f *focus) programMoved() {
	f.secrecy.had(f.holder(f.surely()))
	f.certain = false
}

// focusClicked handles a click, which may have moved the focus. A click on an enabled field is assumed
// to do so: then text after a click on a password field is hidden whatever has the focus when it is read.
func (k *keyboard) focusClicked(ctx context.Context, t *recorder.Seen) {
	k.focus.certain = false
	k.choice.follow(ctx, t)
	if !t.TakesText() || t.Handle == "" {
		return
	}
	if !t.States.Has(desktop.Enabled) && t.Role != "cell" && !t.Secret() { // cells are not disabled, and may not say so
		return
	}
	if n, ok := k.focus.numbers[t.Handle]; ok {
		if t.Role == "cell" {
			k.writeFocused(n, k.focus.of(n))
		} else if n != k.focus.now {
			k.writeFocused(n, t)
		}
		k.focus.set(n, t.Handle)
		return
	}
	k.addField(ctx, t, t.Text)
}

// writeFocused records that a field has the focus again. Typing replaces the value of a cell.
func (k *keyboard) writeFocused(n int, t *recorder.Seen) {
	ev := recorder.Event{Type: recorder.Focused, Time: time.Now(), Field: n, Element: t}
	if t.Role == "cell" {
		ev.Value = new(string)
	}
	k.write(ev)
}

// keyPressed holds back a key that types until its field is known, and writes any other.
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
			was := r.choice.box
			r.focusOn(ctx, r.askFocus(ctx))
			if r.choice.box != was {
				r.choice.shows = "" // the key may have changed it already
			}
		}
		field = r.focus.now
	} // else it goes to their field, whatever has the keyboard afterwards
	r.write(recorder.Event{Type: recorder.Typed, Time: ev.Time, Key: ev.Key, Mods: ev.Mods, Field: field})
	r.focus.certain = r.focus.certain && ev.Key == "enter" && r.focus.of(r.focus.now).MultiLine()
	r.keysHadEffect()
}

// staysInField reports whether a key leaves the focus where it is.
func staysInField(ev desktop.InputEvent) bool {
	return ev.Text != "" || recorder.Edits(ev.Key, ev.Mods)
}

// isDeadKey reports whether a key only changes the character that follows. It has the name of another
// character, on whose key it is with Shift or AltGr.
func isDeadKey(ev desktop.InputEvent) bool {
	shortcut := func(m desktop.Key) bool { return m != desktop.Shift && m != desktop.AltGr }
	return ev.Text == "" && utf8.RuneCountInString(string(ev.Key)) == 1 && len(ev.Mods) > 0 && !slices.ContainsFunc(ev.Mods, shortcut)
}

// flushKeys writes the held keys and returns their field. With moved, the focus may have moved since.
func (k *keyboard) flushKeys(ctx context.Context, moved bool) (field int) {
	if moved {
		k.drainChanges()
	}
	field = k.focus.now
	if len(k.heldKeys) > 0 {
		field = k.writeKeys(ctx, moved)
	}
	if !moved {
		return field
	}
	if field == k.focus.now {
		k.readField(ctx)
	}
	if k.choice.keyed { // otherwise it may show the effect of the press already
		k.choice.read(ctx)
	}
	k.focus.secrecy.inputMoved()
	return field
}

// writeKeys writes the held keys and returns their field, or keeps them until it is known.
func (k *keyboard) writeKeys(ctx context.Context, moved bool) (field int) {
	was, now := k.focus, desktop.Handle("")
	if !moved {
		asking, cancel := k.queue.untilFocusMoves(ctx) // then the answer is of no use
		now = k.askFocus(asking)
		moved = asking.Err() != nil
		cancel()
	}
	var after holder
	if !moved {
		after = k.focus.holder(k.focusOn(ctx, now))
	}
	before := k.focus.holder(was.surely())
	if k.focus.secrecy.mayWait(before, after, moved) && time.Since(k.heldSince) < answerTimeout {
		k.focus = was
		k.settleTimer.Reset(settleDelay)
		return was.now
	}
	keys := k.heldKeys
	k.heldKeys = nil
	field, hidden := k.focus.secrecy.attribute(before, after, moved)
	hidden = hidden || k.asksInTerminal(ctx, k.focus.of(field), moved)
	for _, ev := range keys {
		k.writeKey(ev, field, hidden)
	}
	k.keysHadEffect()
	return field
}

// writeKey writes a key that went to a field. Hidden text is one event, without its length and
// corrections.
func (k *keyboard) writeKey(ev desktop.InputEvent, field int, hidden bool) {
	types := ev.Text != ""
	switch {
	case !hidden || !types && (!recorder.KeepsFocus(ev.Key) || field == 0 && !recorder.EndsHidden(k.journal.events, field)):
		k.write(recorder.Event{Type: recorder.Typed, Time: ev.Time, Key: ev.Key, Mods: ev.Mods, Text: ev.Text, Field: field})
	case types && !recorder.EndsHidden(k.journal.events, field):
		k.write(recorder.Event{Type: recorder.Typed, Time: ev.Time, Hidden: true, Field: field})
	}
}

// keysHadEffect schedules reads of the field after typing.
func (k *keyboard) keysHadEffect() {
	k.lastEffect, k.choice.keyed = time.Now(), true
	k.rereadSoon()
}

// rereadSoon schedules reads of the field and the choice after input. A field that sends change
// events is read after those, or else once, late.
func (k *keyboard) rereadSoon() {
	k.fieldUnread, k.reads = true, 0
	k.changes.edited(k.focus.now)
	k.choice.expect(readsPerAction)
	if k.choice.box == nil && k.changes.field.reports(k.focus.handle) {
		k.reads = readsPerAction - 1
		k.settleTimer.Reset(rereadDelay)
		return
	}
	k.settleTimer.Reset(settleDelay)
}

// askFocus returns the element that has the focus; "" if it is unknown.
func (r *reader) askFocus(ctx context.Context) desktop.Handle {
	ctx, cancel := context.WithTimeout(ctx, r.timeout(focusTimeout))
	defer cancel()
	state, err := r.desktop.SaveFocus(ctx)
	if err != nil {
		return ""
	}
	return state.Element
}

// focusOn sets the focused element, and returns its number; 0 if it is unknown.
func (k *keyboard) focusOn(ctx context.Context, h desktop.Handle) int {
	e := k.focusedElement(ctx, h)
	if e == nil {
		k.focus.forget()
		return 0
	}
	if n, ok := k.focus.numbers[e.Handle]; ok {
		changed := k.focus.now != n
		k.choice.follow(ctx, k.focus.of(n))
		k.focus.set(n, k.focus.of(n).Handle)
		if changed {
			k.writeFocused(n, k.focus.of(n))
		}
		return n
	}
	ctx, cancel := context.WithTimeout(ctx, k.timeout(focusTimeout))
	defer cancel()
	return k.meetField(ctx, e.Handle, e)
}

// focusedElement returns the focused element or cell, or nil; of a known field only the handle.
func (k *keyboard) focusedElement(ctx context.Context, h desktop.Handle) *desktop.Element {
	if h == "" {
		return nil
	}
	e := find(k.view.roots, h)
	if !isSheet(e) {
		if _, known := k.focus.numbers[h]; known {
			return &desktop.Element{Handle: h}
		}
		var err error
		if e, err = k.refresh(ctx, h, focusTimeout); err != nil {
			return nil
		}
	}
	if isSheet(e) {
		return k.cellOfSheet(ctx, e)
	}
	return e
}

// meetField handles a field that has the focus for the first time.
func (k *keyboard) meetField(ctx context.Context, h desktop.Handle, e *desktop.Element) int {
	text := e.Text
	e.Handle = h
	if k.focus.isEdited(e) {
		k.focus.set(k.focus.now, h)
		return k.focus.now
	}
	t := k.describe(ctx, e)
	if field := fieldOf(same(k.view.roots, e)); field != nil {
		n := k.addField(ctx, seenIn(field, k.view.roots), field.Text)
		k.focus.numbers[h] = n
		return n
	}
	whole := k.cellUnder(ctx, t)
	editable := desktop.Editable
	if whole == nil {
		whole, editable = dropDownOf(t, k.view.roots), 0
	}
	if whole == nil {
		t.Handle = h
		return k.addField(ctx, t, text)
	}
	n, known := k.focus.numbers[whole.Handle]
	if !known {
		t = seenIn(whole, k.view.roots)
		t.States |= editable
		n = k.addField(ctx, t, "")
	} else if n != k.focus.now {
		k.writeFocused(n, k.focus.of(n))
	}
	k.choice.follow(ctx, k.focus.of(n))
	k.focus.set(n, h)
	return n
}

// addField numbers an element as a field, unless it is one, and sets the focus to it.
func (k *keyboard) addField(ctx context.Context, t *recorder.Seen, text string) int {
	n, known := k.focus.numbers[t.Handle]
	if !known {
		if t.Role == "cell" { // what is typed takes the place of all that it holds, and Enter ends it
			cell := *t
			cell.States &^= desktop.MultiLine
			t, text = &cell, ""
		}
		k.focus.fields = append(k.focus.fields, t)
		n = len(k.focus.fields)
		k.focus.numbers[t.Handle] = n
		k.unnamed.add(t, n)
	}
	k.choice.follow(ctx, t)
	k.focus.set(n, t.Handle)
	ev := recorder.Event{Type: recorder.Focused, Time: time.Now(), Field: n, Element: t}
	if !t.Secret() && t.TakesText() {
		ev.Value = &text
	}
	k.write(ev)
	return n
}

// timedOut reports whether an application may answer another try.
func timedOut(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, desktop.ErrUnresponsive)
}

// readField writes the value of the focused field once no more keys are queued.
func (k *keyboard) readField(ctx context.Context) {
	t := k.focus.of(k.focus.now)
	k.changes.delayedSince = time.Time{}
	k.fieldUnread = k.fieldUnread && !t.Secret() && t.TakesText() && !k.paused && t.Role != "cell" // whose field is empty when it ends
	if !k.fieldUnread {
		return
	}
	asked := time.Now()
	e, err := k.refresh(ctx, k.focus.handle, elementTimeout)
	k.changes.backOff(time.Since(asked))
	if timedOut(err) && k.timeouts < maxTimeouts {
		k.timeouts++
		k.settleTimer.Reset(settleDelay)
		return
	}
	k.timeouts = 0
	if err != nil {
		k.fieldUnread = false // it is gone, or does not tell
		return
	}
	if k.queue.hasAction() {
		k.settleTimer.Reset(settleDelay)
		return
	}
	if e.Role == "password" {
		t.Role, t.Text = "password", ""
		return
	}
	k.reads++
	if k.fieldUnread = k.reads < readsPerAction; k.fieldUnread {
		k.settleTimer.Reset(rereadDelay - settleDelay)
	}
	if k.changes.shouldWrite(k.focus.now, e.Text) {
		k.write(recorder.Event{Type: recorder.Held, Time: time.Now(), Field: k.focus.now, Value: &e.Text, Clicked: k.inferred.clicked})
	}
}

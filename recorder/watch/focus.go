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

// focusWithin is how long typed text is held back until it is known where it
// went.
const focusWithin = 250 * time.Millisecond

const (
	// readings is how often a field or a choice is read after something was
	// done: soon, and once more for an application that lags.
	readings = 2
	// mostLags is how often an application is asked in vain what a field holds.
	mostLags = 10
)

// answersWithin is how long the application of a field that is known may take
// to say that it still has the keyboard, while nothing moves that.
const answersWithin = 10 * time.Second

// focus is what is known of the element that has the keyboard.
type focus struct {
	numbers map[desktop.Handle]int
	secret  map[desktop.Handle]bool // it was a password field once
	fields  []*recorder.Seen        // by number, from 1
	now     int                     // the number of the field that has the keyboard; 0: not known
	handle  desktop.Handle
	valid   bool // nothing happened since that could move the keyboard
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
	if !f.valid {
		return 0
	}
	return f.now
}

// set notes which element has the keyboard.
func (f *focus) set(n int, h desktop.Handle) { f.now, f.handle, f.valid = n, h, true }

// forget notes that it is not known what has the keyboard.
func (f *focus) forget() { f.now, f.handle, f.valid = 0, "", false }

// programMoved notes that something other than the person's input may have moved
// the keyboard.
func (f *focus) programMoved() {
	f.secrecy.had(f.holder(f.surely()))
	f.valid = false
}

// clicked notes that a click may have moved the keyboard. A click on a field
// moves it there, as far as is known: what is typed next must not be written
// if the field is a secret one, whatever has the keyboard when it is asked.
func (r *recording) clicked(ctx context.Context, t *recorder.Seen) {
	r.focus.valid = false
	r.chooses(ctx, t)
	if !t.TakesText() || t.Handle == "" {
		return
	}
	if n, ok := r.focus.numbers[t.Handle]; ok {
		if n != r.focus.now {
			r.write(recorder.Event{Type: recorder.Focused, Time: time.Now(), Field: n, Element: t})
		}
		r.focus.set(n, t.Handle)
		return
	}
	r.number(ctx, t, t.Text)
}

// key holds a key back when it types, and else notes it: it may move the
// keyboard.
func (r *recording) key(ctx context.Context, ev desktop.InputEvent) {
	if ev.Key.IsModifier() || dead(ev) {
		return
	}
	r.worksAgain(ev.Time)
	if ev.Text != "" || len(ev.Mods) == 0 && stays(ev.Key) || editing(ev) {
		if len(r.typing) == 0 {
			r.typingSince = time.Now()
		}
		r.typing = append(r.typing, ev)
		return
	}
	r.settleKeys(ctx, true)
	if !r.focus.valid {
		r.readFocus(ctx)
	}
	r.write(recorder.Event{Type: recorder.Typed, Time: ev.Time, Key: ev.Key, Mods: ev.Mods, Field: r.focus.now})
	r.focus.valid = r.focus.valid && ev.Key == "enter" && r.focus.of(r.focus.now).MultiLine()
	r.disturb = time.Now()
	r.later()
}

// dead says whether a key only puts a mark on the character that follows: it
// would type something, and types nothing yet.
func dead(ev desktop.InputEvent) bool {
	return ev.Text == "" && utf8.RuneCountInString(string(ev.Key)) == 1 && len(ev.Mods) == 1 && ev.Mods[0] == desktop.Shift
}

// stays says whether a key without text leaves the keyboard in its field.
func stays(k desktop.Key) bool {
	switch k {
	case "backspace", "delete", "left", "right", "home", "end", "insert":
		return true
	}
	return false
}

// editing says whether a chord works on the text of a field.
func editing(ev desktop.InputEvent) bool {
	for _, m := range ev.Mods {
		if m != desktop.Ctrl && m != desktop.Shift {
			return false
		}
	}
	switch ev.Key {
	case "a", "c", "v", "x", "z", "y":
		return len(ev.Mods) == 1 && ev.Mods[0] == desktop.Ctrl
	}
	return stays(ev.Key)
}

// settleKeys writes the keys that were held back, now that it can be known
// where they went. moved says that the input after them may have moved the
// keyboard already.
func (r *recording) settleKeys(ctx context.Context, moved bool) {
	if moved {
		r.hears()
	}
	field := r.focus.now
	if len(r.typing) > 0 {
		field = r.writeKeys(ctx, moved)
	}
	if !moved {
		return
	}
	if field == r.focus.now {
		r.readField(ctx)
	}
	r.readKeyed(ctx)
	r.focus.secrecy.inputMoved()
}

// writeKeys writes the keys that were held back, and returns the field that they
// went to. It may hold them back for longer, until it is known which one that is.
func (r *recording) writeKeys(ctx context.Context, moved bool) (field int) {
	was := r.focus
	after := r.focus.holder(r.readFocus(ctx))
	before := r.focus.holder(was.surely())
	if r.focus.secrecy.mayWait(before, after, moved) && time.Since(r.typingSince) < answersWithin {
		r.focus = was
		r.settle.Reset(settlesAfter)
		return was.now
	}
	keys := r.typing
	r.typing = nil
	field, hidden := r.focus.secrecy.attribute(before, after, moved)
	for _, ev := range keys {
		r.writeKey(ev, field, hidden)
	}
	r.disturb = time.Now()
	r.later()
	return field
}

// writeKey writes a key that went to a field. Hidden text is one event, however
// long it is, for its length is not told either.
func (r *recording) writeKey(ev desktop.InputEvent, field int, hidden bool) {
	types := ev.Text != ""
	switch {
	case !hidden || !types && !stays(ev.Key):
		r.write(recorder.Event{Type: recorder.Typed, Time: ev.Time, Key: ev.Key, Mods: ev.Mods, Text: ev.Text, Field: field})
	case types && !r.hides(field):
		r.write(recorder.Event{Type: recorder.Typed, Time: ev.Time, Hidden: true, Field: field})
	}
}

// hides reports whether the last event says already that hidden text was typed
// into a field.
func (r *recording) hides(field int) bool {
	for _, last := range slices.Backward(r.events) {
		if last.Type != recorder.Focused {
			return last.Type == recorder.Typed && last.Hidden && last.Field == field
		}
	}
	return false
}

// later has the field read when it has had time to show what was typed.
func (r *recording) later() {
	r.keyed = true
	r.again()
}

// again has the field and the choice read when they have had time to show what
// was done, and once more for an application that lags. A field that tells when
// it changes is read then, and else only in the end.
func (r *recording) again() {
	r.unread, r.reads, r.choices = true, 0, 0
	r.hearing.touched(r.focus.now)
	if r.combo != nil {
		r.choices = readings
	}
	if r.combo == nil && r.hearing.field.tells(r.focus.handle) {
		r.reads = readings - 1
		r.settle.Reset(surelyAfter)
		return
	}
	r.settle.Reset(settlesAfter)
}

// readFocus asks what has the keyboard, and gives its number.
func (r *recording) readFocus(ctx context.Context) int {
	ctx, cancel := context.WithTimeout(ctx, r.within(focusWithin))
	defer cancel()
	state, err := r.desktop.SaveFocus(ctx)
	if err != nil || state.Element == "" {
		r.focus.forget()
		return 0
	}
	if n, ok := r.focus.numbers[state.Element]; ok {
		changed := r.focus.now != n
		r.chooses(ctx, r.focus.of(n))
		r.focus.set(n, state.Element)
		if changed {
			r.write(recorder.Event{Type: recorder.Focused, Time: time.Now(), Field: n, Element: r.focus.of(n)})
		}
		return n
	}
	e, err := r.desktop.Refresh(ctx, state.Element)
	if err != nil {
		r.focus.forget()
		return 0
	}
	return r.meet(ctx, state.Element, e)
}

// meet notes a field that has the keyboard for the first time.
func (r *recording) meet(ctx context.Context, h desktop.Handle, e *desktop.Element) int {
	text := e.Text
	e.Handle = h
	t := r.seen(ctx, e)
	t.Handle = h
	return r.number(ctx, t, text)
}

// number makes an element one of the fields, and the one with the keyboard.
func (r *recording) number(ctx context.Context, t *recorder.Seen, text string) int {
	r.focus.fields = append(r.focus.fields, t)
	n, h := len(r.focus.fields), t.Handle
	r.nameLater(t, n)
	r.chooses(ctx, t)
	r.focus.numbers[h] = n
	r.focus.set(n, h)
	ev := recorder.Event{Type: recorder.Focused, Time: time.Now(), Field: n, Element: t}
	if !t.Secret() && t.TakesText() {
		ev.Value = &text
	}
	r.write(ev)
	return n
}

// slow says that an application may answer when it is asked again.
func slow(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || errors.Is(err, desktop.ErrUnresponsive)
}

// readField notes what the field holds, when keys came since that was read.
// While more keys wait it is not read: it may show what they typed already.
func (r *recording) readField(ctx context.Context) {
	t := r.focus.of(r.focus.now)
	r.hearing.put = time.Time{}
	r.unread = r.unread && !t.Secret() && t.TakesText() && !r.paused
	if !r.unread {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, r.within(elementWithin))
	defer cancel()
	asked := time.Now()
	e, err := r.desktop.Refresh(ctx, r.focus.handle)
	r.hearing.cost(time.Since(asked))
	if slow(err) && r.lags < mostLags {
		r.lags++
		r.settle.Reset(settlesAfter)
		return
	}
	r.lags = 0
	if err != nil {
		r.unread = false // it is gone, or does not tell
		return
	}
	if r.queue.waits() {
		r.settle.Reset(settlesAfter)
		return
	}
	if e.Role == "password" {
		r.focus.secret[r.focus.handle], t.Role, t.Text = true, "password", ""
		return
	}
	r.reads++
	if r.unread = r.reads < readings; r.unread {
		r.settle.Reset(surelyAfter - settlesAfter)
	}
	if r.hearing.holds(r.focus.now, e.Text) {
		r.write(recorder.Event{Type: recorder.Held, Time: time.Now(), Field: r.focus.now, Value: &e.Text})
	}
}

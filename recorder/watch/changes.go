package watch

import (
	"context"
	"sync"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
)

const (
	// focusLead is how much sooner than the input that led to it a change of
	// the focus may be told.
	focusLead = 30 * time.Millisecond
	// maxReadDelay is how long the reading of a field that goes on changing is put
	// off.
	maxReadDelay = time.Second
	// readCostFactor is how much longer than a reading took a field is not read
	// again because of what it told: a log that scrolls costs little then.
	readCostFactor = 20
)

// changes is what applications tell by themselves: that the keyboard moved, and
// that the field that has it, or the choice that is worked on, shows something
// else. They never tell what: that is read, when they have told their last.
//
// What is told is a help. A toolkit that tells nothing is asked, as it was
// before any told.
type changes struct {
	focus      chan struct{} // holds one when the keyboard may have moved
	focusTimer *time.Timer   // when that is to be looked at
	field      subscription
	choice     subscription
	running    *sync.WaitGroup // those that wait to be told

	delayedSince time.Time // since when the reading is put off; zero: it is not
	quietUntil   time.Time // before when what a field tells does not lead to a reading
	editedField  int       // the field in which something was done
	unwritten    bool      // and since then its value was not written
	lastWritten  string    // the value that was
}

// subscription is an element that tells when it changes.
type subscription struct {
	handle desktop.Handle // "": none
	events chan struct{}  // holds one when it did; the first time when it begins to
	count  int            // how often it told
	cancel context.CancelFunc
}

func newChanges() changes {
	h := changes{focus: make(chan struct{}, 1), focusTimer: time.NewTimer(time.Hour), running: &sync.WaitGroup{}}
	h.focusTimer.Stop()
	return h
}

// notifyFocus is told that the keyboard may have moved.
func (h *changes) notifyFocus() { signal(h.focus) }

// signal puts one into a channel that holds one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// stop listens to nothing any more.
func (h *changes) stop() {
	h.field.close()
	h.choice.close()
	h.running.Wait()
}

func (w *subscription) close() {
	if w.cancel != nil {
		w.cancel()
	}
	*w = subscription{}
}

// reports reports whether it is an element that was heard to tell of a change.
func (w *subscription) reports(h desktop.Handle) bool {
	return w.handle != "" && w.handle == h && w.count > 1
}

// subscribe has the field that has the keyboard tell when it changes, and the choice
// that is worked on. A password field is not listened to.
func (r *recording) subscribe(ctx context.Context) {
	field, choice := r.changes.field.handle, desktop.Handle("")
	if t := r.focus.of(r.focus.now); t != nil {
		field = ""
		if t.TakesText() && !t.Secret() && !r.focus.secret[t.Handle] {
			field = r.focus.handle
		}
	}
	if r.choice != nil {
		choice = r.choice.box.Handle
	}
	if r.paused {
		field, choice = "", ""
	}
	r.resubscribe(ctx, &r.changes.field, field)
	r.resubscribe(ctx, &r.changes.choice, choice)
}

// resubscribe listens to an element instead of the one before.
func (r *recording) resubscribe(ctx context.Context, w *subscription, of desktop.Handle) {
	if w.handle == of || ctx.Err() != nil {
		return
	}
	w.close()
	if of == "" {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	told := make(chan struct{}, 1)
	*w = subscription{handle: of, events: told, cancel: stop}
	r.changes.running.Go(func() {
		defer stop()
		_ = r.desktop.WatchElement(ctx, of, func() { signal(told) }) // without it the element is read after a time
	})
}

// drainChanges takes what was told until now, before what it led to is forgotten.
func (r *recording) drainChanges() {
	select {
	case <-r.changes.field.events:
		r.fieldChanged()
	default:
	}
	select {
	case <-r.changes.choice.events:
		r.choiceChanged()
	default:
	}
}

// fieldChanged has a field read that told of a change: when it has told its last,
// or goes on for long.
func (r *recording) fieldChanged() {
	h := &r.changes
	h.field.count++
	if h.field.handle != r.focus.handle {
		return
	}
	now := time.Now()
	if h.delayedSince.IsZero() {
		h.delayedSince = now
	}
	if now.Sub(h.delayedSince) > maxReadDelay {
		return // the timer is set
	}
	r.fieldUnread, r.reads = true, readsPerAction-1
	r.settleTimer.Reset(max(settleDelay, h.quietUntil.Sub(now)))
}

// backOff notes how long a reading took.
func (h *changes) backOff(took time.Duration) { h.quietUntil = time.Now().Add(readCostFactor * took) }

// edited notes that something was done that may change a field.
func (h *changes) edited(field int) {
	if h.editedField, h.unwritten = field, true; field == 0 {
		h.lastWritten = ""
	}
}

// shouldWrite reports whether a value is worth writing: after something was done in its
// field, and then whenever it is another.
func (h *changes) shouldWrite(field int, value string) bool {
	if h.editedField != field || !h.unwritten && h.lastWritten == value {
		return false
	}
	h.unwritten, h.lastWritten = false, value
	return true
}

// choiceChanged has a choice read that told of a change. A box that is on or off is
// read also when it begins to tell: it may have changed since it was read last,
// as on a machine where that begins late.
func (r *recording) choiceChanged() {
	r.changes.choice.count++
	if r.choice == nil || r.changes.choice.count == 1 && !recorder.IsToggle(r.choice.box) {
		return
	}
	r.choiceReads = max(r.choiceReads, 1)
	r.settleTimer.Reset(settleDelay)
}

// focusChanged learns what has the keyboard when it was told that it moved, so that
// it is known before anything is typed. Only a field counts: of another element
// nobody needs to know before a key comes.
func (r *recording) focusChanged(ctx context.Context) {
	if r.paused || len(r.heldKeys) > 0 {
		return
	}
	r.pollWindows(ctx)
	short, cancel := context.WithTimeout(ctx, r.timeout(focusTimeout))
	defer cancel()
	state, err := r.desktop.SaveFocus(short)
	was := r.focus
	if err != nil || state.Element == "" || was.certain && state.Element == was.handle {
		return
	}
	if !r.isField(short, state.Element) {
		r.focus.programMoved()
		return
	}
	if was.certain {
		r.readField(ctx) // it holds what was typed until now
	}
	r.focus.programMoved()
	r.readFocus(ctx)
}

// isField reports whether an element takes text.
func (r *recording) isField(ctx context.Context, h desktop.Handle) bool {
	if n, ok := r.focus.numbers[h]; ok {
		return r.focus.of(n).TakesText()
	}
	e, err := r.desktop.Refresh(ctx, h)
	return err == nil && (&recorder.Seen{Element: *e}).TakesText()
}

package watch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

const (
	// focusLead delays focus events, which may arrive before the input that caused them.
	focusLead = 30 * time.Millisecond
	// maxReadDelay bounds the debouncing of a field that keeps changing.
	maxReadDelay = time.Second
	// readCostFactor times the duration of a read is the least pause before the next one.
	readCostFactor = 20
)

// changes are the change events of the focus, the focused field and the choice in use. They carry
// no value, so reads are debounced. A toolkit that sends none is polled after input.
type changes struct {
	focus      chan struct{} // holds one when the focus may have moved
	focusTimer *time.Timer   // delays the handling by focusLead
	field      subscription
	choice     subscription
	running    sync.WaitGroup // the goroutines of the subscriptions

	delayedSince time.Time // since when reads are debounced; zero: they are not
	quietUntil   time.Time // until then change events of the field cause no read
	editedField  int       // the field that got the last input
	unwritten    bool      // its value was not written since
	lastWritten  string    // the last value that was written
}

// subscription watches one element for changes.
type subscription struct {
	handle desktop.Handle // "": none
	events chan struct{}  // holds one after a change, and once when the subscription begins
	count  int            // events so far
	last   *atomic.Int64  // the time of the last one, in nanoseconds
	cancel context.CancelFunc
}

// signal wakes the reader of a channel of capacity one.
func signal(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// stop ends all subscriptions.
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

// reports reports whether an element is subscribed to and has sent a change.
func (w *subscription) reports(h desktop.Handle) bool {
	return w.handle != "" && w.handle == h && w.count > 1
}

// subscribe subscribes to the focused field and the choice in use. A password field only counts its
// changes, and only where keys are not reported.
func (k *keyboard) subscribe(ctx context.Context) {
	field, choice := k.changes.field.handle, desktop.Handle("")
	if t := k.focus.of(k.focus.now); t != nil {
		field = ""
		if t.TakesText() && t.Role != "cell" && (k.inferred.keys || !t.Secret() && !k.focus.secret[t.Handle]) { // a cell is not read
			field = k.focus.handle
		}
	}
	if k.choice.box != nil {
		choice = k.choice.box.Handle
	}
	if k.paused {
		field, choice = "", ""
	}
	k.changes.subscribe(ctx, k.desktop, &k.changes.field, field)
	k.changes.subscribe(ctx, k.desktop, &k.changes.choice, choice)
}

// subscribe replaces the element of a subscription.
func (h *changes) subscribe(ctx context.Context, d *desktop.Desktop, w *subscription, of desktop.Handle) {
	if w.handle == of || ctx.Err() != nil {
		return
	}
	w.close()
	if of == "" {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	told := make(chan struct{}, 1)
	last := &atomic.Int64{}
	*w = subscription{handle: of, events: told, last: last, cancel: stop}
	h.running.Go(func() {
		defer stop()
		_ = d.WatchElement(ctx, of, func() {
			last.Store(time.Now().UnixNano())
			signal(told)
		}) // where it is unavailable the element is polled
	})
}

// drainChanges handles the change events that are pending.
func (k *keyboard) drainChanges() {
	select {
	case <-k.changes.field.events:
		k.fieldChanged()
	default:
	}
	select {
	case <-k.changes.choice.events:
		k.choiceChanged()
	default:
	}
}

// fieldChanged schedules a read of the field, debounced up to maxReadDelay.
func (k *keyboard) fieldChanged() {
	h := &k.changes
	h.field.count++
	if h.field.handle != k.focus.handle {
		return
	}
	if k.inferred.keys {
		k.fieldInferred()
	}
	now := time.Now()
	if h.delayedSince.IsZero() {
		h.delayedSince = now
	}
	if now.Sub(h.delayedSince) > maxReadDelay {
		return // the read is scheduled already
	}
	k.fieldUnread, k.reads = true, readsPerAction-1
	k.settleTimer.Reset(max(settleDelay, h.quietUntil.Sub(now)))
}

// backOff ignores change events for a time that depends on the cost of a read.
func (h *changes) backOff(took time.Duration) { h.quietUntil = time.Now().Add(readCostFactor * took) }

// edited notes that input may have changed a field.
func (h *changes) edited(field int) {
	if h.editedField, h.unwritten = field, true; field == 0 {
		h.lastWritten = ""
	}
}

// shouldWrite reports whether a value is the first since input in its field, or differs.
func (h *changes) shouldWrite(field int, value string) bool {
	if h.editedField != field || !h.unwritten && h.lastWritten == value {
		return false
	}
	h.unwritten, h.lastWritten = false, value
	return true
}

// choiceChanged schedules a read of the choice: of a toggle also on subscribing.
func (k *keyboard) choiceChanged() {
	k.changes.choice.count++
	k.inferred.observeSoon(settleDelay)
	if k.inferred.keys || k.choice.box == nil || k.changes.choice.count == 1 && !recorder.IsToggle(k.choice.box) {
		return
	}
	k.choice.expect(1)
}

// focusChanged finds the focused element after a focus event, so that it is known
// before anything is typed. Elements that take no text are looked up when a key comes.
func (r *recording) focusChanged(ctx context.Context) {
	if r.paused || len(r.heldKeys) > 0 {
		return
	}
	r.pollWindows(ctx)
	short, cancel := context.WithTimeout(ctx, r.timeout(focusTimeout))
	defer cancel()
	was, now := r.focus, r.askFocus(short)
	if now == "" {
		return
	}
	if sheet := find(r.view.roots, now); isSheet(sheet) {
		now = ""
		if cell := r.cellNearFocus(short, sheet); cell != nil {
			now = cell.Handle
		}
	}
	if was.certain && now == was.handle {
		return
	}
	if now == "" || !r.isField(short, now) {
		r.focus.programMoved()
		return
	}
	if was.certain {
		r.readField(ctx) // before the focus leaves it
	}
	r.focus.programMoved()
	r.focusOn(ctx, now)
}

// isField reports whether an element takes text, or is a combo box, which is read before a key changes
// it. A sheet that takes text for one of its cells does not.
func (k *keyboard) isField(ctx context.Context, h desktop.Handle) bool {
	if n, ok := k.focus.numbers[h]; ok {
		return k.focus.of(n).TakesText() || k.focus.of(n).DropDown()
	}
	e, err := k.desktop.Refresh(ctx, h)
	if err != nil || isSheet(e) {
		return false
	}
	t := &recorder.Seen{Element: *e}
	return t.TakesText() || t.DropDown() || !recorder.IsOption(e.Role) && dropDownOf(t, k.view.roots) != nil
}

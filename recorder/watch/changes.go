package watch

import (
	"context"
	"sync"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
)

const (
	// streamLags is how much sooner than the input that led to it a change of
	// the focus may be told.
	streamLags = 30 * time.Millisecond
	// mostPut is how long the reading of a field that goes on changing is put
	// off.
	mostPut = time.Second
	// readsShare is how much longer than a reading took a field is not read
	// again because of what it told: a log that scrolls costs little then.
	readsShare = 20
)

// hearing is what applications tell by themselves: that the keyboard moved, and
// that the field that has it, or the choice that is worked on, shows something
// else. They never tell what: that is read, when they have told their last.
//
// What is told is a help. A toolkit that tells nothing is asked, as it was
// before any told.
type hearing struct {
	focus  chan struct{} // holds one when the keyboard may have moved
	moved  *time.Timer   // when that is to be looked at
	field  watch
	choice watch
	all    *sync.WaitGroup // those that wait to be told

	put     time.Time // since when the reading is put off; zero: it is not
	notSoon time.Time // before when what a field tells does not lead to a reading
	in      int       // the field in which something was done
	unheld  bool      // and since then its value was not written
	written string    // the value that was
}

// watch is an element that tells when it changes.
type watch struct {
	of   desktop.Handle // "": none
	told chan struct{}  // holds one when it did; the first time when it begins to
	news int            // how often it told
	stop context.CancelFunc
}

func newHearing() hearing {
	h := hearing{focus: make(chan struct{}, 1), moved: time.NewTimer(time.Hour), all: &sync.WaitGroup{}}
	h.moved.Stop()
	return h
}

// heardFocus is told that the keyboard may have moved.
func (h *hearing) heardFocus() { wake(h.focus) }

// wake puts one into a channel that holds one.
func wake(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// end listens to nothing any more.
func (h *hearing) end() {
	h.field.end()
	h.choice.end()
	h.all.Wait()
}

func (w *watch) end() {
	if w.stop != nil {
		w.stop()
	}
	*w = watch{}
}

// tells says whether it is an element that was heard to tell of a change.
func (w *watch) tells(h desktop.Handle) bool { return w.of != "" && w.of == h && w.news > 1 }

// listen has the field that has the keyboard tell when it changes, and the choice
// that is worked on. A password field is not listened to.
func (r *recording) listen(ctx context.Context) {
	field, choice := r.hearing.field.of, desktop.Handle("")
	if t := r.focus.of(r.focus.now); t != nil {
		field = ""
		if t.TakesText() && !t.Secret() && !r.focus.secret[t.Handle] {
			field = r.focus.handle
		}
	}
	if r.combo != nil {
		choice = r.combo.box.Handle
	}
	if r.paused {
		field, choice = "", ""
	}
	r.follow(ctx, &r.hearing.field, field)
	r.follow(ctx, &r.hearing.choice, choice)
}

// follow listens to an element instead of the one before.
func (r *recording) follow(ctx context.Context, w *watch, of desktop.Handle) {
	if w.of == of || ctx.Err() != nil {
		return
	}
	w.end()
	if of == "" {
		return
	}
	ctx, stop := context.WithCancel(ctx)
	told := make(chan struct{}, 1)
	*w = watch{of: of, told: told, stop: stop}
	r.hearing.all.Go(func() {
		defer stop()
		_ = r.desktop.WatchElement(ctx, of, func() { wake(told) }) // without it the element is read after a time
	})
}

// hears takes what was told until now, before what it led to is forgotten.
func (r *recording) hears() {
	select {
	case <-r.hearing.field.told:
		r.heardField()
	default:
	}
	select {
	case <-r.hearing.choice.told:
		r.heardChoice()
	default:
	}
}

// heardField has a field read that told of a change: when it has told its last,
// or goes on for long.
func (r *recording) heardField() {
	h := &r.hearing
	h.field.news++
	if h.field.of != r.focus.handle {
		return
	}
	now := time.Now()
	if h.put.IsZero() {
		h.put = now
	}
	if now.Sub(h.put) > mostPut {
		return // the timer is set
	}
	r.unread, r.reads = true, readings-1
	r.settle.Reset(max(settlesAfter, h.notSoon.Sub(now)))
}

// cost notes how long a reading took.
func (h *hearing) cost(took time.Duration) { h.notSoon = time.Now().Add(readsShare * took) }

// touched notes that something was done that may change a field.
func (h *hearing) touched(field int) {
	if h.in, h.unheld = field, true; field == 0 {
		h.written = ""
	}
}

// holds says whether a value is worth writing: after something was done in its
// field, and then whenever it is another.
func (h *hearing) holds(field int, value string) bool {
	if h.in != field || !h.unheld && h.written == value {
		return false
	}
	h.unheld, h.written = false, value
	return true
}

// heardChoice has a choice read that told of a change. A box that is on or off is
// read also when it begins to tell: it may have changed since it was read last,
// as on a machine where that begins late.
func (r *recording) heardChoice() {
	r.hearing.choice.news++
	if r.combo == nil || r.hearing.choice.news == 1 && !recorder.IsToggle(r.combo.box) {
		return
	}
	r.choices = max(r.choices, 1)
	r.settle.Reset(settlesAfter)
}

// refocused learns what has the keyboard when it was told that it moved, so that
// it is known before anything is typed. Only a field counts: of another element
// nobody needs to know before a key comes.
func (r *recording) refocused(ctx context.Context) {
	if r.paused || len(r.typing) > 0 {
		return
	}
	r.lookAtWindows(ctx)
	short, cancel := context.WithTimeout(ctx, r.within(focusWithin))
	defer cancel()
	state, err := r.desktop.SaveFocus(short)
	was := r.focus
	if err != nil || state.Element == "" || was.valid && state.Element == was.handle {
		return
	}
	if !r.isField(short, state.Element) {
		r.focus.programMoved()
		return
	}
	if was.valid {
		r.readField(ctx) // it holds what was typed until now
	}
	r.focus.programMoved()
	r.readFocus(ctx)
}

// isField says whether an element takes text.
func (r *recording) isField(ctx context.Context, h desktop.Handle) bool {
	if n, ok := r.focus.numbers[h]; ok {
		return r.focus.of(n).TakesText()
	}
	e, err := r.desktop.Refresh(ctx, h)
	return err == nil && (&recorder.Seen{Element: *e}).TakesText()
}

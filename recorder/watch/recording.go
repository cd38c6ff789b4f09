package watch

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
	"understudy/recorder/compile"
)

// Options say how a recording is made.
type Options struct {
	// Log gets the events as they come; nil keeps them only in memory.
	Log *recorder.Log
	// Tell is called with each new or changed step; may be nil. It must not block.
	Tell func(recorder.Line)
	// Pictures is a folder for pictures of what is clicked, made on demand; "" keeps none.
	Pictures string
	// Patience is the factor of all timeouts of applications; 0 means 1. A larger one makes less
	// uncertain on a slow machine, and delays the reports of steps.
	Patience int
	// Keys are the chords that steer the recording. They are not recorded.
	Keys recorder.Keys
	// Bar shows a bar with the commands and the last steps above all windows.
	Bar bool
}

const (
	// windowPoll is the interval at which the windows are listed.
	windowPoll = 150 * time.Millisecond
	// idleAfter is the time without input after which that interval is doubled.
	idleAfter = 3 * time.Second
	// restDelay is how long the pointer rests before a hit test, which precedes a press.
	restDelay = 60 * time.Millisecond
	// keysDelay is the same during typing, when the program is busy.
	keysDelay = 300 * time.Millisecond
	// turnsDelay is the same after a turn of the wheel, when more turns of the same element may follow.
	turnsDelay = 500 * time.Millisecond
	// settleDelay is the time between typing and the read of the field.
	settleDelay = 80 * time.Millisecond
	// rereadDelay is the time until the second read, for an application that lags.
	rereadDelay = 600 * time.Millisecond
	// endTimeout bounds the last reads.
	endTimeout = time.Second
)

// recording is the state of a session. One goroutine owns it.
type recording struct {
	shared
	keyboard
	pointer
	stop     context.CancelCauseFunc
	progress progress

	clips           clips
	copiedMeanwhile bool        // during a pause
	texts           shownTexts  // the texts after the effect of the last input
	textChange      textChange  // the last change of them
	textTimer       *time.Timer // fires when they are read next

	orders chan func(context.Context) // functions for the goroutine that owns this
	began  chan struct{}              // closed when no input is missed any more
	// listening closes began, once: the element that has the keyboard is known.
	listening func()
}

// shared is the state that the parts of a recording share.
type shared struct {
	reader
	options  Options
	queue    *queue
	journal  journal
	reporter *stepReporter
	used     usedElements
	inferred inference
	bar      *bar     // nil: there is none
	secrets  []string // texts that the person made secrets of

	paused       bool
	stopped      bool // by the person: later input is not recorded
	windows      desktop.Windows
	lastActivity time.Time      // the time of the last input
	lastEffect   time.Time      // when input last may have changed the screen
	lastPress    time.Time      // when a button was pressed or let go of last
	pressedOn    desktop.Handle // the element under it
}

func newRecording(d *desktop.Desktop, o Options, stop context.CancelCauseFunc) *recording {
	began := make(chan struct{})
	r := &recording{
		shared: shared{
			reader:  reader{desktop: d, patience: time.Duration(max(1, o.Patience)), secret: map[desktop.Handle]bool{}, slow: map[int]time.Duration{}},
			options: o, queue: newQueue(), journal: journal{log: o.Log, folder: o.Pictures, stop: stop},
			reporter: &stepReporter{tell: o.Tell, compiler: compile.New()}, used: usedElements{},
			inferred: inference{timer: stoppedTimer(), shown: map[int]programControls{}},
		},
		stop: stop, clips: clips{}, textTimer: stoppedTimer(), orders: make(chan func(context.Context)), began: began, listening: sync.OnceFunc(func() { close(began) }),
	}
	r.keyboard = keyboard{
		shared: &r.shared, settleTimer: stoppedTimer(), focus: focus{numbers: map[desktop.Handle]int{}, secret: r.secret},
		changes: changes{focus: make(chan struct{}, 1), focusTimer: stoppedTimer()},
	}
	r.choice = choice{shared: &r.shared, settleTimer: r.settleTimer}
	r.pointer = pointer{shared: &r.shared, keys: &r.focus, restTimer: stoppedTimer()}
	r.onTree = func(t *programView) { r.used.try(t, r.write) }
	if o.Bar {
		r.bar = newBar()
	}
	return r
}

func stoppedTimer() *time.Timer {
	t := time.NewTimer(time.Hour)
	t.Stop()
	return t
}

func (r *recording) begin(ctx context.Context) error {
	windows, err := r.desktop.Windows(ctx)
	if err != nil {
		return err
	}
	if r.at, err = r.desktop.PointerPosition(ctx); err != nil {
		return fmt.Errorf("asking where the pointer is: %w", err)
	}
	r.windows = windows
	r.write(recorder.Event{Type: recorder.Begun, Time: time.Now(), Windows: windows})
	r.resetTexts()
	r.flush()
	return r.journal.failed
}

// loop handles input and change events until the context ends.
func (r *recording) loop(ctx context.Context) {
	look := time.NewTicker(windowPoll)
	defer look.Stop()
	looked := time.Now()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-r.queue.more:
			r.handleQueued(ctx)
		case <-look.C:
			r.handleQueued(ctx) // it caused the changes of windows
			if time.Since(r.lastActivity) > idleAfter && time.Since(looked) < 2*windowPoll-windowPoll/2 {
				break // while idle, poll every other time
			}
			looked = time.Now()
			r.pollWindows(ctx)
			r.findSelectors(ctx)
		case <-r.restTimer.C:
			r.restPending = false
			r.handleQueued(ctx)
			r.rest(ctx)
			if r.texts.shown != nil && time.Since(r.lastActivity) > idleBeforeChange {
				r.readTexts(ctx, r.under.when)
			}
		case <-r.settleTimer.C:
			r.handleQueued(ctx)
			r.readValues(ctx)
			r.textTimer.Reset(max(rereadDelay, time.Until(r.readAgain)))
		case <-r.textTimer.C:
			r.readTexts(ctx, time.Now())
		case <-r.changes.focus:
			r.changes.focusTimer.Reset(focusLead)
			r.inferred.due = r.inferred.keys
		case <-r.changes.focusTimer.C:
			r.handleQueued(ctx)
			if r.inferred.keys {
				r.inferred.moved = time.Now()
				r.observe(ctx)
			} else {
				r.focusChanged(ctx)
			}
		case <-r.inferred.timer.C:
			r.observe(ctx)
		case <-r.changes.field.events:
			signal(r.changes.field.events) // a key that leaves the field asks whether it changed
			r.handleQueued(ctx)
			r.drainChanges()
		case <-r.changes.choice.events:
			signal(r.changes.choice.events)
			r.handleQueued(ctx)
			r.drainChanges()
		case <-r.bar.rested():
			r.handleQueued(ctx)
			r.command(ctx, r.bar.chosen(), r.at)
		case do := <-r.orders:
			r.handleQueued(ctx)
			do(ctx)
		}
		r.flush()
		r.bar.show(ctx, r)
		r.subscribe(ctx)
		r.queue.done()
	}
}

// end handles the last input and closes the event list.
func (r *recording) end() {
	ctx, cancel := context.WithTimeout(context.Background(), r.timeout(endTimeout))
	defer cancel()
	r.handleQueued(ctx)
	r.flushKeys(ctx, true)
	r.readValues(ctx)
	r.pollWindows(ctx)
	r.write(recorder.Event{Type: recorder.Ended, Time: time.Now()})
	r.reporter.finish()
	r.flush()
	r.bar.close(ctx, r)
}

// write keeps an event. It is synced to the disk before the goroutine waits again.
func (s *shared) write(ev recorder.Event) {
	for _, value := range s.secrets {
		ev = s.journal.erase(ev, value)
	}
	s.journal.events = append(s.journal.events, ev)
	s.reporter.add(ev)
	if ev.Type != recorder.Narrowed {
		s.used.add(ev.Element, ev.Element != nil && ev.Element.PID == s.view.pid && !s.view.when.After(s.lastEffect))
	}
}

// flush publishes the progress and writes the new events to the disk.
func (r *recording) flush() {
	r.progress.set(r)
	r.journal.flush()
}

// handleQueued handles the queued input in its order.
func (r *recording) handleQueued(ctx context.Context) {
	for _, ev := range r.queue.take() {
		r.handle(ctx, ev)
	}
	r.flushKeys(ctx, false)
}

func (r *recording) handle(ctx context.Context, ev desktop.InputEvent) {
	switch {
	case ev.Type == desktop.KeyPress && r.steer(ctx, ev), ev.Type == desktop.KeyRelease, r.bar.takes(ctx, r, ev):
		return
	case ev.Type == desktop.PointerMove:
		r.at = ev.At
		r.scheduleLook(restDelay)
		return
	case r.paused, r.stopped:
		r.copiedMeanwhile = r.copiedMeanwhile || ev.Type == desktop.ClipboardTaken
		return
	}
	switch ev.Type {
	case desktop.WatchBegan:
		r.begun(ctx, ev.Unreported)
	case desktop.KeyPress:
		r.keyPressed(ctx, ev)
	case desktop.ButtonPress:
		r.lastPress, r.pressedOn = ev.Time, "" // it may have changed the field already
		r.flushKeys(ctx, true)
		r.notePress(ctx, ev)
	case desktop.ButtonRelease:
		r.noteRelease(ctx, ev)
	case desktop.WheelTurn:
		r.flushKeys(ctx, true)
		r.noteTurn(ctx, ev)
	case desktop.ClipboardTaken:
		r.flushKeys(ctx, false)
		r.noteCopied(ctx, ev.Time)
	}
}

// steer handles the chords of the recording, and reports whether a key was one.
func (r *recording) steer(ctx context.Context, ev desktop.InputEvent) bool {
	for command, keys := range r.options.Keys {
		if isChord(ev, keys) {
			r.command(ctx, command, r.at)
			return true
		}
	}
	return false
}

// pause pauses the recording, or resumes it. Windows that opened meanwhile count as open from the
// beginning.
func (r *recording) pause(ctx context.Context) {
	if !r.paused {
		r.readValues(ctx)
		r.paused = true
		r.write(recorder.Event{Type: recorder.Paused, Time: time.Now()})
		r.reporter.say("paused")
		return
	}
	r.paused = false
	if windows, err := r.desktop.Windows(ctx); err == nil {
		r.windows = windows
	}
	// All of these may have changed during the pause.
	r.focus.forget()
	r.choice.forget()
	clear(r.inferred.shown)
	r.fieldUnread, r.view.stale = false, true
	r.changes.edited(0)
	begun := recorder.Event{Type: recorder.Begun, Time: time.Now(), Windows: r.windows}
	if r.copiedMeanwhile {
		begun.Clip, r.copiedMeanwhile = r.clipNumber(ctx), false
	}
	r.write(begun)
	r.resetTexts()
	r.reporter.say("recording again")
}

// isChord reports whether a key makes a chord.
func isChord(ev desktop.InputEvent, c desktop.Chord) bool {
	if c.Key == "" || ev.Key != c.Key || len(ev.Mods) != len(c.Mods) {
		return false
	}
	return !slices.ContainsFunc(c.Mods, func(m desktop.Key) bool { return !slices.Contains(ev.Mods, m) })
}

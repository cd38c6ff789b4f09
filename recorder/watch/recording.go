package watch

import (
	"context"
	"fmt"
	"slices"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
)

// Options say how a recording is made.
type Options struct {
	// Log gets the events as they come; nil keeps them only in memory.
	Log *recorder.Log
	// Tell is told each step as soon as it is understood, and once more when
	// it turned out to be another; it may be nil. It must not block.
	Tell func(recorder.Line)
	// Pictures is a folder for pictures of what is clicked, which is made when
	// there is one; "" keeps none.
	Pictures string
	// Patience is how many times longer than usual an application may take to
	// say what is under the pointer and what has the keyboard; 0 is once. On a
	// slow machine less is uncertain then, and the steps are told later.
	Patience int
	// Keys steer the recording, and are no part of it.
	Keys recorder.Keys
}

const (
	// lookEvery is how often the windows are looked at.
	lookEvery = 150 * time.Millisecond
	// restfulAfter is how long nothing is done before that is done half as often.
	restfulAfter = 3 * time.Second
	// restsAfter is how long the pointer stays before what is under it is
	// looked at, so that it is known when the button is pressed.
	restsAfter = 60 * time.Millisecond
	// settlesAfter is how long a field has to show what was typed.
	settlesAfter = 80 * time.Millisecond
	// surelyAfter is when it is read once more, for an application that lags.
	surelyAfter = 600 * time.Millisecond
	// endsWithin is how long the last looks may take.
	endsWithin = time.Second
)

// recording is a recording while it is made. One goroutine works on it.
type recording struct {
	desktop  *desktop.Desktop
	options  Options
	stop     context.CancelCauseFunc
	queue    *queue
	events   []recorder.Event
	flushed  int // how many of them are in the log
	failed   error
	paused   bool
	teller   *teller
	progress progress

	windows []desktop.Window
	at      desktop.Point
	down    *desktop.Point // where a button was pressed
	under   under
	rest    *time.Timer
	rests   bool      // what is under the pointer is to be looked at
	disturb time.Time // when input last changed what is on the screen

	focus    focus
	hearing  hearing
	nameless nameless
	view     view           // what was read last of any program
	had      elements       // by the program that was looked at last
	before   elements       // by the one in which a button was pressed last, at that time
	pictures int            // how many were kept
	secrets  []desktop.Rect // password fields of the program that was looked at last

	combo  *choice              // the combo box that is worked on
	typing []desktop.InputEvent // keys that are held back
	// typingSince is when the first of them came.
	typingSince time.Time
	unread      bool // the field is to be read since the last key
	reads       int  // how often it was
	lags        int  // how often it did not answer
	choices     int  // how often the choice is to be read still
	keyed       bool // keys came since a choice was read
	settle      *time.Timer
	texts       texts       // what was shown when the last thing done had its effect
	news        news        // what changed of that since
	texted      *time.Timer // when that is to be noted
	worked      time.Time   // when something was done last

	began chan struct{} // closed when nothing that is done is missed any more
}

func newRecording(d *desktop.Desktop, o Options, stop context.CancelCauseFunc) *recording {
	r := &recording{
		desktop: d, options: o, stop: stop, queue: newQueue(), rest: time.NewTimer(time.Hour), settle: time.NewTimer(time.Hour), texted: time.NewTimer(time.Hour),
		focus: focus{numbers: map[desktop.Handle]int{}, secret: map[desktop.Handle]bool{}}, teller: newTeller(o.Tell), began: make(chan struct{}),
	}
	r.rest.Stop()
	r.settle.Stop()
	r.texted.Stop()
	r.hearing = newHearing()
	return r
}

func (r *recording) begin(ctx context.Context) error {
	windows, err := r.desktop.Windows.Windows(ctx)
	if err != nil {
		return fmt.Errorf("listing the windows: %w", err)
	}
	if r.at, err = r.desktop.PointerPosition(ctx); err != nil {
		return fmt.Errorf("asking where the pointer is: %w", err)
	}
	r.windows = windows
	r.write(recorder.Event{Type: recorder.Begun, Time: time.Now(), Windows: windows})
	r.readsTexts()
	r.flush()
	return r.failed
}

// work understands what comes until the context ends.
func (r *recording) work(ctx context.Context) {
	look := time.NewTicker(lookEvery)
	defer look.Stop()
	looked := time.Now()
	for ctx.Err() == nil {
		select {
		case <-ctx.Done():
		case <-r.queue.more:
			r.input(ctx, r.queue.take())
		case <-look.C:
			r.input(ctx, r.queue.take()) // what happened to windows came of it
			if time.Since(r.worked) > restfulAfter && time.Since(looked) < 2*lookEvery-lookEvery/2 {
				break // while nothing is done, every other time will do
			}
			looked = time.Now()
			r.lookAtWindows(ctx)
			r.nameOne(ctx)
		case <-r.rest.C:
			r.rests = false
			r.input(ctx, r.queue.take())
			r.under = r.look(ctx, r.at, treeWithin)
			if r.texts.shown != nil {
				r.readTexts(ctx)
			}
		case <-r.settle.C:
			r.input(ctx, r.queue.take())
			r.readField(ctx)
			if r.choices > 0 {
				r.readChoice(ctx)
			}
			r.texted.Reset(surelyAfter)
		case <-r.texted.C:
			r.readTexts(ctx)
		case <-r.hearing.focus:
			r.hearing.moved.Reset(streamLags)
		case <-r.hearing.moved.C:
			r.input(ctx, r.queue.take())
			r.refocused(ctx)
		case <-r.hearing.field.told:
			r.input(ctx, r.queue.take())
			r.heardField()
		case <-r.hearing.choice.told:
			r.input(ctx, r.queue.take())
			r.heardChoice()
		}
		r.flush()
		r.listen(ctx)
		r.queue.understood()
	}
}

// within is a time that an application has to answer.
func (r *recording) within(d time.Duration) time.Duration {
	return d * time.Duration(max(1, r.options.Patience))
}

// end understands what came last.
func (r *recording) end() {
	ctx, cancel := context.WithTimeout(context.Background(), r.within(endsWithin))
	defer cancel()
	r.input(ctx, r.queue.take())
	r.settleKeys(ctx, true)
	r.readField(ctx)
	r.lookAtWindows(ctx)
	r.write(recorder.Event{Type: recorder.Ended, Time: time.Now()})
	r.teller.finish()
	r.flush()
}

// write keeps an event. It is on the disk before anything else is waited for.
func (r *recording) write(ev recorder.Event) {
	r.events = append(r.events, ev)
	r.teller.add(ev)
}

// flush puts what was kept on the disk, all that came together at once.
func (r *recording) flush() {
	r.progress.set(r)
	unwritten := r.events[r.flushed:]
	r.flushed = len(r.events)
	if r.failed != nil || r.options.Log == nil {
		return
	}
	if r.failed = r.options.Log.Write(unwritten...); r.failed != nil {
		r.stop(r.failed)
	}
}

// input goes through what a person did.
func (r *recording) input(ctx context.Context, list []desktop.InputEvent) {
	for _, ev := range list {
		r.one(ctx, ev)
	}
	r.settleKeys(ctx, false)
}

func (r *recording) one(ctx context.Context, ev desktop.InputEvent) {
	switch {
	case ev.Type == desktop.KeyPress && r.steered(ctx, ev), ev.Type == desktop.KeyRelease:
		return
	case ev.Type == desktop.PointerMove:
		r.at = ev.At
		r.lookSoon(restsAfter)
		return
	case r.paused:
		return
	}
	switch ev.Type {
	case desktop.WatchBegan:
		close(r.began)
	case desktop.KeyPress:
		r.key(ctx, ev)
	case desktop.ButtonPress:
		r.settleKeys(ctx, true)
		r.pressed(ctx, ev)
	case desktop.ButtonRelease:
		r.released(ctx, ev)
	case desktop.WheelTurn:
		r.settleKeys(ctx, true)
		r.write(recorder.Event{Type: recorder.Turned, Time: ev.Time, At: ev.At, DX: ev.DX, DY: ev.DY, Mods: ev.Mods, Element: r.seenAt(ctx, ev.At), Window: r.windowAt(ev.At)})
	}
}

// steered does what the keys that steer the recording say.
func (r *recording) steered(ctx context.Context, ev desktop.InputEvent) bool {
	k := r.options.Keys
	switch {
	case pressed(ev, k.Stop):
		r.settleKeys(ctx, true)
		r.stop(errStopped)
	case pressed(ev, k.Pause):
		r.settleKeys(ctx, true)
		r.pause(ctx)
	case pressed(ev, k.Assert):
		r.settleKeys(ctx, true)
		if t := r.seenAt(ctx, r.at); t != nil && !r.paused {
			r.write(recorder.Event{Type: recorder.Asserted, Time: ev.Time, At: r.at, Element: t})
		}
	default:
		return false
	}
	return true
}

// pause stops recording, or goes on with it. What happened in between is not
// the person's work: the windows that are there then were always there.
func (r *recording) pause(ctx context.Context) {
	r.paused = !r.paused
	if r.paused {
		r.readField(ctx)
		r.write(recorder.Event{Type: recorder.Paused, Time: time.Now()})
		r.teller.say("paused")
		return
	}
	if windows, err := r.desktop.Windows.Windows(ctx); err == nil {
		r.windows = windows
	}
	r.focus.forget() // what its field holds came of the pause
	r.unread = false
	r.hearing.touched(0)
	r.write(recorder.Event{Type: recorder.Begun, Time: time.Now(), Windows: r.windows})
	r.readsTexts()
	r.teller.say("recording again")
}

// pressed says whether a key makes a chord.
func pressed(ev desktop.InputEvent, c desktop.Chord) bool {
	if c.Key == "" || ev.Key != c.Key || len(ev.Mods) != len(c.Mods) {
		return false
	}
	return !slices.ContainsFunc(c.Mods, func(m desktop.Key) bool { return !slices.Contains(ev.Mods, m) })
}

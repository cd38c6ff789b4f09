package steps

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"understudy/internal/desktop"
)

// Keyboard remembers, for one caller, which window is to get keys. Keys are sent only to
// the window in which the caller works: the one that had the keyboard when the caller was
// told so last, that it named, or that its own act opened in the same program. Any other
// window, such as the question of another program, may have come up unseen, and a key
// would answer it. A nil Keyboard admits every window.
type Keyboard struct {
	// Told: only windows of which the caller was told get keys, because it decides by
	// what it is told. That is for single calls; a document was written beforehand.
	Told bool
	// Again: it continues a run of which it knows nothing, so that a dialog that is open
	// may be what cut the run short.
	Again bool

	mu sync.Mutex
	// at is the window in which the caller works; nil: it is not known yet.
	at    *desktop.Window
	shown map[windowKey]bool // the windows of which the caller was told
	// inherited: at was of the caller of a run, whose desktop may be another.
	inherited bool
	// opens: the last act of the caller may have opened a window or moved the focus.
	opens   bool
	started []int // the processes that acts of the caller started
}

// windowKey identifies a window. The ids of one program may be those of another later.
type windowKey struct {
	id  desktop.WindowID
	pid int
}

func keyOf(w desktop.Window) windowKey { return windowKey{w.ID, w.PID} }

// Tell notes that the caller looked at windows. An active one is where it works now.
func (k *Keyboard) Tell(windows ...desktop.Window) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, w := range windows {
		if k.show(w); w.Active {
			k.at = &w
		}
	}
}

// Happened notes windows of which an answer tells that they opened or became active. Only
// in those of its own program the caller works now: one of another program came up by
// itself, and a call may be on its way already while its caller reads of it.
func (k *Keyboard) Happened(windows ...desktop.Window) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, w := range windows {
		if k.show(w); w.Active && k.at != nil && k.opens && k.isRelated(w) {
			k.at = &w
		}
	}
}

// Name notes that the caller named a window, and so means it.
func (k *Keyboard) Name(w desktop.Window) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.show(w)
	k.at = &w
}

// Knows reports whether the caller was told of a window. Nothing is known of the caller
// of a nil Keyboard, who counts as told.
func (k *Keyboard) Knows(w desktop.Window) bool {
	if k == nil {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.shown[keyOf(w)]
}

// Leave returns a function that notes that the caller works where it did before, because
// the focus was given back.
func (k *Keyboard) Leave() (back func()) {
	if k == nil {
		return func() {}
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	at := k.at
	return func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		k.at = at
	}
}

// mostShown bounds the windows that are remembered.
const mostShown = 1000

func (k *Keyboard) show(w desktop.Window) {
	if k.shown == nil || len(k.shown) >= mostShown {
		k.shown = map[windowKey]bool{}
	}
	k.shown[keyOf(w)] = true
}

// For returns the Keyboard of a run that the caller begins, which knows what the caller
// knows; again: one that it continues. A window of another desktop counts for nothing.
func (k *Keyboard) For(again bool) *Keyboard {
	k.mu.Lock()
	defer k.mu.Unlock()
	return &Keyboard{Again: again, at: k.at, inherited: true, opens: k.opens, started: slices.Clone(k.started)}
}

// Follow takes over where a run of the caller has left off.
func (k *Keyboard) Follow(run *Keyboard) {
	run.mu.Lock()
	at, opens, started := run.at, run.opens, slices.Clone(run.started)
	run.mu.Unlock()
	if at == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.at, k.opens, k.started = at, opens, started
	k.show(*at)
}

// admits reports whether keys may go to the active window w, and notes that they do.
func (k *Keyboard) admits(w desktop.Window, all desktop.Windows) bool {
	if k == nil {
		return true
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.at != nil {
		now := all.ByID(k.at.ID)
		if now != nil {
			at := *now // what an element tells of its window is less
			k.at = &at
		} else if k.inherited {
			k.at = nil
		}
	}
	k.inherited = false
	if !k.isExpected(w) {
		return false
	}
	k.at = &w
	return true
}

func (k *Keyboard) isExpected(w desktop.Window) bool {
	switch {
	case k.at == nil:
		return !k.Told && (!k.Again || !w.Dialog && !w.Modal)
	case keyOf(*k.at) == keyOf(w), k.at.Popup && k.isRelated(w):
		return true
	case k.Told && !k.shown[keyOf(w)]:
		return false
	}
	return k.opens && k.isRelated(w)
}

// portalPrefix begins the names of the programs that show the dialogs of other programs.
const portalPrefix = "xdg-desktop-portal"

// isRelated reports whether a window belongs to the program in which the caller works, or
// to one that it started.
func (k *Keyboard) isRelated(w desktop.Window) bool {
	if w.PID == 0 || k.at.PID == 0 {
		return w.Process != "" && w.Process == k.at.Process
	}
	if strings.HasPrefix(w.Process, portalPrefix) {
		return true
	}
	for pid, n := w.PID, 0; pid > 1 && n < 32; n++ {
		if pid == k.at.PID || slices.Contains(k.started, pid) {
			return true
		}
		stat := desktop.ProcessStat(pid)
		if stat == nil {
			break
		}
		pid, _ = strconv.Atoi(stat[1])
	}
	return false
}

// acted notes an act of the caller.
func (k *Keyboard) acted(a desktop.Action) {
	if k == nil {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch a := a.(type) {
	case desktop.Type:
		k.opens = strings.ContainsAny(a.Text, "\n\r\t") || k.opens && a.Text == ""
	case desktop.Press:
		k.opens = k.opens && a.Ask || !a.Chord.EntersText()
		if a.Global != nil && *a.Global && !a.Ask && !k.Told {
			k.at = nil // it went to the desktop, which may show another window for it
		}
	case desktop.SetText, desktop.InsertText, desktop.SetNumber, desktop.Scroll:
		k.opens = false
	case desktop.MovePointer: // after a click, back to where the pointer was
	case desktop.Click:
		if k.opens = true; a.In != nil {
			k.show(*a.In)
			k.at = a.In
		}
	case desktop.Launch:
		if k.opens = true; a.Started != nil && a.Started.PID > 1 {
			k.started = append(k.started, a.Started.PID)
		}
	default:
		k.opens = true
	}
}

// guarded returns a key action as it may be sent: with the window that has the keyboard,
// so that the driver sends it to no other. It fails with a desktop.ElsewhereError if that
// window is not the caller's.
func (e *Env) guarded(ctx context.Context, a desktop.Action) (desktop.Action, error) {
	if e.Keyboard == nil || !sendsKeys(a) {
		return a, nil
	}
	w, err := e.keyWindow(ctx)
	if has, elsewhere := errors.AsType[*desktop.ElsewhereError](err); elsewhere && e.isGlobal(ctx, a) {
		w, err = &has.Has, nil
	}
	if err != nil || w == nil {
		return a, err
	}
	e.keysTo.Store(w)
	switch a := a.(type) {
	case desktop.Type:
		a.In = w
		return a, nil
	case desktop.Press:
		a.In = w
		return a, nil
	case desktop.KeyDown:
		a.In = w
		return a, nil
	}
	return a, nil
}

// focusWithin bounds the wait for the caller's window to get the keyboard, such as one that
// has just opened.
const focusWithin = time.Second

// keyWindow returns the active window if it is the caller's; nil if no window is active or
// windows cannot be listed.
func (e *Env) keyWindow(ctx context.Context) (*desktop.Window, error) {
	for began := time.Now(); ; {
		windows, err := e.unaccounted.Windows(ctx)
		if errors.Is(err, desktop.ErrUnavailable) {
			return nil, nil
		}
		w := windows.Active()
		if w != nil {
			w = cmp.Or(windows.Blocker(w.ID), w) // which gets the keys, also before it is active
		}
		switch {
		case err != nil:
			return nil, err
		case w == nil && !e.Keyboard.isMoving():
			return nil, nil
		case w != nil && e.Keyboard.admits(*w, windows):
			return w, nil
		case time.Since(began) < focusWithin:
		case w == nil:
			return nil, &Error{Code: NotActionable, Err: errors.New("no window has the keyboard any more"), Next: "bring a window to the front with change_window, or name an element"}
		default:
			return nil, &desktop.ElsewhereError{Has: *w}
		}
		if err := Sleep(ctx, focusWithin/20); err != nil {
			return nil, err
		}
	}
}

// isMoving reports whether no active window means that the focus is on its way to one: the
// window of the caller was active, so the window manager tells which is.
func (k *Keyboard) isMoving() bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.at != nil && k.at.Active
}

// sendsKeys reports whether an action presses keys.
func sendsKeys(a desktop.Action) bool {
	switch a := a.(type) {
	case desktop.Type:
		return a.Text != ""
	case desktop.Press:
		return !a.Ask
	case desktop.KeyDown:
		return true
	}
	return false
}

// isGlobal reports whether a program takes a chord whatever window has the keyboard.
func (e *Env) isGlobal(ctx context.Context, a desktop.Action) (taken bool) {
	press, ok := a.(desktop.Press)
	if !ok || press.Global == nil {
		return false
	}
	err := e.unaccounted.Do(ctx, desktop.Press{Chord: press.Chord, Global: &taken, Ask: true})
	return taken && err == nil
}

// KeysWentTo describes the window that got the last keys of the attempt, or returns "".
func (e *Env) KeysWentTo() string {
	if w := e.keysTo.Load(); w != nil {
		return DescribeWindow(*w)
	}
	return ""
}

// DescribeWindow names a window in a message.
func DescribeWindow(w desktop.Window) string {
	if w.Process == "" {
		return fmt.Sprintf("the window %q", w.Title)
	}
	return fmt.Sprintf("the window %q of %s", w.Title, w.Process)
}

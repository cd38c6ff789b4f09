package win32

import (
	"context"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/windows"

	"understudy/internal/desktop"
	"understudy/internal/desktop/winapi"
)

// Hooks, what they tell, and messages.
const (
	keyboardHook, mouseHook         = 13, 14 // WH_KEYBOARD_LL, WH_MOUSE_LL
	keyTold, systemKeyTold          = 0x100, 0x104
	moveTold, wheelTold, acrossTold = 0x200, 0x20a, 0x20e
	ctrlOfAltGr                     = 0x21d // the scan code of the Ctrl that Windows presses with AltGr
	messageQuit, clipboardTold      = 0x12, 0x31d
	messageOnly                     = -3 // HWND_MESSAGE
	asyncShift, asyncLeftCtrl       = 0x10, 0xa2
	asyncRightCtrl, asyncLeftAlt    = 0xa3, 0xa4
	asyncLeftSuper, asyncRightSuper = 0x5b, 0x5c
	toggleCapsLock                  = 0x14
	hookedExtended                  = 0x1 // LLKHF_EXTENDED
)

// hookedKey is KBDLLHOOKSTRUCT.
type hookedKey struct {
	key, scan, flags, time uint32
	extra                  uintptr
}

// hookedMouse is MSLLHOOKSTRUCT.
type hookedMouse struct {
	x, y              int32
	data, flags, time uint32
	extra             uintptr
}

// hookedButtons are the buttons by the message of their press; that of the release follows.
var hookedButtons = map[uintptr]desktop.Button{0x201: desktop.Left, 0x204: desktop.Right, 0x207: desktop.Middle}

// watchers are those that watch, by the thread that Windows calls.
var watchers sync.Map // uint32 → *watcher

func watcherHere() *watcher {
	w, _ := watchers.Load(windows.GetCurrentThreadId())
	here, _ := w.(*watcher)
	return here
}

var onHookedKey = syscall.NewCallback(func(code int32, message uintptr, k *hookedKey) uintptr {
	if w := watcherHere(); w != nil && code == 0 {
		w.key(message, k)
	}
	return user("CallNextHookEx", 0, uintptr(code), message, uintptr(unsafe.Pointer(k)))
})

var onHookedMouse = syscall.NewCallback(func(code int32, message uintptr, m *hookedMouse) uintptr {
	if w := watcherHere(); w != nil && code == 0 {
		w.mouse(message, m)
	}
	return user("CallNextHookEx", 0, uintptr(code), message, uintptr(unsafe.Pointer(m)))
})

// watcher reports what a person does. All its methods run on one thread.
type watcher struct {
	f      func(desktop.InputEvent)
	keys   translator
	at     desktop.Point // where the last event was, whose ever it was
	turned desktop.Point // parts of a notch of the wheel
}

// Watch calls f for each thing that a person does with mouse and keyboard, in order, until the
// context ends. Input of this program, which bears its mark, is left out. It must return soon:
// the input of the whole system waits for it, and Windows forgets a hook that is slow.
//
// Windows tells nothing of what happens in windows with more rights than this process.
func (d *Driver) Watch(ctx context.Context, f func(desktop.InputEvent)) (err error) {
	locked(func() { err = watchHere(ctx, f) })
	return err
}

// message is MSG.
type message struct {
	window uintptr
	what   uint32
	_, _   uintptr
	_      [4]uint32
}

// watchHere watches on this thread, which handles messages until the context ends.
func watchHere(ctx context.Context, f func(desktop.InputEvent)) error {
	thread := windows.GetCurrentThreadId()
	w := &watcher{f: f}
	var where struct{ x, y int32 }
	user("GetCursorPos", at(&where))
	w.at = desktop.Point{X: int(where.x), Y: int(where.y)}
	watchers.Store(thread, w)
	defer watchers.Delete(thread)
	for hook, call := range map[uintptr]uintptr{keyboardHook: onHookedKey, mouseHook: onHookedMouse} {
		h := user("SetWindowsHookExW", hook, call, 0, 0)
		if h == 0 {
			return &desktop.MissingError{What: "Windows does not let this process watch mouse and keyboard"}
		}
		defer user("UnhookWindowsHookEx", h)
	}
	listener := user("CreateWindowExW", 0, winapi.Wide("Static"), 0, 0, 0, 0, 0, 0, messageOnly, 0, 0, 0)
	defer user("DestroyWindow", listener)
	user("AddClipboardFormatListener", listener)
	defer user("RemoveClipboardFormatListener", listener)
	stop := context.AfterFunc(ctx, func() { user("PostThreadMessageW", uintptr(thread), messageQuit, 0, 0) })
	defer stop()
	f(desktop.InputEvent{Type: desktop.WatchBegan, Time: time.Now()})
	for m := (message{}); int32(user("GetMessageW", at(&m), 0, 0, 0)) > 0; {
		if m.window == listener && m.what == clipboardTold {
			f(desktop.InputEvent{Type: desktop.ClipboardTaken, Time: time.Now(), At: w.at})
		}
		user("DispatchMessageW", at(&m))
	}
	return context.Cause(ctx)
}

// key reports a key, unless it is ours.
func (w *watcher) key(message uintptr, k *hookedKey) {
	if k.extra == ownInput || k.scan == ctrlOfAltGr {
		return
	}
	layout := layoutInUse()
	ev := desktop.InputEvent{At: w.at, Time: time.Now()}
	if w.keys.fill(&ev, stroke{
		layout: layout, key: virtualKey(k.key), scan: k.scan, extended: k.flags&hookedExtended != 0,
		down:     message == keyTold || message == systemKeyTold,
		capsLock: user("GetKeyState", toggleCapsLock)&1 != 0, held: heldModifiers(layout),
	}) {
		w.f(ev)
	}
}

// heldModifiers returns the modifiers that were down before this event.
func heldModifiers(l layout) (held []desktop.Key) {
	down := func(key virtualKey) bool { return int16(user("GetAsyncKeyState", uintptr(key))) < 0 }
	right := down(rightAlt)
	altGr := right && l.hasAltGr()
	for _, m := range []struct {
		key  desktop.Key
		held bool
	}{
		{desktop.Ctrl, down(asyncRightCtrl) || down(asyncLeftCtrl) && !altGr},
		{desktop.Shift, down(asyncShift)},
		{desktop.Alt, down(asyncLeftAlt) || right && !altGr},
		{desktop.AltGr, altGr},
		{desktop.Super, down(asyncLeftSuper) || down(asyncRightSuper)},
	} {
		if m.held {
			held = append(held, m.key)
		}
	}
	return held
}

// mouse reports a move, a button or a turn of the wheel, unless it is ours. A move to where
// the pointer is already is none.
func (w *watcher) mouse(message uintptr, m *hookedMouse) {
	ev := desktop.InputEvent{At: desktop.Point{X: int(m.x), Y: int(m.y)}, Time: time.Now()}
	moved := ev.At != w.at
	w.at = ev.At
	if m.extra == ownInput {
		return
	}
	turn := int(int16(m.data >> 16))
	switch message {
	case moveTold:
		ev.Type = desktop.PointerMove
		if !moved {
			return
		}
	case wheelTold:
		ev.Type, ev.DY = desktop.WheelTurn, -notches(&w.turned.Y, turn)
	case acrossTold:
		ev.Type, ev.DX = desktop.WheelTurn, notches(&w.turned.X, turn)
	default:
		ev.Type, ev.Button = desktop.ButtonPress, hookedButtons[message]
		if b, released := hookedButtons[message-1]; released {
			ev.Type, ev.Button = desktop.ButtonRelease, b
		}
		if ev.Button == "" {
			return
		}
	}
	if ev.Type == desktop.WheelTurn && ev.DX == 0 && ev.DY == 0 {
		return
	}
	if ev.Type != desktop.PointerMove {
		ev.Mods = heldModifiers(layoutInUse())
	}
	w.f(ev)
}

// notches adds a turn to the parts of a notch, and returns the whole ones.
func notches(rest *int, turn int) int {
	*rest += turn
	whole := *rest / wheelNotch
	*rest -= whole * wheelNotch
	return whole
}

//go:build linux

package x11

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// maxKeysPerGrab is how many characters are typed while the server is grabbed: few enough that
// nobody notices.
const maxKeysPerGrab = 64

// enter types text exactly, whatever the layout, CapsLock and held modifiers.
//
// The characters are sent in groups of maxKeysPerGrab. The server is grabbed during each, so that the keys
// are chosen by the mapping under which they are pressed; whatever would change the
// characters is switched off before and on again after. enter returns when the application
// has read them (see waitUntilRead), so that later actions, such as moving the caret over
// another connection, come after them.
//
// Applications read the mapping when they please. If someone changes it before that, enter
// fails with desktop.ErrUnclear.
func (b *keyboard) enter(ctx context.Context, l *xConn, text string, in *desktop.Window) error {
	syms, err := input.Typeable(text)
	if err != nil {
		return err
	}
	count := len(syms)
	return b.once(ctx, l, func() error {
		t := &typing{keyboard: b, xConn: l, in: in, unread: map[xproto.Keycode]bool{}}
		b.behind = true
		for len(syms) > 0 {
			n, err := t.some(ctx, syms)
			if err != nil {
				return &desktop.TypingError{Sent: count - len(syms), Of: count, Err: err}
			}
			syms = syms[n:]
		}
		if _, err := l.waitUntilRead(ctx, readWithin+time.Duration(count)*readCharWithin); err != nil {
			return err
		}
		b.behind = false
		return do(ctx, l, func() error { _, err := t.check(); return err })
	})
}

// typing is one text that is being typed.
type typing struct {
	*xConn
	keyboard *keyboard
	in       *desktop.Window         // that must have the keyboard; nil: any
	unread   map[xproto.Keycode]bool // keys that the application may not have read yet
}

// some types as many of the first keysyms as possible in one go.
func (t *typing) some(ctx context.Context, syms []uint32) (int, error) {
	k := &t.keymap
	if k.layout == nil {
		if _, err := perform(ctx, t.xConn, t.learn); err != nil {
			return 0, err
		}
	}
	n, bind, wait := k.plan(syms, maxKeysPerGrab, time.Now())
	if n == 0 {
		return 0, &desktop.MissingError{What: "the keyboard layout has no spare key for characters that it lacks", Mend: "setxkbmap us"}
	}
	if wait > 0 || len(bind) > 0 && len(t.unread) > 0 {
		if changed, err := t.read(ctx, wait); changed || err != nil {
			return 0, err
		}
	}
	return perform(ctx, t.xConn, func() (int, error) {
		xproto.GrabServer(t.x)
		defer xproto.UngrabServer(t.x)
		if err := t.keyboard.verifyTarget(t.xConn, t.in); err != nil {
			return 0, err
		}
		if changed, err := t.check(); changed || err != nil {
			return 0, err // the plan may be wrong now: plan again
		}
		if len(bind) > 0 {
			if err := t.keyboard.bind(t.xConn, bind); err != nil {
				return 0, err
			}
		}
		return n, t.pressKeys(syms[:n])
	})
}

// read waits until the application has read the text, and reports whether the mapping has
// changed. An application that answers no pings gets some time in addition. read fails if
// the application may have read something else.
func (t *typing) read(ctx context.Context, wait time.Duration) (changed bool, err error) {
	answered, err := t.waitUntilRead(ctx, readGrabWithin)
	if err == nil && !answered {
		err = desktop.Sleep(ctx, wait)
	}
	if err != nil {
		return false, err
	}
	changed, err = perform(ctx, t.xConn, t.check)
	clear(t.unread)
	return changed, err
}

// check reads the mapping and reports whether it has changed. It fails if a key has another
// meaning now that the application may not have read yet.
func (t *typing) check() (bool, error) {
	before := t.keymap.table
	changed, err := t.learn()
	if err != nil || !changed {
		return false, err
	}
	for key := range t.unread {
		if !slices.Equal(before.row(key), t.keymap.row(key)) {
			return true, fmt.Errorf("the keyboard layout changed while keys were being sent, so check what the application received: %w", desktop.ErrUnclear)
		}
	}
	return true, nil
}

// bind writes the rows of spare keys. Neighbours are written by one request, because each
// makes every application read the mapping again.
func (b *keyboard) bind(l *xConn, bs []binding) error {
	rows := l.keymap.bind(bs)
	for keys := slices.Sorted(maps.Keys(rows)); len(keys) > 0; {
		var syms []xproto.Keysym
		n := 0
		for ; n < len(keys) && keys[n] == keys[0]+xproto.Keycode(n); n++ {
			b.held.bound(byte(keys[n]), true)
			syms = append(syms, rows[keys[n]]...)
		}
		xproto.ChangeKeyboardMapping(l.x, byte(n), keys[0], byte(l.keymap.per), syms)
		keys = keys[n:]
	}
	_, err := l.learn()
	return err
}

// pressKeys types keysyms that can be typed now.
func (t *typing) pressKeys(syms []uint32) error {
	undo, err := t.keyboard.neutral(t.xConn)
	if err != nil {
		return err
	}
	k := &t.keymap
	for _, sym := range syms {
		s, ok := k.find(sym)
		if !ok {
			err = fmt.Errorf("the X server did not take the binding of keysym %#x", sym)
			break
		}
		keys := []xproto.Keycode{s.key}
		if s.shift {
			keys = []xproto.Keycode{k.shift, s.key}
		}
		t.keyboard.stroke(t.xConn, keys)
		k.use(sym, time.Now())
		t.unread[s.key] = true
	}
	undo()
	t.x.Sync()
	return err
}

// neutral switches off whatever would change a typed character: CapsLock, another layout,
// held and latched modifiers. undo switches it on again.
func (b *keyboard) neutral(l *xConn) (undo func(), err error) {
	state, err := l.xkbState()
	if err != nil {
		return nil, err
	}
	locks := state.locked &^ l.keymap.numbit
	if locks != 0 || state.group != 0 || state.latched != 0 {
		l.xkbLock(locks, 0, 0)
	}
	again, err := b.lift(l, state, true)
	if err != nil {
		return nil, err
	}
	return func() {
		again()
		if locks != 0 || state.group != 0 {
			l.xkbLock(locks, locks, state.lockedGroup)
		}
	}, nil
}

// lift releases the modifiers that a person holds, and with all also ours. again presses them.
func (b *keyboard) lift(l *xConn, state keyState, all bool) (again func(), err error) {
	var pressed []xproto.Keycode
	if state.base != 0 {
		if pressed, err = l.pressedModifiers(); err != nil {
			return nil, err
		}
	}
	held := b.held.input().keys
	ours := func(key xproto.Keycode) bool { return slices.Contains(held, byte(key)) }
	pressed = slices.DeleteFunc(pressed, func(key xproto.Keycode) bool { return ours(key) && !all })
	for _, key := range pressed {
		b.key(l, key, false)
	}
	return func() {
		for _, key := range pressed {
			b.key(l, key, true)
			b.held.key(byte(key), ours(key))
		}
	}, nil
}

//go:build linux

package x11

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

// handful is how many characters are typed while the server listens to nobody
// else: few enough that nobody notices.
const handful = 64

// enter types text exactly, whatever the layout, CapsLock and held modifiers.
//
// The characters go out in handfuls. For each, the server is grabbed, so that
// the mapping that is read is the one by which the keys are meant; what would
// change the characters is switched off before and on again after. It returns
// when the application has read them (see waitUntilRead), so that what is done
// next, such as a move of the caret over another connection, comes after them.
//
// Applications read the mapping when they please. When someone changed it
// before they did, it fails with desktop.ErrUnclear.
func (b *keyboard) enter(ctx context.Context, l *xConn, text string) error {
	syms, err := input.Typeable(text)
	if err != nil {
		return err
	}
	n := len(syms)
	return b.once(ctx, l, func() error {
		t := &typing{keyboard: b, xConn: l, unread: map[xproto.Keycode]bool{}}
		b.behind = true
		for len(syms) > 0 {
			n, err := t.some(ctx, syms)
			if err != nil {
				return fmt.Errorf("typing, with %d characters left: %w", len(syms), err)
			}
			syms = syms[n:]
		}
		if _, err := l.waitUntilRead(ctx, readWithin+time.Duration(n)*readCharWithin); err != nil {
			return err
		}
		b.behind = false
		_, err := perform(ctx, l, t.check)
		return err
	})
}

// typing is one text that is being typed.
type typing struct {
	*xConn
	keyboard *keyboard
	unread   map[xproto.Keycode]bool // the keys that the application may not have read yet
}

// some types as many of the first keysyms as it can in one go.
func (t *typing) some(ctx context.Context, syms []uint32) (int, error) {
	k := &t.keymap
	if k.layout == nil {
		if _, err := perform(ctx, t.xConn, t.learn); err != nil {
			return 0, err
		}
	}
	n, bind, wait := k.plan(syms, handful, time.Now())
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
		if changed, err := t.check(); changed || err != nil {
			return 0, err // what was planned may be wrong now: plan again
		}
		if len(bind) > 0 {
			if err := t.keyboard.bind(t.xConn, bind); err != nil {
				return 0, err
			}
		}
		return n, t.pressKeys(syms[:n])
	})
}

// read returns when the application has read what was typed, and says whether the
// mapping changed. One that answers no pings is given a while beside. It fails when
// something else may have been read.
func (t *typing) read(ctx context.Context, wait time.Duration) (changed bool, err error) {
	answered, err := t.waitUntilRead(ctx, readHandfulWithin)
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

// check reads the mapping and says whether it changed. It fails when someone
// gave another meaning to a key that may not have been read yet.
func (t *typing) check() (bool, error) {
	before := t.keymap.table
	changed, err := t.learn()
	if err != nil || !changed {
		return false, err
	}
	for key := range t.unread {
		if !slices.Equal(before.row(key), t.keymap.row(key)) {
			return true, fmt.Errorf("the keyboard's layout was changed while keys were on their way, so look at what the application read: %w", desktop.ErrUnclear)
		}
	}
	return true, nil
}

// learn reads the keyboard's mapping.
func (l *xConn) learn() (bool, error) {
	first := l.setup.MinKeycode
	m, err := xproto.GetKeyboardMapping(l.x, first, byte(l.setup.MaxKeycode-first)+1).Reply()
	if err != nil {
		return false, err
	}
	changed := l.keymap.learn(int(first), int(m.KeysymsPerKeycode), m.Keysyms)
	if !changed {
		return false, nil
	}
	mods, err := xproto.GetModifierMapping(l.x).Reply()
	if err != nil {
		return true, err
	}
	l.keymap.numbit = 0
	for i, key := range mods.Keycodes {
		if key != 0 && l.keymap.at(key, 0) == symNumLock {
			l.keymap.numbit |= 1 << (i / int(mods.KeycodesPerModifier))
		}
	}
	return true, nil
}

// bind writes the rows of spare keys, neighbours together, because each
// request makes every application read the mapping again.
func (b *keyboard) bind(l *xConn, bs []binding) error {
	rows := l.keymap.bind(bs)
	keys := make([]xproto.Keycode, 0, len(rows))
	for key := range rows {
		b.held.bound(byte(key), true)
		keys = append(keys, key)
	}
	slices.Sort(keys)
	per := byte(l.keymap.per)
	for len(keys) > 0 {
		syms, n := rows[keys[0]], 1
		for n < len(keys) && keys[n] == keys[0]+xproto.Keycode(n) {
			syms = append(syms, rows[keys[n]]...)
			n++
		}
		xproto.ChangeKeyboardMapping(l.x, byte(n), keys[0], per, syms)
		keys = keys[n:]
	}
	_, err := l.learn()
	return err
}

// pressKeys presses and releases the keys of characters that can be typed now.
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
		if s.shift {
			t.keyboard.key(t.xConn, k.shift, true)
		}
		t.keyboard.key(t.xConn, s.key, true)
		t.keyboard.key(t.xConn, s.key, false)
		if s.shift {
			t.keyboard.key(t.xConn, k.shift, false)
		}
		k.use(sym, time.Now())
		t.unread[s.key] = true
	}
	undo()
	t.x.Sync()
	return err
}

// neutral switches off whatever would change a typed character: CapsLock,
// another layout, held and latched modifiers. It returns what brings it back.
func (b *keyboard) neutral(l *xConn) (undo func(), err error) {
	state, err := l.xkbState()
	if err != nil {
		return nil, err
	}
	locks := state.locked &^ l.keymap.numbit
	if locks != 0 || state.group != 0 || state.latched != 0 {
		l.xkbLock(locks, 0, 0)
	}
	var pressed []xproto.Keycode
	if state.base != 0 {
		if pressed, err = l.pressedModifiers(); err != nil {
			return nil, err
		}
	}
	for _, key := range pressed {
		b.key(l, key, false)
	}
	return func() {
		for _, key := range pressed {
			b.key(l, key, true)
		}
		if locks != 0 || state.group != 0 {
			l.xkbLock(locks, locks, state.lockedGroup)
		}
	}, nil
}

// pressedModifiers are the keys of modifiers that are down now.
func (l *xConn) pressedModifiers() ([]xproto.Keycode, error) {
	down, err := xproto.QueryKeymap(l.x).Reply()
	if err != nil {
		return nil, err
	}
	var keys []xproto.Keycode
	for key := int(l.setup.MinKeycode); key <= int(l.setup.MaxKeycode); key++ {
		if kc := xproto.Keycode(key); down.Keys[key/8]&(1<<(key%8)) != 0 && l.keymap.isModifier(kc) {
			keys = append(keys, kc)
		}
	}
	return keys, nil
}

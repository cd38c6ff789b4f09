//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

type keyboard struct {
	*Driver
	// The fields below are guarded by inputMu.
	down   map[desktop.Key][]xproto.Keycode // the keys that KeyDown pressed
	ready  xproto.Window                    // the last window that waitUntilReady waited for
	behind bool                             // typing failed, and the application may not have read all of the text
}

// press presses a chord's modifiers and its key, and releases them in reverse. A character
// without modifiers is typed.
func (b *keyboard) press(ctx context.Context, l *xConn, a desktop.Press) error {
	c := a.Chord
	if err := input.Known(input.Keys(c)...); err != nil {
		return err
	}
	if a.Global != nil {
		if err := b.askGlobal(ctx, l, c, a.Global); err != nil || a.Ask {
			return err
		}
	}
	if text, ok := input.Types(c); ok {
		return b.enter(ctx, l, text)
	}
	if err := do(ctx, l, func() error { return l.takesShortcut(c.Key) }); err != nil {
		return err
	}
	keys, err := b.keysOf(ctx, l, input.Keys(c)...)
	if err != nil {
		return err
	}
	return b.once(ctx, l, func() error {
		return do(ctx, l, func() error { return b.chord(l, keys, isDigitOfPad(c.Key)) })
	})
}

// takesShortcut fails if the active window does not take a key of a shortcut that the layout
// lacks. Motif knows only the keys that had their meaning when it started, and takes others
// for control characters of a text.
func (l *xConn) takesShortcut(k desktop.Key) error {
	if !l.speaks(l.activeWindow(), "_MOTIF_WM_MESSAGES") {
		return nil
	}
	if _, err := l.learn(); err != nil {
		return err
	}
	if _, has := l.keymap.layout[symOf(k)]; has {
		return nil
	}
	return &desktop.MissingError{
		What: fmt.Sprintf("the keyboard layout has no key %q, and the active window is one of Motif, which takes shortcuts only by the keys that there were when it started", k),
		Mend: "setxkbmap us, and start the application again",
	}
}

// symOf returns the keysym of a key.
func symOf(k desktop.Key) uint32 {
	if n, named := input.NamedKeys[k]; named {
		return n.Sym
	}
	char, _ := input.Character(k)
	return input.SymOf(char)
}

// askGlobal finds out whether another program has grabbed a chord, by grabbing it: the server
// refuses a second grab.
func (b *keyboard) askGlobal(ctx context.Context, l *xConn, c desktop.Chord, taken *bool) error {
	keys, err := b.keysOf(ctx, l, input.Keys(c)...)
	if err != nil {
		return err
	}
	last := len(keys) - 1
	*taken, err = perform(ctx, l, func() (bool, error) {
		bits, err := l.modifierKeys()
		if err != nil {
			return false, err
		}
		var mods uint16
		for _, key := range keys[:last] {
			mods |= bits[key]
		}
		err = xproto.GrabKeyChecked(l.x, false, l.root, mods, keys[last], xproto.GrabModeAsync, xproto.GrabModeAsync).Check()
		if _, grabbed := errors.AsType[xproto.AccessError](err); grabbed {
			return true, nil
		}
		if err == nil {
			err = xproto.UngrabKeyChecked(l.x, keys[last], l.root, mods).Check()
		}
		return false, err
	})
	return err
}

// chord presses keys and releases them in reverse, without the modifiers that a person holds, and
// with NumLock switched on meanwhile if that is asked for.
func (b *keyboard) chord(l *xConn, keys []xproto.Keycode, numlock bool) error {
	state, err := l.xkbState()
	if err != nil {
		return err
	}
	again, err := b.lift(l, state, false)
	if err != nil {
		return err
	}
	defer l.x.Sync()
	defer again()
	if bit := l.keymap.numbit; numlock && state.locked&bit == 0 {
		l.xkbLock(bit, bit, state.lockedGroup)
		defer l.xkbLock(bit, 0, state.lockedGroup)
	}
	b.stroke(l, keys)
	return nil
}

// stroke presses keys and releases them in reverse.
func (b *keyboard) stroke(l *xConn, keys []xproto.Keycode) {
	for _, key := range keys {
		b.key(l, key, true)
	}
	for _, key := range slices.Backward(keys) {
		b.key(l, key, false)
	}
}

// isDigitOfPad reports whether a key of the number pad has another meaning without NumLock.
func isDigitOfPad(k desktop.Key) bool {
	sym := input.NamedKeys[k].Sym
	return sym >= 0xffb0 && sym <= 0xffb9 || sym == 0xffae
}

// setKey presses or releases a key. Pressing a key that is down does nothing.
func (b *keyboard) setKey(ctx context.Context, l *xConn, k desktop.Key, down bool) error {
	if err := input.Known(k); err != nil {
		return err
	}
	keys, held := b.down[k]
	if held && down {
		return nil
	}
	if !held {
		var err error
		if keys, err = b.keysOf(ctx, l, k); err != nil {
			return err
		}
	}
	if !down {
		delete(b.down, k)
		slices.Reverse(keys)
	}
	err := do(ctx, l, func() error {
		for _, key := range keys {
			b.key(l, key, down)
		}
		l.x.Sync()
		return nil
	})
	if down && err == nil {
		b.down[k] = keys
	}
	return err
}

// keysOf returns the keycodes to press, in order, for keys. Shift is among them if one of the
// keys is a character that needs it.
func (b *keyboard) keysOf(ctx context.Context, l *xConn, ks ...desktop.Key) ([]xproto.Keycode, error) {
	return perform(ctx, l, func() ([]xproto.Keycode, error) {
		if _, err := l.learn(); err != nil {
			return nil, err
		}
		var keys []xproto.Keycode
		for _, k := range ks {
			s, err := b.strokeOf(l, k)
			if err != nil {
				return nil, err
			}
			if s.shift && !isDigitOfPad(k) && !slices.Contains(keys, l.keymap.shift) {
				keys = append(keys, l.keymap.shift)
			}
			keys = append(keys, s.key)
		}
		return keys, nil
	})
}

// strokeOf returns how a key is pressed. A key that the layout lacks is bound to a spare
// keycode.
func (b *keyboard) strokeOf(l *xConn, k desktop.Key) (stroke, error) {
	sym := symOf(k)
	s, ok := l.keymap.find(sym)
	if !ok && sym == symLevel3 { // some layouts have only Alt there
		s, ok = l.keymap.find(symAltRight)
	}
	if ok {
		return s, nil
	}
	count, bind, wait := l.keymap.plan([]uint32{sym}, 1, time.Now())
	if count == 0 {
		return stroke{}, &desktop.MissingError{What: fmt.Sprintf("the keyboard layout has no key %q and none to spare for it", k), Mend: "setxkbmap us"}
	}
	time.Sleep(wait)
	if err := b.bind(l, bind); err != nil {
		return stroke{}, err
	}
	l.keymap.use(sym, time.Now())
	s, _ = l.keymap.find(sym)
	return s, nil
}

// key presses or releases one key, and notes that it is held and that the input is ours.
func (b *keyboard) key(l *xConn, key xproto.Keycode, down bool) {
	kind := byte(xproto.KeyRelease)
	if down {
		kind = xproto.KeyPress
		b.held.key(byte(key), true)
	}
	b.own.expect(kind, byte(key))
	xtest.FakeInput(l.x, kind, byte(key), 0, l.root, 0, 0, 0)
	if !down {
		b.held.key(byte(key), false)
	}
}

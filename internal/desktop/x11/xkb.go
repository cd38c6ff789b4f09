//go:build linux

package x11

import (
	"fmt"

	"github.com/jezek/xgb"
)

// Requests of the keyboard extension.
const (
	xkbUseExtension   = 0
	xkbSelectEvents   = 1
	xkbGetState       = 4
	xkbLatchLockState = 5
	xkbGetControls    = 6
	xkbSetControls    = 7
	xkbPerClientFlags = 21
	xkbCoreKeyboard   = 0x100
)

// modifiers is a set of the eight modifier bits of X.
type modifiers byte

const (
	modShift modifiers = 1 << iota
	modLock
	modControl
	mod1
	mod2
	mod3
	mod4
	mod5
)

// keyState is the state of a keyboard that affects the meaning of its keys.
type keyState struct {
	base, latched, locked modifiers // held, held for one key, switched on
	group, lockedGroup    byte      // which of several layouts
}

// keyboardExtension speaks XKEYBOARD, which xgb lacks.
type keyboardExtension struct {
	*server
	opcode byte
}

// useXKB enables the keyboard extension. From then on the server announces changes of the
// mapping by events of the extension.
func (l *keyboardExtension) useXKB() error {
	b := l.xkbRequest(xkbUseExtension, 8)
	xgb.Put16(b[4:], 1)
	if _, err := l.xkbAsk(b); err != nil {
		return err
	}
	const newKeyboard, newMap, all = 1 << 0, 1 << 1, 0xff
	b = l.xkbRequest(xkbSelectEvents, 16)
	xgb.Put16(b[4:], xkbCoreKeyboard)
	xgb.Put16(b[6:], newKeyboard|newMap)
	xgb.Put16(b[10:], newKeyboard|newMap)
	xgb.Put16(b[12:], all)
	xgb.Put16(b[14:], all)
	l.x.NewRequest(b, l.x.NewCookie(false, false))
	return nil
}

// xkbState reads the state of the keyboard.
func (l *keyboardExtension) xkbState() (keyState, error) {
	b := l.xkbRequest(xkbGetState, 8)
	xgb.Put16(b[4:], xkbCoreKeyboard)
	r, err := l.xkbAsk(b)
	if err != nil {
		return keyState{}, err
	}
	return keyState{
		base: modifiers(r[9]), latched: modifiers(r[10]), locked: modifiers(r[11]),
		group: r[12], lockedGroup: r[13],
	}, nil
}

// xkbLock switches the modifiers of a mask on or off, chooses a layout, and ends latches.
func (l *keyboardExtension) xkbLock(mask, on modifiers, group byte) {
	b := l.xkbRequest(xkbLatchLockState, 16)
	xgb.Put16(b[4:], xkbCoreKeyboard)
	b[6], b[7] = byte(mask), byte(on)
	b[8], b[9] = 1, group
	b[10], b[11] = 0xff, 0
	b[13] = 1
	l.x.NewRequest(b, l.x.NewCookie(false, false))
}

func (l *keyboardExtension) xkbRequest(minor byte, size int) []byte {
	b := make([]byte, size)
	b[0], b[1] = l.opcode, minor
	xgb.Put16(b[2:], uint16(size/4))
	return b
}

func (l *keyboardExtension) xkbAsk(b []byte) ([]byte, error) {
	cookie := l.x.NewCookie(true, true)
	l.x.NewRequest(b, cookie)
	r, err := cookie.Reply()
	if err == nil && len(r) < 32 {
		err = fmt.Errorf("the keyboard extension answered %d bytes", len(r))
	}
	return r, err
}

//go:build linux

package x11

import (
	"context"
	"errors"

	"github.com/jezek/xgb"
)

// once calls f, which sends keys, while keys do not repeat: the server repeats a key that is
// down for long, and on a busy machine a moment can be long.
//
// If we are killed meanwhile, the server makes keys repeat again by itself. To clients that
// ask by the core protocol it still says that they do not, until the next driver mends that.
func (b *keyboard) once(ctx context.Context, l *xConn, f func() error) error {
	if err := b.waitUntilReady(ctx, l); err != nil {
		return err
	}
	if b.behind {
		if _, err := l.waitUntilRead(ctx, readGrabWithin); err != nil {
			return err
		}
		b.behind = false
	}
	stopped, err := perform(ctx, l, func() (bool, error) { return b.stopRepeating(l) })
	if err != nil {
		return err
	}
	err = f()
	if !stopped || !l.alive() {
		return err
	}
	// Also if the context has ended, and however long that takes on a busy machine.
	after, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	return errors.Join(err, do(after, l, func() error { return b.repeatAgain(l) }))
}

// stopRepeating reports whether keys repeated until now.
func (b *keyboard) stopRepeating(l *xConn) (bool, error) {
	on, err := l.repeating()
	if err != nil || !on {
		return false, err
	}
	b.held.repeat(true)
	if err := l.repeatWhenGone(true); err != nil {
		return false, err
	}
	l.setRepeating(false)
	return true, nil
}

func (b *keyboard) repeatAgain(l *xConn) error {
	l.setRepeating(true)
	if err := l.repeatWhenGone(false); err != nil {
		return err
	}
	b.held.repeat(false)
	return nil
}

// repeatKeys is the keyboard control that makes keys repeat.
const repeatKeys = 1 << 0

func (l *keyboardExtension) repeating() (bool, error) {
	b := l.xkbRequest(xkbGetControls, 8)
	xgb.Put16(b[4:], xkbCoreKeyboard)
	r, err := l.xkbAsk(b)
	return err == nil && len(r) >= 60 && xgb.Get32(r[56:])&repeatKeys != 0, err
}

func (l *keyboardExtension) setRepeating(on bool) {
	b := l.xkbRequest(xkbSetControls, 100)
	xgb.Put16(b[4:], xkbCoreKeyboard)
	xgb.Put32(b[24:], repeatKeys)
	if on {
		xgb.Put32(b[28:], repeatKeys)
	}
	const enabled = 1 << 31
	xgb.Put32(b[32:], enabled)
	l.x.NewRequest(b, l.x.NewCookie(false, false))
}

// repeatWhenGone tells the server whether to make keys repeat when our connection ends, or
// to leave that as it is.
func (l *keyboardExtension) repeatWhenGone(yes bool) error {
	const autoReset = 1 << 2
	b := l.xkbRequest(xkbPerClientFlags, 28)
	xgb.Put16(b[4:], xkbCoreKeyboard)
	xgb.Put32(b[8:], autoReset)
	if yes {
		xgb.Put32(b[12:], autoReset)
		xgb.Put32(b[16:], repeatKeys)
		xgb.Put32(b[20:], repeatKeys)
		xgb.Put32(b[24:], repeatKeys)
	}
	_, err := l.xkbAsk(b)
	return err
}

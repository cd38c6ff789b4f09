//go:build linux

package x11

import (
	"context"
	"errors"

	"github.com/jezek/xgb"
)

// once runs f, which sends keys, during which no key repeats: the server repeats a key that is
// down for long, and on a busy machine a moment can last long.
//
// Should we be killed meanwhile, the server lets keys repeat again by itself.
// It then still tells those who ask in the old way that they do not, until
// the next robot mends that.
func (b *keyboard) once(ctx context.Context, l *xConn, f func() error) error {
	if err := b.waitUntilReady(ctx, l); err != nil {
		return err
	}
	if b.behind {
		if _, err := l.waitUntilRead(ctx, readHandfulWithin); err != nil {
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
	after, cancel := afterwards(ctx)
	defer cancel()
	_, failed := perform(after, l, func() (struct{}, error) { return struct{}{}, b.repeatAgain(l) })
	return errors.Join(err, failed)
}

// stopRepeating says whether keys repeated until now.
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

// repeatKeys is the control of a keyboard that makes keys repeat.
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

// repeatWhenGone says whether the server shall let keys repeat when our
// connection has ended, or leave that as it is.
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

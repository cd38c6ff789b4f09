//go:build linux

package x11

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/jezek/xgb/xproto"
	"github.com/jezek/xgb/xtest"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

// buffered is within what time clicks make a multiple click in every toolkit:
// 200 ms in Xt, 250 in xterm, 400 in GTK and Qt.
const together = 200 * time.Millisecond

// strokeGap is what is between the clicks of a multiple click. A browser takes
// two that come at one time for one.
const strokeGap = 8 * time.Millisecond

// RestBeforeClick waits until a click is taken for one of its own.
func (p *pointer) RestBeforeClick(ctx context.Context, c desktop.Click) error {
	return p.act(ctx, func(*xConn) error {
		return desktop.Sleep(ctx, p.presses.Rest(c))
	})
}

// click moves to the point and clicks, apart from the clicks before. It verifies
// the target right before, and when there is a window, that it stayed.
func (p *pointer) click(ctx context.Context, l *xConn, a desktop.Click) error {
	button, ok := buttons[a.Button]
	if !ok {
		return desktop.ErrNoButton(a.Button)
	}
	if err := desktop.Sleep(ctx, p.presses.Rest(a)); err != nil {
		return err
	}
	if err := p.move(ctx, l, a.At); err != nil {
		return err
	}
	err := p.press(ctx, l, a, button.number)
	if errors.Is(err, desktop.ErrMoved) { // nothing was pressed
		return err
	}
	p.presses.Add(a)
	if err != nil || a.In == nil {
		return err
	}
	return l.stayed(ctx, *a.In)
}

// press presses a button and releases it, once or several times, when the target
// is as it was seen. The server is told of everything at once, and keeps the time
// between the clicks itself, while it serves nobody else: neither a busy machine
// nor a window manager pulls them apart. Its clock, by which applications go too,
// says whether the server itself came too late.
func (p *pointer) press(ctx context.Context, l *xConn, a desktop.Click, button byte) error {
	count := max(a.Count, 1)
	l.ticks.clear()
	_, err := holding(ctx, l, func() (struct{}, error) {
		if err := l.verifyTarget(a); err != nil {
			return struct{}{}, err
		}
		p.held.button(button, true)
		return struct{}{}, l.raw.buffered(func() { p.strokes(l, button, count) })
	})
	if err != nil {
		return err
	}
	p.held.button(button, false)
	if err := l.released(ctx, button); err != nil || count == 1 {
		return err
	}
	took, err := l.ticks.between(ctx, l)
	if err == nil && took > together {
		err = fmt.Errorf("the %d clicks at %s came apart, there were %s between them: %w", count, a.At, took, desktop.ErrUnclear)
	}
	return err
}

// strokes tells the server of the clicks, and of several to note the time before
// the first press and before the last.
//
// A button goes up in the same moment in which it went down. GTK 4 asks the
// server, after it has laid out a window again, whether the button is down; and
// makes nothing of a click when it is up by then, while it has not read yet that
// it went up. What comes together it reads together, with no layout in between.
func (p *pointer) strokes(l *xConn, button byte, count int) {
	fake := func(kind byte, after time.Duration) {
		p.own.expect(kind, button)
		xtest.FakeInput(l.x, kind, button, uint32(after.Milliseconds()), l.root, 0, 0, 0)
	}
	for i := range count {
		var pause time.Duration
		if i > 0 {
			pause = strokeGap + p.gap
		}
		if i == 0 && count > 1 {
			l.ticks.ask(l)
		}
		fake(xproto.ButtonPress, pause)
		if i > 0 && i == count-1 {
			l.ticks.ask(l)
		}
		fake(xproto.ButtonRelease, 0)
	}
}

// stayed fails when a window is elsewhere after it was clicked.
func (l *xConn) stayed(ctx context.Context, w desktop.Window) error {
	now, err := ask(ctx, l, func() (seenWindow, error) { return l.describe([]uint32{uint32(w.ID)})[0], nil })
	if err != nil || !now.there {
		return err
	}
	return input.VerifyStayed(w, now.Window)
}

// ticks ask the server what time it has: it tells so of a property that changes.
type ticks struct {
	property atomic.Uint32 // the atom
	told     chan xproto.Timestamp
}

// ask asks for the time, among other requests that come before and after.
func (t *ticks) ask(l *xConn) {
	xproto.ChangeProperty(l.x, xproto.PropModeAppend, l.self, xproto.Atom(t.property.Load()), xproto.AtomInteger, 32, 0, nil)
}

// clear forgets what nobody waited for.
func (t *ticks) clear() {
	for {
		select {
		case <-t.told:
		default:
			return
		}
	}
}

// between is the time between what was asked twice.
func (t *ticks) between(ctx context.Context, l *xConn) (time.Duration, error) {
	var at [2]xproto.Timestamp
	for i := range at {
		select {
		case at[i] = <-t.told:
		case <-l.gone:
			return 0, lost(l.place.name, errEnded)
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	return time.Duration(at[1]-at[0]) * time.Millisecond, nil
}

// take takes a time that was asked for.
func (t *ticks) take(ev xproto.PropertyNotifyEvent) {
	if uint32(ev.Atom) != t.property.Load() {
		return
	}
	select {
	case t.told <- ev.Time:
	default: // nobody waited for the last ones
	}
}

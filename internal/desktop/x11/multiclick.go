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

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// together is the time within which clicks form a multiple click in every toolkit: 200 ms in
// Xt, 250 in xterm, 400 in GTK and Qt.
const together = 200 * time.Millisecond

// ClickRest returns how long to wait before a click of its own.
func (p *pointer) ClickRest(ctx context.Context, c desktop.Click) (rest time.Duration, err error) {
	err = p.act(ctx, func(*xConn) error {
		rest = p.presses.Rest(c)
		return nil
	})
	return rest, err
}

// click moves the pointer and clicks, as a click of its own. It verifies the target right
// before that, and afterwards that the window, if there is one, has not moved.
func (p *pointer) click(ctx context.Context, l *xConn, a desktop.Click) error {
	button, ok := buttons[a.Button]
	if !ok {
		return desktop.ErrNoButton(a.Button)
	}
	if err := p.presses.Wait(ctx, a); err != nil {
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
	now, err := ask(ctx, l, func() (seenWindow, error) { return l.describe([]uint32{uint32(a.In.ID)})[0], nil })
	if err != nil || !now.there {
		return err
	}
	return input.VerifyStayed(*a.In, now.Window)
}

// press presses and releases a button, once or several times, if the target is as it was
// seen. The server is sent everything at once, and keeps the time between the clicks itself
// while it is grabbed: neither a busy machine nor a window manager can pull them apart. Its
// clock, which applications go by too, tells whether the server itself was late.
func (p *pointer) press(ctx context.Context, l *xConn, a desktop.Click, button byte) error {
	count := max(a.Count, 1)
	l.ticks.clear()
	err := do(ctx, l, func() error {
		xproto.GrabServer(l.x) // so that nothing moves between the check and the click
		defer func() {
			xproto.UngrabServer(l.x)
			l.x.Sync()
		}()
		if err := l.verifyTarget(a); err != nil {
			return err
		}
		p.held.button(button, true)
		return l.raw.buffered(func() { p.strokes(l, button, count) })
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
		err = fmt.Errorf("the %d clicks at %s were too far apart: there were %s between them: %w", count, a.At, took, desktop.ErrUnclear)
	}
	return err
}

// strokes requests the clicks and, if there are several, the time of the server before the
// first press and before the last.
//
// A button is released in the same moment in which it is pressed. After laying out a window
// GTK 4 asks the server whether the button is down, and ignores the click if the button is up
// by then while GTK has not read the release yet. Events that arrive together it reads
// together, with no layout in between.
func (p *pointer) strokes(l *xConn, button byte, count int) {
	fake := func(kind byte, after time.Duration) {
		p.own.expect(kind, button)
		xtest.FakeInput(l.x, kind, button, uint32(after.Milliseconds()), l.root, 0, 0, 0)
	}
	for i := range count {
		var pause time.Duration
		if i > 0 {
			pause = input.StrokeGap + p.gap
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

// ticks asks for the time of the server, which comes with the change of a property.
type ticks struct {
	property atomic.Uint32 // the atom
	told     chan xproto.Timestamp
}

// ask requests the time, between the requests before and after it.
func (t *ticks) ask(l *xConn) {
	xproto.ChangeProperty(l.x, xproto.PropModeAppend, l.self, xproto.Atom(t.property.Load()), xproto.AtomInteger, 32, 0, nil)
}

// clear drops times that nobody waited for.
func (t *ticks) clear() {
	for len(t.told) > 0 {
		<-t.told
	}
}

// between returns the time between two requests for the time.
func (t *ticks) between(ctx context.Context, l *xConn) (time.Duration, error) {
	var at [2]xproto.Timestamp
	for i := range at {
		select {
		case at[i] = <-t.told:
		case <-l.gone:
			return 0, lost(l.address.name, errEnded)
		case <-ctx.Done():
			return 0, context.Cause(ctx)
		}
	}
	return time.Duration(at[1]-at[0]) * time.Millisecond, nil
}

// take receives a time.
func (t *ticks) take(ev xproto.PropertyNotifyEvent) {
	if uint32(ev.Atom) != t.property.Load() {
		return
	}
	select {
	case t.told <- ev.Time:
	default: // nobody waits
	}
}

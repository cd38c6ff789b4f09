//go:build linux

package x11

import (
	"cmp"
	"context"
	"time"

	"github.com/go-vgo/robotgo/x11"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// buttons are the numbers of mouse buttons in X and their names in robotgo.
var buttons = map[desktop.Button]struct {
	number byte
	name   string
}{
	desktop.Left: {1, "left"}, desktop.Middle: {2, "center"}, desktop.Right: {3, "right"},
}

// The wheel consists of buttons in X.
const (
	wheelUp byte = iota + 4
	wheelDown
	wheelLeft
	wheelRight
)

// pointer moves the mouse and presses its buttons.
type pointer struct {
	*Driver
	presses input.Presses // guarded by inputMu
	gap     time.Duration // set by tests: more time between the clicks of a multiple click
}

func (p *pointer) PointerPosition(ctx context.Context) (desktop.Point, error) {
	return query(ctx, p.Driver, (*xConn).pointer)
}

func (l *xConn) pointer() (desktop.Point, error) {
	p, err := xproto.QueryPointer(l.x, l.root).Reply()
	if err != nil {
		return desktop.Point{}, err
	}
	return pointed(p), nil
}

func (p *pointer) move(ctx context.Context, l *xConn, to desktop.Point) error {
	if screen, err := ask(ctx, l, l.size); err != nil {
		return err
	} else if !screen.Contains(to) {
		return desktop.ErrOffScreen(to, screen)
	}
	p.own.expectMove(to)
	move := func() error {
		return p.robotgo(ctx, l, func() error {
			x11.Move(to.X, to.Y)
			return nil
		})
	}
	if len(p.held.input().buttons) == 0 {
		return move()
	}
	from, err := ask(ctx, l, l.pointer)
	if err != nil {
		return err
	}
	if err := move(); err != nil {
		return err
	}
	return l.left(ctx, from, to)
}

// buttonDown presses a mouse button, as a click of its own unless it follows one.
func (p *pointer) buttonDown(ctx context.Context, l *xConn, a desktop.ButtonDown) error {
	at, err := ask(ctx, l, l.pointer)
	if err != nil {
		return err
	}
	return p.presses.Press(ctx, at, a, func() error { return p.button(ctx, l, a.Button, true) })
}

func (p *pointer) buttonUp(ctx context.Context, l *xConn, b desktop.Button) error {
	defer p.presses.LetGo(b)
	return p.button(ctx, l, b, false)
}

func (p *pointer) button(ctx context.Context, l *xConn, b desktop.Button, down bool) error {
	button, ok := buttons[b]
	if !ok {
		return desktop.ErrNoButton(b)
	}
	kind, direction := byte(xproto.ButtonRelease), "up"
	if down {
		kind, direction = xproto.ButtonPress, "down"
		p.held.button(button.number, true)
	}
	p.own.expect(kind, button.number)
	err := p.robotgo(ctx, l, func() error { return x11.Toggle(button.name, direction) })
	if down || err != nil {
		return err
	}
	p.held.button(button.number, false)
	return l.released(ctx, button.number)
}

// wheelPause is the time between two notches of the wheel. Chromium often takes only the first of
// those that come at once.
const wheelPause = 10 * time.Millisecond

// scroll turns the wheel under the pointer: dx notches to the right, dy down.
func (p *pointer) scroll(ctx context.Context, l *xConn, dx, dy int) error {
	for {
		x, y := cmp.Compare(dx, 0), cmp.Compare(dy, 0)
		p.expectWheel(y, wheelUp, wheelDown)
		p.expectWheel(x, wheelLeft, wheelRight)
		err := p.robotgo(ctx, l, func() error {
			x11.Scroll(-x, -y, 0) // robotgo counts up and left
			return nil
		})
		if dx, dy = dx-x, dy-y; err != nil || dx == 0 && dy == 0 {
			return err
		}
		if err := desktop.Sleep(ctx, wheelPause); err != nil {
			return err
		}
	}
}

// expectWheel expects a notch back or forth, or none.
func (p *pointer) expectWheel(n int, back, forth byte) {
	if n == 0 {
		return
	}
	b := forth
	if n < 0 {
		b = back
	}
	p.own.expect(xproto.ButtonPress, b)
	p.own.expect(xproto.ButtonRelease, b)
}

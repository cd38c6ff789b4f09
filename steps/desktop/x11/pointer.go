//go:build linux

package x11

import (
	"context"
	"fmt"

	"github.com/go-vgo/robotgo/x11"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

// buttons are the numbers of the mouse buttons in X, and robotgo's names.
var buttons = map[desktop.Button]struct {
	number byte
	name   string
}{
	desktop.Left: {1, "left"}, desktop.Middle: {2, "center"}, desktop.Right: {3, "right"},
}

// The buttons that X uses for the wheel.
const (
	wheelUp byte = iota + 4
	wheelDown
	wheelLeft
	wheelRight
)

// PointerPosition is where the pointer is.
func (r *Robot) PointerPosition(ctx context.Context) (desktop.Point, error) {
	return look(ctx, r, func(l *link) (desktop.Point, error) { return ask(ctx, l, l.pointer) })
}

func (l *link) pointer() (desktop.Point, error) {
	p, err := xproto.QueryPointer(l.x, l.root).Reply()
	if err != nil {
		return desktop.Point{}, err
	}
	return pointed(p), nil
}

// MovePointer moves the pointer to a point of the screen.
func (r *Robot) MovePointer(ctx context.Context, to desktop.Point) error {
	return r.act(ctx, func(l *link) error { return r.move(ctx, l, to) })
}

func (r *Robot) move(ctx context.Context, l *link, to desktop.Point) error {
	if screen, err := ask(ctx, l, l.size); err != nil {
		return err
	} else if !screen.Contains(to) {
		return fmt.Errorf("the point %s is not on the screen, which is %s", to, screen)
	}
	r.own.expectMove(to)
	move := func() error {
		return r.robotgo(ctx, l, func() error {
			x11.Move(to.X, to.Y)
			return nil
		})
	}
	if len(r.held.grip().buttons) == 0 {
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

// ButtonDown presses a mouse button, apart from the clicks before, and keeps it
// down until ButtonUp or ReleaseAll.
func (r *Robot) ButtonDown(ctx context.Context, b desktop.Button) error {
	return r.act(ctx, func(l *link) error {
		at, err := ask(ctx, l, l.pointer)
		if err != nil {
			return err
		}
		c := input.Click{At: at, Button: b}
		if err := desktop.Sleep(ctx, r.pressed.Rest(c, 1)); err != nil {
			return err
		}
		defer r.pressed.Add(c, 1)
		return r.button(ctx, l, b, true)
	})
}

// ButtonUp releases a mouse button.
func (r *Robot) ButtonUp(ctx context.Context, b desktop.Button) error {
	return r.act(ctx, func(l *link) error {
		defer r.pressed.LetGo(b)
		return r.button(ctx, l, b, false)
	})
}

func (r *Robot) button(ctx context.Context, l *link, b desktop.Button, down bool) error {
	button, ok := buttons[b]
	if !ok {
		return errNoButton(b)
	}
	kind, direction := byte(xproto.ButtonRelease), "up"
	if down {
		kind, direction = xproto.ButtonPress, "down"
		r.held.button(button.number, true)
	}
	r.own.expect(kind, button.number)
	err := r.robotgo(ctx, l, func() error { return x11.Toggle(button.name, direction) })
	if down || err != nil {
		return err
	}
	r.held.button(button.number, false)
	return l.released(ctx, button.number)
}

func errNoButton(b desktop.Button) error {
	return fmt.Errorf("there is no mouse button %q: wanted left, middle or right", b)
}

// Click moves to the point and clicks, quickly enough to count as one
// multiple click.
func (r *Robot) Click(ctx context.Context, at desktop.Point, b desktop.Button, count int) error {
	return r.clicks(ctx, input.Click{At: at, Button: b}, count, func(l *link) error {
		_, err := l.pointerAt(at)
		return err
	}, func(*link) error { return nil })
}

// Scroll turns the wheel where the pointer is: dx to the right, dy down.
func (r *Robot) Scroll(ctx context.Context, dx, dy int) error {
	return r.act(ctx, func(l *link) error {
		r.expectWheel(dy, wheelUp, wheelDown)
		r.expectWheel(dx, wheelLeft, wheelRight)
		return r.robotgo(ctx, l, func() error {
			x11.Scroll(-dx, -dy, 0) // robotgo counts up and left
			return nil
		})
	})
}

func (r *Robot) expectWheel(n int, back, forth byte) {
	b := forth
	if n < 0 {
		b, n = back, -n
	}
	for range n {
		r.own.expect(xproto.ButtonPress, b)
		r.own.expect(xproto.ButtonRelease, b)
	}
}

// afterwards is a context for letting go after the caller's has ended. What is
// held has to be let go of, also when that takes a busy machine long.
func afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), patience)
}

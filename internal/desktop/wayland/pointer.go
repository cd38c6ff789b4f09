//go:build linux

package wayland

import (
	"context"
	"errors"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// buttons are the codes of mouse buttons in the kernel.
var buttons = map[desktop.Button]uint32{desktop.Left: 0x110, desktop.Right: 0x111, desktop.Middle: 0x112}

// A mouse moves the pointer, presses its buttons and turns its wheel. The compositor may not
// have handled that when the methods return.
type mouse interface {
	position(ctx context.Context) (desktop.Point, error)
	// move moves the pointer to a point of the screen; all is the whole screen.
	move(ctx context.Context, to desktop.Point, all desktop.Rect) error
	button(code uint32, down bool) error
	// turn turns the wheel by one notch.
	turn(axis uint32, step int) error
}

// The axes of a wheel.
const (
	vertical   = 0
	horizontal = 1
)

// pointer is a virtual mouse. It exists as long as the connection: otherwise a headless
// compositor would have no pointer at all. Its fields are guarded by inputMu.
type pointer struct {
	*Driver
	mouse   mouse
	missing error // why there is no mouse
	presses input.Presses
	held    map[desktop.Button]bool
}

// PointerPosition returns the position of the pointer.
func (p *pointer) PointerPosition(ctx context.Context) (at desktop.Point, err error) {
	err = p.act(ctx, func() error {
		at, err = p.position(ctx)
		return err
	})
	return at, err
}

func (p *pointer) position(ctx context.Context) (desktop.Point, error) {
	if p.missing != nil {
		return desktop.Point{}, p.missing
	}
	return p.mouse.position(ctx)
}

func (p *pointer) move(ctx context.Context, to desktop.Point) error {
	if p.missing != nil {
		return p.missing
	}
	monitors, err := p.place.outputs(ctx)
	if err != nil {
		return err
	}
	all := desktop.ScreenOf(monitors)
	if !all.Contains(to) {
		return desktop.ErrOffScreen(to, all)
	}
	if err := p.mouse.move(ctx, to, all); err != nil {
		return err
	}
	return p.sync(ctx)
}

func (p *pointer) button(b desktop.Button, down bool) error {
	code, ok := buttons[b]
	if !ok {
		return desktop.ErrNoButton(b)
	}
	if p.missing != nil {
		return p.missing
	}
	p.held[b] = down
	return p.mouse.button(code, down)
}

// buttonDown presses a mouse button, as a click of its own unless it follows one.
func (p *pointer) buttonDown(ctx context.Context, a desktop.ButtonDown) error {
	at, err := p.position(ctx)
	if err != nil {
		return err
	}
	return p.presses.Press(ctx, at, a, func() error { return p.button(a.Button, true) })
}

func (p *pointer) buttonUp(b desktop.Button) error {
	defer p.presses.LetGo(b)
	return p.button(b, false)
}

// ClickRest returns how long to wait before a click of its own.
func (p *pointer) ClickRest(ctx context.Context, c desktop.Click) (rest time.Duration, err error) {
	err = p.act(ctx, func() error {
		rest = p.presses.Rest(c)
		return nil
	})
	return rest, err
}

// click moves the pointer and clicks, as a click of its own. It reads the windows right before
// the first press and after the last.
func (p *pointer) click(ctx context.Context, a desktop.Click) error {
	if err := p.presses.Wait(ctx, a); err != nil {
		return err
	}
	if err := p.move(ctx, a.At); err != nil {
		return err
	}
	if err := p.verifyTarget(ctx, a); err != nil {
		return err
	}
	defer p.presses.Add(a)
	for i := range max(1, a.Count) {
		if i > 0 {
			if err := desktop.Sleep(ctx, input.StrokeGap); err != nil {
				return errors.Join(err, desktop.ErrUnclear)
			}
		}
		if err := errors.Join(p.button(a.Button, true), p.button(a.Button, false)); err != nil {
			return err
		}
	}
	if err := p.sync(ctx); err != nil || a.In == nil {
		return err
	}
	now, err := p.window(ctx, a.In.ID)
	if err != nil {
		return nil // the click closed it
	}
	return input.VerifyStayed(*a.In, now)
}

// verifyTarget fails with desktop.ErrMoved unless the window of a click is where it was seen,
// and topmost at the point.
func (p *pointer) verifyTarget(ctx context.Context, a desktop.Click) error {
	if a.In == nil {
		return nil
	}
	all, err := p.place.windows(ctx)
	if err != nil {
		return err
	}
	now, top := desktop.Windows(all).ByID(a.In.ID), desktop.WindowID(0)
	if w := desktop.Windows(all).PressedAt(a.At); w != nil {
		top = w.ID
	}
	if p.pressedAt != nil {
		if top, err = p.pressedAt(ctx, a.At); err != nil {
			return err
		}
	}
	return input.VerifyTarget(a, now, top == a.In.ID)
}

// scroll turns the wheel under the pointer: dx notches to the right, dy down.
func (p *pointer) scroll(dx, dy int) error {
	if p.missing != nil {
		return p.missing
	}
	for axis, n := range map[uint32]int{vertical: dy, horizontal: dx} {
		step := 1
		if n < 0 {
			step, n = -1, -n
		}
		for range n {
			if err := p.mouse.turn(axis, step); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pointer) release() {
	_ = input.LetGo(p.held, func(b desktop.Button) error { return p.button(b, false) }) // each could be pressed
}

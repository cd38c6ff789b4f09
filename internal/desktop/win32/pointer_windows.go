package win32

import (
	"context"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// pressTime is how long a click holds the button.
const pressTime = 8 * time.Millisecond

// button tells how SendInput presses a button, and lets it go.
type button struct{ down, up, data uint32 }

var buttons = map[desktop.Button]button{
	desktop.Left: {0x2, 0x4, 0}, desktop.Right: {0x8, 0x10, 0}, desktop.Middle: {0x20, 0x40, 0},
}

// PointerPosition returns where the pointer is.
func (d *Driver) PointerPosition(context.Context) (desktop.Point, error) {
	var p struct{ x, y int32 }
	if user("GetCursorPos", at(&p)) == 0 {
		return desktop.Point{}, &desktop.MissingError{What: "the position of the pointer cannot be read while the screen is locked"}
	}
	return desktop.Point{X: int(p.x), Y: int(p.y)}, nil
}

// move moves the pointer.
func (d *Driver) move(to desktop.Point) error {
	screen := virtualScreen()
	if !screen.Contains(to) {
		return desktop.ErrOffScreen(to, screen)
	}
	const steps = 1 << 16 // of the whole screen, counted so that no pixel is lost
	up := func(v, size int) int32 { return int32((v*steps + size - 1) / size) }
	err := send(mouseEvent{flags: mouseMoved | mouseAbsolute | mouseVirtualDesk, dx: up(to.X-screen.X, screen.W), dy: up(to.Y-screen.Y, screen.H)}.event())
	if is, _ := d.PointerPosition(context.Background()); err == nil && is != to {
		user("SetCursorPos", uintptr(to.X), uintptr(to.Y))
	}
	return err
}

func (d *Driver) button(b desktop.Button, down bool) error {
	how, ok := buttons[b]
	if !ok {
		return desktop.ErrNoButton(b)
	}
	flags := how.up
	if down {
		flags = how.down
	}
	d.buttons[b] = down
	return send(mouseEvent{flags: flags, data: how.data}.event())
}

// buttonDown presses a button, as a click of its own unless it follows one.
func (d *Driver) buttonDown(ctx context.Context, a desktop.ButtonDown) error {
	where, err := d.PointerPosition(ctx)
	if err != nil {
		return err
	}
	return d.presses.Press(ctx, where, a, func() error { return d.button(a.Button, true) })
}

// ClickRest returns how long to wait before a click of its own.
func (d *Driver) ClickRest(ctx context.Context, c desktop.Click) (rest time.Duration, err error) {
	err = d.inputMu.Do(ctx, func() error {
		rest = d.presses.Rest(c)
		return nil
	})
	return rest, err
}

// click moves the pointer and clicks, as a click of its own. A button that is down goes up
// even if the context ends.
func (d *Driver) click(ctx context.Context, a desktop.Click) error {
	if err := d.presses.Wait(ctx, a); err != nil {
		return err
	}
	if err := d.move(a.At); err != nil {
		return err
	}
	if a.In != nil {
		if err := verifyTarget(a); err != nil {
			return err
		}
	}
	defer d.presses.Add(a)
	for i := range max(a.Count, 1) {
		if i > 0 {
			time.Sleep(input.StrokeGap)
		}
		if err := d.button(a.Button, true); err != nil {
			return err
		}
		time.Sleep(pressTime)
		if err := d.button(a.Button, false); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return stayed(a)
}

// verifyTarget fails with desktop.ErrMoved unless the window of a click is where it was seen,
// and topmost at the point.
func verifyTarget(a desktop.Click) error {
	h := uintptr(a.In.ID)
	now, there := describe(h)
	if !there {
		return input.VerifyTarget(a, nil, false)
	}
	return input.VerifyTarget(a, &now, windowAt(a.At) == h)
}

func stayed(a desktop.Click) error {
	if a.In == nil {
		return nil
	}
	now, there := describe(uintptr(a.In.ID))
	if !there {
		return nil // the click closed it
	}
	return input.VerifyStayed(*a.In, now)
}

// windowAt returns the top-level window that a press at a point reaches.
func windowAt(p desktop.Point) uintptr {
	const rootOf = 2 // GA_ROOT
	return user("GetAncestor", user("WindowFromPoint", uintptr(uint32(int32(p.X)))|uintptr(uint32(int32(p.Y)))<<32), rootOf)
}

// scroll turns the wheel.
func scroll(a desktop.Scroll) error {
	var events []injected
	if a.DY != 0 {
		events = append(events, mouseEvent{flags: mouseWheel, data: uint32(int32(-a.DY * wheelNotch))}.event())
	}
	if a.DX != 0 {
		events = append(events, mouseEvent{flags: mouseHorizontal, data: uint32(int32(a.DX * wheelNotch))}.event())
	}
	return send(events...)
}

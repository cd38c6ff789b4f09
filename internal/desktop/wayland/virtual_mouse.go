//go:build linux

package wayland

import (
	"context"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// began is the start of the clock of our devices.
var began = time.Now()

func clock() uint32 { return uint32(time.Since(began).Milliseconds()) + 1 }

// virtualMouse is the mouse of the virtual pointer protocol.
type virtualMouse struct {
	*Driver
	device wire.VirtualPointer
	at     desktop.Point
	known  bool // the pointer is there, unless something else has moved it
}

func newVirtualMouse(d *Driver, seat wire.Seat) (mouse, error) {
	m, err := wire.BindVirtualPointerManager(d.conn, 0)
	if err != nil {
		return nil, err
	}
	return &virtualMouse{Driver: d, device: m.CreateVirtualPointer(seat)}, nil
}

// position returns where we have moved the pointer, if only we move it. Otherwise it asks the
// compositor.
func (v *virtualMouse) position(ctx context.Context) (desktop.Point, error) {
	if v.pointers != nil && v.known {
		if n, err := v.pointers(ctx); err != nil || n == 1 {
			return v.at, err
		}
	}
	if v.layers.missing != nil {
		return desktop.Point{}, v.layers.missing
	}
	return v.layers.askPointer(ctx, func() {
		v.device.Motion(clock(), 0, 0) // so that the compositor checks what is under the pointer
		v.device.Frame()
	})
}

// move moves the pointer to the middle of a pixel.
func (v *virtualMouse) move(_ context.Context, to desktop.Point, all desktop.Rect) error {
	v.device.MotionAbsolute(clock(), uint32(2*(to.X-all.X)+1), uint32(2*(to.Y-all.Y)+1), uint32(2*all.W), uint32(2*all.H))
	v.device.Frame()
	v.at, v.known = to, true
	return nil
}

func (v *virtualMouse) button(code uint32, down bool) error {
	v.device.Button(clock(), code, stateOf(down))
	v.device.Frame()
	return nil
}

func (v *virtualMouse) turn(axis uint32, step int) error {
	const wheel, notch = 0, 15
	v.device.AxisSource(wheel)
	v.device.AxisDiscrete(clock(), axis, float64(step*notch), int32(step))
	v.device.Frame()
	return nil
}

// stateOf returns the number by which protocols say that something is down or up.
func stateOf(down bool) uint32 {
	if down {
		return 1
	}
	return 0
}

//go:build linux

package wayland

import (
	"context"
	"fmt"
	"image"
	"math"
	"slices"

	"understudy/internal/desktop"
	"understudy/internal/desktop/wayland/wire"
)

// layerShell shows pictures above outputs by the layer shell protocol.
type layerShell struct {
	*Driver
	seat       wire.Seat
	compositor wire.Compositor
	shell      wire.LayerShell
	shm        wire.Shm
}

func newLayerShell(d *Driver, seat wire.Seat) (*layerShell, error) {
	shell, err := wire.BindLayerShell(d.conn, 0)
	if err != nil {
		return nil, err
	}
	compositor, err := wire.BindCompositor(d.conn, 0)
	if err != nil {
		return nil, err
	}
	shm, err := wire.BindShm(d.conn, 0)
	return &layerShell{d, seat, compositor, shell, shm}, err
}

// outputLayer is one picture on one output.
type outputLayer struct {
	surface wire.Surface
	role    wire.LayerSurface
	buffer  *buffer
}

func (y *outputLayer) close() {
	y.role.Destroy()
	y.surface.Destroy()
	y.buffer.close()
}

// show shows a picture above an output, at a point of it. Clicks go through it unless it takes
// them.
func (l *layerShell) show(ctx context.Context, o wire.Output, at image.Point, picture *image.RGBA, takesClicks bool) (*outputLayer, error) {
	const overlay, topLeft, everywhere = 3, 1 | 4, -1
	size := picture.Rect.Size()
	b, err := newBuffer(l.shm, size.X, size.Y, 4*size.X, argb8888)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(b.pixels); i += 4 {
		p := picture.Pix[picture.PixOffset(i/4%size.X, i/4/size.X):]
		b.pixels[i], b.pixels[i+1], b.pixels[i+2], b.pixels[i+3] = p[2], p[1], p[0], p[3]
	}
	y := &outputLayer{surface: l.compositor.CreateSurface(), buffer: b}
	configured, configure := newSignal()
	// KWin moves the keyboard focus on a click unless the surface is a dock.
	y.role = l.shell.GetLayerSurface(y.surface, o, overlay, "dock", wire.LayerSurfaceEvents{Configure: func(serial, _, _ uint32) {
		y.role.AckConfigure(serial)
		configure()
	}})
	y.role.SetSize(uint32(size.X), uint32(size.Y))
	y.role.SetAnchor(topLeft)
	y.role.SetExclusiveZone(everywhere)
	y.role.SetMargin(int32(at.Y), 0, 0, int32(at.X))
	if !takesClicks {
		nothing := l.compositor.CreateRegion()
		y.surface.SetInputRegion(nothing)
		nothing.Destroy()
	}
	y.surface.Commit()
	if err := l.conn.Await(ctx, configured); err != nil {
		y.close()
		return nil, err
	}
	y.surface.Attach(b.Buffer, 0, 0)
	y.surface.DamageBuffer(0, 0, math.MaxInt32, math.MaxInt32)
	y.surface.Commit()
	return y, nil
}

func (l *layerShell) lay(ctx context.Context, on, at desktop.Point, picture *image.RGBA, takesClicks bool) (y layer, err error) {
	monitors, err := l.place.outputs(ctx)
	if err != nil {
		return nil, err
	}
	i := slices.IndexFunc(monitors, func(m desktop.Monitor) bool { return m.Bounds.Contains(on) })
	if i < 0 {
		return nil, desktop.ErrOffScreen(on, desktop.ScreenOf(monitors))
	}
	m := monitors[i]
	err = l.withOutputs(ctx, func(outputs map[string]output) error {
		y, err = l.show(ctx, outputs[m.Name].Output, image.Pt(at.X-m.Bounds.X, at.Y-m.Bounds.Y), picture, takesClicks)
		return err
	})
	return y, err
}

// askPointer finds the pointer: for a moment it covers each output with an invisible layer, of
// which the one under the pointer is notified.
func (l *layerShell) askPointer(ctx context.Context, nudge func()) (at desktop.Point, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("the compositor did not report where the pointer is: %w", desktop.ErrUnresponsive))
	defer cancel()
	monitors, err := l.place.outputs(ctx)
	if err != nil {
		return at, err
	}
	entered, enter := newSignal()
	var in uint32
	var x, y float64
	mouse := l.seat.GetPointer(wire.PointerEvents{Enter: func(_ uint32, s wire.Surface, surfaceX, surfaceY float64) {
		in, x, y = s.ID(), surfaceX, surfaceY
		enter()
	}})
	defer mouse.Release()
	corners := map[uint32]desktop.Rect{}
	err = l.withOutputs(ctx, func(outputs map[string]output) error {
		for _, m := range monitors {
			cover, err := l.show(ctx, outputs[m.Name].Output, image.Point{}, image.NewRGBA(image.Rect(0, 0, m.Bounds.W, m.Bounds.H)), true)
			if err != nil {
				return err
			}
			defer cover.close()
			corners[cover.surface.ID()] = m.Bounds
		}
		if err := l.conn.Sync(ctx); err != nil {
			return err
		}
		nudge()
		return l.conn.Await(ctx, entered)
	})
	if err == nil {
		err = l.conn.Sync(ctx) // the layers are gone
		nudge()                // so that the window below has the pointer again, for the press that may follow
	}
	c := corners[in]
	return desktop.Point{X: c.X + int(math.Floor(x)), Y: c.Y + int(math.Floor(y))}, err
}

//go:build linux

package wayland

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"maps"
	"math"
	"slices"
	"sync"
	"time"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"understudy/steps/desktop"
	"understudy/steps/desktop/wayland/wire"
)

// layers are what we draw above all windows, which no list of windows has.
type layers struct {
	*Driver
	seat       wire.Seat
	compositor wire.Compositor
	shell      wire.LayerShell
	missing    error

	mu    sync.Mutex // guards the fields below
	marks map[*mark]bool
	shown *layer // the panel
}

func (l *layers) open() {
	l.marks = map[*mark]bool{}
	if l.compositor, l.missing = wire.BindCompositor(l.conn, 0); l.missing == nil {
		l.shell, l.missing = wire.BindLayerShell(l.conn, 0)
	}
}

// A layer is one picture on one output.
type layer struct {
	surface wire.Surface
	role    wire.LayerSurface
	buffer  *buffer
}

func (y *layer) close() {
	y.role.Destroy()
	y.surface.Destroy()
	y.buffer.close()
}

// show lays a picture over an output, at a point of it. Clicks go through it
// unless it takes them.
func (l *layers) show(ctx context.Context, o wire.Output, at image.Point, picture *image.RGBA, takesClicks bool) (*layer, error) {
	const overlay, topLeft, everywhere = 3, 1 | 4, -1
	size := picture.Rect.Size()
	b, err := newBuffer(l.screen.shm, size.X, size.Y, 4*size.X, argb8888)
	if err != nil {
		return nil, err
	}
	for i := 0; i < len(b.pixels); i += 4 {
		p := picture.Pix[picture.PixOffset(i/4%size.X, i/4/size.X):]
		b.pixels[i], b.pixels[i+1], b.pixels[i+2], b.pixels[i+3] = p[2], p[1], p[0], p[3]
	}
	y := &layer{surface: l.compositor.CreateSurface(), buffer: b}
	configured := make(chan struct{})
	once := sync.OnceFunc(func() { close(configured) })
	y.role = l.shell.GetLayerSurface(y.surface, o, overlay, "understudy", wire.LayerSurfaceEvents{Configure: func(serial, _, _ uint32) {
		y.role.AckConfigure(serial)
		once()
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

// on calls f with the output that a point is on, and where that is.
func (l *layers) on(ctx context.Context, at desktop.Point, f func(o wire.Output, m desktop.Monitor) error) error {
	if l.missing != nil {
		return l.missing
	}
	monitors, err := l.place.outputs(ctx)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(monitors, func(m desktop.Monitor) bool { return m.Bounds.Contains(at) })
	if i < 0 {
		return fmt.Errorf("the point %s is not on the screen, which is %s", at, around(monitors))
	}
	return l.withOutputs(ctx, func(outputs map[string]wire.Output) error { return f(outputs[monitors[i].Name], monitors[i]) })
}

// mark is one frame.
type mark struct {
	*layer
	timer *time.Timer
}

// mark draws a frame around an area, with a label above it, for a while, or
// until unmarkAll when the time is zero. It returns at once.
func (l *layers) mark(ctx context.Context, a desktop.Mark) error {
	if a.Area.Empty() {
		return fmt.Errorf("there is nothing to mark: the area %s is empty", a.Area)
	}
	return l.on(ctx, a.Area.Center(), func(o wire.Output, m desktop.Monitor) error {
		frame, at := drawMark(a)
		y, err := l.show(ctx, o, at.Sub(m.Bounds.Image().Min), frame, false)
		if err != nil {
			return err
		}
		l.mu.Lock()
		defer l.mu.Unlock()
		one := &mark{layer: y}
		l.marks[one] = true
		if a.For > 0 {
			one.timer = time.AfterFunc(a.For, func() { l.unmark(one) })
		}
		return nil
	})
}

var (
	markColour  = color.RGBA{R: 0xe5, G: 0x39, B: 0x35, A: 0xff} // a red that stands out on light and dark
	labelColour = color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// drawMark draws a frame and its label, and says where it goes.
func drawMark(a desktop.Mark) (*image.RGBA, image.Point) {
	const width, labelHeight, rise, pad, longest = 3, 17, 4, 4, 80
	around := a.Area.Image().Inset(-width)
	above := 0
	label := a.Label[:min(len(a.Label), longest)]
	if label != "" {
		above = labelHeight
	}
	size := around.Size().Add(image.Pt(0, above))
	size.X = max(size.X, len(label)*basicfont.Face7x13.Advance+2*pad)
	picture := image.NewRGBA(image.Rectangle{Max: size})
	frame := image.Rectangle{Min: image.Pt(0, above), Max: image.Pt(around.Dx(), size.Y)}
	draw.Draw(picture, frame, image.NewUniform(markColour), image.Point{}, draw.Src)
	draw.Draw(picture, frame.Inset(width), image.Transparent, image.Point{}, draw.Src)
	if label != "" {
		draw.Draw(picture, image.Rect(0, 0, len(label)*basicfont.Face7x13.Advance+2*pad, above), image.NewUniform(markColour), image.Point{}, draw.Src)
		d := font.Drawer{Dst: picture, Src: image.NewUniform(labelColour), Face: basicfont.Face7x13, Dot: fixed.P(pad, above-rise)}
		d.DrawString(label)
	}
	return picture, around.Min.Sub(image.Pt(0, above))
}

func (l *layers) unmark(one *mark) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.marks[one] {
		delete(l.marks, one)
		one.close()
	}
}

func (l *layers) unmarkAll(ctx context.Context) error {
	l.mu.Lock()
	all := slices.Collect(maps.Keys(l.marks))
	l.mu.Unlock()
	for _, one := range all {
		if one.timer != nil {
			one.timer.Stop()
		}
		l.unmark(one)
	}
	return l.conn.Sync(ctx)
}

// panel shows a picture that takes clicks, in the place of the one before.
func (l *layers) panel(ctx context.Context, a desktop.Panel) error {
	var next *layer
	if a.Picture != nil {
		err := l.on(ctx, a.At, func(o wire.Output, m desktop.Monitor) (err error) {
			next, err = l.show(ctx, o, image.Pt(a.At.X, a.At.Y).Sub(m.Bounds.Image().Min), a.Picture, true)
			return err
		})
		if err != nil {
			return err
		}
	}
	l.mu.Lock()
	before := l.shown
	l.shown = next
	l.mu.Unlock()
	if before != nil {
		before.close()
	}
	return l.conn.Sync(ctx)
}

// askPointer finds the pointer: for a moment an invisible layer covers each
// output, and hears of the pointer that is over it.
func (l *layers) askPointer(ctx context.Context, nudge func()) (at desktop.Point, err error) {
	if l.missing != nil {
		return at, l.missing
	}
	ctx, cancel := context.WithTimeoutCause(ctx, settle, fmt.Errorf("the compositor did not tell where the pointer is: %w", desktop.ErrUnresponsive))
	defer cancel()
	monitors, err := l.place.outputs(ctx)
	if err != nil {
		return at, err
	}
	entered := make(chan struct{})
	once := sync.OnceFunc(func() { close(entered) })
	var in uint32
	var x, y float64
	mouse := l.seat.GetPointer(wire.PointerEvents{Enter: func(_ uint32, s wire.Surface, surfaceX, surfaceY float64) {
		in, x, y = s.ID(), surfaceX, surfaceY
		once()
	}})
	defer mouse.Release()
	corners := map[uint32]desktop.Rect{}
	err = l.withOutputs(ctx, func(outputs map[string]wire.Output) error {
		for _, m := range monitors {
			cover, err := l.show(ctx, outputs[m.Name], image.Point{}, image.NewRGBA(image.Rect(0, 0, m.Bounds.W, m.Bounds.H)), true)
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
	c := corners[in]
	return desktop.Point{X: c.X + int(math.Floor(x)), Y: c.Y + int(math.Floor(y))}, err
}

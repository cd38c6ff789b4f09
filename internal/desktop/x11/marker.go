//go:build linux

package x11

import (
	"context"

	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// mark shows the frame and the label of a mark. Clicks go through.
func (d *Driver) mark(ctx context.Context, a desktop.Mark) error {
	l, err := d.live(ctx)
	if err != nil {
		return err
	}
	if !l.has["SHAPE"] {
		return &desktop.MissingError{What: "the display " + l.address.name + " lacks the SHAPE extension, so a mark would catch clicks"}
	}
	screen, err := ask(ctx, l, l.size)
	if err != nil {
		return err
	}
	return d.marks.Show(a, screen, func(f input.Frame) (remove func(context.Context) error, err error) {
		w, err := perform(ctx, l, func() (xproto.Window, error) { return l.frame(f) })
		return func(ctx context.Context) error {
			if !l.alive() {
				return nil // the window is gone with the connection
			}
			return do(ctx, l, func() error {
				xproto.DestroyWindow(l.x, w)
				l.x.Sync()
				return nil
			})
		}, err
	})
}

// frame shows a window with the shape of a mark, which lets clicks through. The label is the
// background of a window in it, so that it needs no repainting.
func (l *server) frame(f input.Frame) (xproto.Window, error) {
	around := f.Around
	w, err := xproto.NewWindowId(l.x)
	if err != nil {
		return 0, err
	}
	c := input.MarkColour
	xproto.CreateWindow(l.x, l.screen.RootDepth, w, l.root, int16(around.Min.X), int16(around.Min.Y), uint16(around.Dx()), uint16(around.Dy()), 0,
		xproto.WindowClassInputOutput, l.screen.RootVisual, xproto.CwBackPixel|xproto.CwOverrideRedirect, []uint32{uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B), 1})
	var shown []xproto.Rectangle
	for _, part := range f.Parts {
		part = part.Sub(around.Min)
		shown = append(shown, xproto.Rectangle{X: int16(part.Min.X), Y: int16(part.Min.Y), Width: uint16(part.Dx()), Height: uint16(part.Dy())})
	}
	shape.Rectangles(l.x, shape.SoSet, shape.SkBounding, xproto.ClipOrderingUnsorted, w, 0, 0, shown)
	shape.Rectangles(l.x, shape.SoSet, shape.SkInput, xproto.ClipOrderingUnsorted, w, 0, 0, nil)
	if f.Label != nil {
		pixmap, err := l.pixmap(w, f.Label)
		if err != nil {
			return 0, err
		}
		defer xproto.FreePixmap(l.x, pixmap)
		place := shown[len(shown)-1]
		inner, err := xproto.NewWindowId(l.x)
		if err != nil {
			return 0, err
		}
		xproto.CreateWindow(l.x, l.screen.RootDepth, inner, w, place.X, place.Y, place.Width, place.Height, 0,
			xproto.WindowClassInputOutput, l.screen.RootVisual, xproto.CwBackPixmap, []uint32{uint32(pixmap)})
		xproto.MapWindow(l.x, inner)
	}
	xproto.MapWindow(l.x, w)
	l.x.Sync()
	return w, nil
}

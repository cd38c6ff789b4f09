//go:build linux

package x11

import (
	"context"
	"image"

	"github.com/jezek/xgb/shape"
	"github.com/jezek/xgb/xproto"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

// showMark draws the frame and the label of a mark. Clicks go through.
func (d *Driver) showMark(ctx context.Context, a desktop.Mark) (remove func(context.Context) error, err error) {
	l, err := d.live(ctx)
	if err != nil {
		return nil, err
	}
	if !l.has["SHAPE"] {
		return nil, &desktop.MissingError{What: "the display " + l.address.name + " lacks the SHAPE extension, so a mark would catch clicks"}
	}
	w, err := perform(ctx, l, func() (xproto.Window, error) { return l.frame(a) })
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
}

// frame shows a window with the shape of a mark, which lets clicks through. The label is the
// background of a window in it, so that it needs no repainting.
func (l *server) frame(a desktop.Mark) (xproto.Window, error) {
	parts := input.FrameOf(a.Area)
	label, at := input.LabelOf(a)
	if label != nil {
		parts = append(parts, desktop.Rect{X: at.X, Y: at.Y, W: label.Rect.Dx(), H: label.Rect.Dy()})
	}
	var around image.Rectangle
	for _, part := range parts {
		around = around.Union(part.Image())
	}
	w, err := xproto.NewWindowId(l.x)
	if err != nil {
		return 0, err
	}
	c := input.MarkColour
	xproto.CreateWindow(l.x, l.screen.RootDepth, w, l.root, int16(around.Min.X), int16(around.Min.Y), uint16(around.Dx()), uint16(around.Dy()), 0,
		xproto.WindowClassInputOutput, l.screen.RootVisual, xproto.CwBackPixel|xproto.CwOverrideRedirect, []uint32{uint32(c.R)<<16 | uint32(c.G)<<8 | uint32(c.B), 1})
	var shown []xproto.Rectangle
	for _, part := range parts {
		shown = append(shown, xproto.Rectangle{X: int16(part.X - around.Min.X), Y: int16(part.Y - around.Min.Y), Width: uint16(part.W), Height: uint16(part.H)})
	}
	shape.Rectangles(l.x, shape.SoSet, shape.SkBounding, xproto.ClipOrderingUnsorted, w, 0, 0, shown)
	shape.Rectangles(l.x, shape.SoSet, shape.SkInput, xproto.ClipOrderingUnsorted, w, 0, 0, nil)
	if label != nil {
		pixmap, err := l.pixmap(w, label)
		if err != nil {
			return 0, err
		}
		defer xproto.FreePixmap(l.x, pixmap)
		inner, err := xproto.NewWindowId(l.x)
		if err != nil {
			return 0, err
		}
		xproto.CreateWindow(l.x, l.screen.RootDepth, inner, w, int16(at.X-around.Min.X), int16(at.Y-around.Min.Y), uint16(label.Rect.Dx()), uint16(label.Rect.Dy()), 0,
			xproto.WindowClassInputOutput, l.screen.RootVisual, xproto.CwBackPixmap, []uint32{uint32(pixmap)})
		xproto.MapWindow(l.x, inner)
	}
	xproto.MapWindow(l.x, w)
	l.x.Sync()
	return w, nil
}

//go:build linux

package wayland

import (
	"context"
	"image"
	"image/color"
	"sync"

	"golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"

	"understudy/steps/desktop"
	"understudy/steps/desktop/input"
)

// layers are the pictures that we show above all windows. They are in no list of windows.
type layers struct {
	*Driver
	shell   overlay
	missing error // why there is no shell
	marks   input.Marks

	mu    sync.Mutex
	shown layer // the panel; guarded by mu
}

// An overlay shows a picture above the monitor that has a point, with its corner at another
// point. Clicks go through it unless it takes them.
type overlay interface {
	lay(ctx context.Context, on, at desktop.Point, picture *image.RGBA, takesClicks bool) (layer, error)
}

// A layer is one picture.
type layer interface{ close() }

// mark shows a frame around an area, with a label above it.
func (l *layers) mark(ctx context.Context, a desktop.Mark) error {
	return l.marks.Show(a, func() (remove func(context.Context) error, err error) {
		if l.missing != nil {
			return nil, l.missing
		}
		frame, at := drawMark(a)
		y, err := l.shell.lay(ctx, a.Area.Center(), at, frame, false)
		return func(context.Context) error { y.close(); return nil }, err
	})
}

var (
	markColour  = color.RGBA{R: 0xe5, G: 0x39, B: 0x35, A: 0xff} // a red that stands out on light and dark
	labelColour = color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// drawMark draws a frame and its label, and returns where the picture goes.
func drawMark(a desktop.Mark) (*image.RGBA, desktop.Point) {
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
	return picture, desktop.Point{X: around.Min.X, Y: around.Min.Y - above}
}

func (l *layers) unmarkAll(ctx context.Context) error {
	if err := l.marks.RemoveAll(ctx); err != nil {
		return err
	}
	return l.sync(ctx)
}

// panel shows a picture that takes clicks, in place of the one before.
func (l *layers) panel(ctx context.Context, a desktop.Panel) error {
	if l.missing != nil {
		return l.missing
	}
	var next layer
	if a.Picture != nil {
		var err error
		if next, err = l.shell.lay(ctx, a.At, a.At, a.Picture, true); err != nil {
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
	return l.sync(ctx)
}

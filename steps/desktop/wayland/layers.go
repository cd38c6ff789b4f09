//go:build linux

package wayland

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"maps"
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
	shell   overlay
	missing error

	mu    sync.Mutex // guards the fields below
	marks map[*mark]bool
	shown layer // the panel
}

// An overlay lays pictures over the monitor that a point is on, with their
// corner at another. Clicks go through those that do not take them.
type overlay interface {
	lay(ctx context.Context, on, at desktop.Point, picture *image.RGBA, takesClicks bool) (layer, error)
}

// A layer is one picture.
type layer interface{ close() }

func (l *layers) open(seat wire.Seat) {
	l.marks = map[*mark]bool{}
	l.shell, l.missing = newLayerShell(l.Driver, seat)
}

// mark is one frame.
type mark struct {
	layer
	timer *time.Timer
}

// mark draws a frame around an area, with a label above it, for a while, or
// until unmarkAll when the time is zero. It returns at once.
func (l *layers) mark(ctx context.Context, a desktop.Mark) error {
	if a.Area.Empty() {
		return fmt.Errorf("there is nothing to mark: the area %s is empty", a.Area)
	}
	if l.missing != nil {
		return l.missing
	}
	frame, at := drawMark(a)
	y, err := l.shell.lay(ctx, a.Area.Center(), at, frame, false)
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
}

var (
	markColour  = color.RGBA{R: 0xe5, G: 0x39, B: 0x35, A: 0xff} // a red that stands out on light and dark
	labelColour = color.RGBA{R: 0xff, G: 0xff, B: 0xff, A: 0xff}
)

// drawMark draws a frame and its label, and says where it goes.
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
	return l.sync(ctx)
}

// panel shows a picture that takes clicks, in the place of the one before.
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

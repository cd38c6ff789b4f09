//go:build linux

package wayland

import (
	"context"
	"image"
	"image/draw"
	"sync"

	"understudy/internal/desktop"
	"understudy/internal/desktop/input"
)

// layers are the pictures that we show above all windows. They are in no list of windows.
type layers struct {
	*Driver
	shell   overlay
	missing error // why there is no shell
	// askPointer returns where the pointer is, once nudge has made the compositor look for
	// what is under it. It is nil if the overlay gets no events of the pointer.
	askPointer func(ctx context.Context, nudge func()) (desktop.Point, error)
	marks      input.Marks

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
	if l.missing != nil {
		return l.missing
	}
	monitors, err := l.place.outputs(ctx)
	if err != nil {
		return err
	}
	return l.marks.Show(a, desktop.ScreenOf(monitors), func(f input.Frame) (remove func(context.Context) error, err error) {
		at := desktop.Point{X: f.Around.Min.X, Y: f.Around.Min.Y}
		y, err := l.shell.lay(ctx, f.Area.Center(), at, drawMark(f), false)
		return func(context.Context) error { y.close(); return nil }, err
	})
}

// drawMark draws a frame and its label.
func drawMark(f input.Frame) *image.RGBA {
	picture := image.NewRGBA(image.Rectangle{Max: f.Around.Size()})
	for _, part := range f.Parts {
		draw.Draw(picture, part.Sub(f.Around.Min), image.NewUniform(input.MarkColour), image.Point{}, draw.Src)
	}
	if f.Label != nil {
		label := f.Parts[len(f.Parts)-1]
		draw.Draw(picture, label.Sub(f.Around.Min), f.Label, image.Point{}, draw.Src)
	}
	return picture
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

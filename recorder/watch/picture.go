package watch

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
)

// The size of a picture of a click: that of the element, or of the area around the
// pointer if the element is unknown or large.
const (
	maxCrop    = 240
	cropWidth  = 64
	cropHeight = 28
	// captureTimeout bounds taking a picture.
	captureTimeout = 50 * time.Millisecond
)

// capture takes a picture of the element at a point, with password fields blanked, or nil.
func (p *pointer) capture(ctx context.Context, at desktop.Point, t *recorder.Seen) *image.RGBA {
	if p.options.Pictures == "" || t != nil && t.Secret() {
		return nil
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout(captureTimeout))
	defer cancel()
	area := crop(at, t, p.windows.At(at))
	if p.bar.covers(area) {
		return nil
	}
	shot, err := p.desktop.Capture(ctx, area)
	if err != nil {
		return nil // a workflow does without
	}
	p.blankPasswords(shot, area)
	return shot
}

// crop returns the area of a picture, with the click in its middle. Around a point it stays in the
// window, as what is behind the window will change.
func crop(at desktop.Point, t *recorder.Seen, w *desktop.Window) desktop.Rect {
	if t != nil && !t.Bounds.Empty() && t.Bounds.W <= maxCrop && t.Bounds.H <= maxCrop {
		return t.Bounds
	}
	x, y := cropWidth/2, cropHeight/2
	if w != nil {
		x = max(1, min(x, at.X-w.Bounds.X, w.Bounds.X+w.Bounds.W-at.X))
		y = max(1, min(y, at.Y-w.Bounds.Y, w.Bounds.Y+w.Bounds.H-at.Y))
	}
	return desktop.Rect{X: at.X - x, Y: at.Y - y, W: 2 * x, H: 2 * y}
}

// blankPasswords paints over the password fields that are known.
func (r *reader) blankPasswords(p *image.RGBA, area desktop.Rect) {
	begin := p.Rect.Min.Sub(image.Pt(max(area.X, 0), max(area.Y, 0)))
	for _, box := range r.passwords {
		draw.Draw(p, box.Image().Add(begin), image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
}

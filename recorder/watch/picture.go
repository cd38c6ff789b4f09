package watch

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
	"understudy/steps/desktop/vision"
)

// cropSizes are the sizes of a picture around the pointer, for a click on an element that is
// unknown or large. A larger one is taken only if the smaller are in several places of the
// window, as the same icon above different names is.
var cropSizes = []desktop.Size{{W: 64, H: 28}, {W: 96, H: 64}, {W: 128, H: 96}, {W: 192, H: 128}, {W: maxCrop, H: 160}}

const (
	// maxCrop is the largest size of an element of which a picture is taken.
	maxCrop = 240
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
	w := p.windows.At(at)
	area := crop(at, t, w)
	if t == nil || area != t.Bounds {
		area = p.distinct(ctx, at, area, w)
	}
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

// distinct returns the smallest area around a point whose picture is in one place of its
// window only, or else area, which is the smallest of all.
func (p *pointer) distinct(ctx context.Context, at desktop.Point, area desktop.Rect, w *desktop.Window) desktop.Rect {
	if w == nil || w.Popup {
		return area
	}
	shot, err := p.desktop.Capture(ctx, w.Bounds)
	if err != nil {
		return area
	}
	begin := shot.Rect.Min.Sub(image.Pt(max(w.Bounds.X, 0), max(w.Bounds.Y, 0)))
	for _, size := range cropSizes {
		larger := around(at, size, w)
		part := shot.SubImage(larger.Image().Add(begin))
		if found, err := vision.All(shot, part, 1); err == nil && len(found) == 1 {
			return larger
		}
	}
	return area
}

// crop returns the area of a picture, with the click in its middle.
func crop(at desktop.Point, t *recorder.Seen, w *desktop.Window) desktop.Rect {
	if t != nil && !t.Bounds.Empty() && t.Bounds.W <= maxCrop && t.Bounds.H <= maxCrop {
		return t.Bounds
	}
	return around(at, cropSizes[0], w)
}

// around returns the area of a size around a point. It stays in the window, as what is behind
// the window will change.
func around(at desktop.Point, size desktop.Size, w *desktop.Window) desktop.Rect {
	x, y := size.W/2, size.H/2
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

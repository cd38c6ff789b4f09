package watch

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/recorder"
)

// cropSizes are the sizes of a picture around the pointer, for a click on an element that is
// unknown or large. A larger one is taken only if the smaller are in several places of the
// window, as the same icon above different names is.
var cropSizes = []desktop.Size{{W: 64, H: 28}, {W: 96, H: 64}, {W: 128, H: 96}, {W: 192, H: 128}, {W: recorder.MaxPart, H: 160}}

const (
	// captureTimeout bounds taking a picture.
	captureTimeout = 50 * time.Millisecond
)

// capture takes a picture of the element at a point, with password fields blanked, or nil. It
// returns the middle of the picture too.
func (p *pointer) capture(ctx context.Context, at desktop.Point, t *recorder.Seen) (*image.RGBA, desktop.Point) {
	if p.options.Pictures == "" || t != nil && t.Secret() {
		return nil, at
	}
	ctx, cancel := context.WithTimeout(ctx, p.timeout(captureTimeout))
	defer cancel()
	w := p.windows.At(at)
	var within desktop.Rect
	if w != nil {
		within = w.Bounds
		if t.Drawn() { // a replay looks for it in the element
			within = within.Intersect(t.Bounds)
		}
	}
	area := around(at, cropSizes[0], within)
	switch {
	case t != nil && !t.Drawn() && !t.Bounds.Empty() && max(t.Bounds.W, t.Bounds.H) <= recorder.MaxPart:
		area = t.Bounds
	case w != nil && !w.Popup:
		area = p.distinct(ctx, at, area, within)
	}
	if p.bar.covers(area) {
		return nil, at
	}
	shot, err := p.desktop.Capture(ctx, area)
	if err != nil || shot.Rect.Dx() != area.W || shot.Rect.Dy() != area.H { // a part is off the screen
		return nil, at // a workflow does without
	}
	p.blankPasswords(shot, area)
	return shot, area.Center()
}

// distinct returns the smallest area around a point whose picture is in one place of another area
// only, or else the given one, which is the smallest of all.
func (p *pointer) distinct(ctx context.Context, at desktop.Point, area, within desktop.Rect) desktop.Rect {
	shot, err := p.desktop.Capture(ctx, within)
	if err != nil {
		return area
	}
	begin := shot.Rect.Min.Sub(image.Pt(max(within.X, 0), max(within.Y, 0)))
	for _, size := range cropSizes {
		larger := around(at, size, within)
		part := shot.SubImage(larger.Image().Add(begin))
		if found, err := vision.All(shot, part, 1); err == nil && len(found) == 1 {
			return larger
		}
	}
	return area
}

// around returns the area of a size with a point in its middle. It stays within another, if there is
// one, as what is outside of that will change.
func around(at desktop.Point, size desktop.Size, within desktop.Rect) desktop.Rect {
	x, y := size.W/2, size.H/2
	if !within.Empty() {
		x = max(1, min(x, at.X-within.X, within.X+within.W-at.X))
		y = max(1, min(y, at.Y-within.Y, within.Y+within.H-at.Y))
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

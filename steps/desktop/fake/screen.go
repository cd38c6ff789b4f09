package fake

import (
	"bytes"
	"context"
	"hash/fnv"
	"image"
	"image/color"
	"image/draw"
	"slices"
	"time"

	"understudy/steps/desktop"
)

func (d *Desktop) Resize(s desktop.Size) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.size = s
}

func (d *Desktop) Monitors(ctx context.Context) ([]desktop.Monitor, error) {
	return get(ctx, d, "Monitors", func() ([]desktop.Monitor, error) { return d.monitors(), nil })
}

func (d *Desktop) monitors() []desktop.Monitor {
	return []desktop.Monitor{{Name: "fake", Bounds: desktop.Rect{W: d.size.W, H: d.size.H}, Primary: true, Scale: 1}}
}

// Capture draws each element that shows as a box, whose colour depends on all
// that is known of the element: the same desktop gives the same picture, and a
// change changes it.
func (d *Desktop) Capture(ctx context.Context, area desktop.Rect) (*image.RGBA, error) {
	return get(ctx, d, "Capture", func() (*image.RGBA, error) {
		return d.paint(d.onScreen(area)), nil
	})
}

// onScreen is the part of an area that is on the screen; the zero Rect is all of it.
func (d *Desktop) onScreen(area desktop.Rect) desktop.Rect {
	whole := desktop.Rect{W: d.size.W, H: d.size.H}
	if area == (desktop.Rect{}) {
		return whole
	}
	return area.Intersect(whole)
}

// paint draws what shows in an area.
func (d *Desktop) paint(area desktop.Rect) *image.RGBA {
	picture := image.NewRGBA(image.Rect(0, 0, area.W, area.H))
	fill(picture, picture.Rect, color.RGBA{40, 60, 80, 255})
	for _, w := range d.windows {
		if !w.small {
			w.draw(picture, image.Pt(area.X, area.Y))
		}
	}
	d.drawMark(picture, image.Pt(area.X, area.Y))
	if p := d.panel.Picture; p != nil {
		at := image.Pt(d.panel.At.X-area.X, d.panel.At.Y-area.Y)
		draw.Draw(picture, p.Rect.Sub(p.Rect.Min).Add(at), p, p.Rect.Min, draw.Src)
	}
	return picture
}

// drawMark draws the frame around something, in a picture that begins at a point.
func (d *Desktop) drawMark(picture *image.RGBA, begin image.Point) {
	if d.mark.Empty() {
		return
	}
	r, red := d.mark.Image().Sub(begin), color.RGBA{255, 0, 0, 255}
	fill(picture, image.Rect(r.Min.X, r.Min.Y, r.Max.X, r.Min.Y+2), red)
	fill(picture, image.Rect(r.Min.X, r.Max.Y-2, r.Max.X, r.Max.Y), red)
	fill(picture, image.Rect(r.Min.X, r.Min.Y, r.Min.X+2, r.Max.Y), red)
	fill(picture, image.Rect(r.Max.X-2, r.Min.Y, r.Max.X, r.Max.Y), red)
}

// drawn is what an area showed when it was asked whether it is drawn anew.
type drawn struct {
	area   desktop.Rect
	pixels []byte
	since  time.Time
}

// LastDrawn is when it was asked first for the area, and it showed what it shows
// now.
func (d *Desktop) LastDrawn(ctx context.Context, _ desktop.WindowID, area desktop.Rect) (time.Time, error) {
	return get(ctx, d, "LastDrawn", func() (time.Time, error) {
		now := drawn{area, d.paint(d.onScreen(area)).Pix, time.Now()}
		i := slices.IndexFunc(d.drawn, func(old drawn) bool { return old.area == area })
		if i < 0 {
			i, d.drawn = len(d.drawn), append(d.drawn, now)
		}
		if !bytes.Equal(d.drawn[i].pixels, now.pixels) {
			d.drawn[i] = now
		}
		return d.drawn[i].since, nil
	})
}

func (d *Desktop) Snap(ctx context.Context) (func() *image.RGBA, error) {
	p, err := d.Capture(ctx, desktop.Rect{})
	return func() *image.RGBA { return p }, err
}

// draw draws a node and what is in it, in a picture that begins at a point.
func (n *Node) draw(picture *image.RGBA, begin image.Point) {
	if !n.has(desktop.Showing) {
		return
	}
	r := n.el.Bounds.Image().Sub(begin)
	fill(picture, r, color.RGBA{0, 0, 0, 255})
	fill(picture, r.Inset(1), n.colour())
	for _, c := range n.children {
		c.draw(picture, begin)
	}
}

func fill(picture *image.RGBA, r image.Rectangle, c color.RGBA) {
	draw.Draw(picture, r, image.NewUniform(c), image.Point{}, draw.Src)
}

// colour is the node's own, or a light one for what is known of it.
func (n *Node) colour() color.RGBA {
	if n.painted != (color.RGBA{}) {
		return n.painted
	}
	h := fnv.New32a()
	for _, word := range append(n.el.States.Names(), string(n.el.Role), n.el.Name, string(n.text)) {
		h.Write([]byte(word + "\x00"))
	}
	s := h.Sum32()
	return color.RGBA{128 + uint8(s)/2, 128 + uint8(s>>8)/2, 128 + uint8(s>>16)/2, 255}
}

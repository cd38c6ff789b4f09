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

	"understudy/internal/desktop"
)

func (d *Desktop) Resize(s desktop.Size) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.size = s
}

func (d *Desktop) Monitors(ctx context.Context) ([]desktop.Monitor, error) {
	return get(ctx, d, "Monitors", func() ([]desktop.Monitor, error) { return d.monitors(), nil })
}

func (s *stack) monitors() []desktop.Monitor {
	return []desktop.Monitor{{Name: "fake", Bounds: desktop.Rect{W: s.size.W, H: s.size.H}, Primary: true, Scale: 1}}
}

// Capture draws each element that shows as a box, whose colour depends on the
// element's fields: the same desktop gives the same picture, and a change changes
// it.
func (d *Desktop) Capture(ctx context.Context, area desktop.Rect) (*image.RGBA, error) {
	return get(ctx, d, "Capture", func() (*image.RGBA, error) {
		return d.picture.paint(&d.stack, area), nil
	})
}

// picture is what the screen shows beside windows, and what it showed before.
type picture struct {
	mark  desktop.Rect // the frame that is drawn around something
	drawn []drawn
}

// paint draws the part of an area that is on the screen; the zero Rect is the
// whole screen.
func (p *picture) paint(s *stack, area desktop.Rect) *image.RGBA {
	whole := desktop.Rect{W: s.size.W, H: s.size.H}
	if area == (desktop.Rect{}) {
		area = whole
	}
	area = area.Intersect(whole)
	picture := image.NewRGBA(image.Rect(0, 0, area.W, area.H))
	begin := image.Pt(area.X, area.Y)
	fill(picture, picture.Rect, color.RGBA{40, 60, 80, 255})
	for _, w := range s.windows {
		if !w.minimized {
			w.draw(picture, begin)
		}
	}
	if !p.mark.Empty() {
		r, inside := p.mark.Image().Sub(begin), p.mark.Image().Sub(begin).Inset(2)
		red := color.RGBA{255, 0, 0, 255}
		fill(picture, image.Rect(r.Min.X, r.Min.Y, r.Max.X, inside.Min.Y), red)
		fill(picture, image.Rect(r.Min.X, inside.Max.Y, r.Max.X, r.Max.Y), red)
		fill(picture, image.Rect(r.Min.X, r.Min.Y, inside.Min.X, r.Max.Y), red)
		fill(picture, image.Rect(inside.Max.X, r.Min.Y, r.Max.X, r.Max.Y), red)
	}
	if m := s.panel.Picture; m != nil {
		at := image.Pt(s.panel.At.X, s.panel.At.Y).Sub(begin)
		draw.Draw(picture, m.Rect.Sub(m.Rect.Min).Add(at), m, m.Rect.Min, draw.Src)
	}
	return picture
}

// drawn is what an area showed when LastDrawn looked at it.
type drawn struct {
	area   desktop.Rect
	pixels []byte
	since  time.Time
}

// LastDrawn returns when it first saw the area as it is now.
func (d *Desktop) LastDrawn(ctx context.Context, _ desktop.WindowID, area desktop.Rect) (time.Time, error) {
	return get(ctx, d, "LastDrawn", func() (time.Time, error) {
		now := drawn{area, d.picture.paint(&d.stack, area).Pix, time.Now()}
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

// draw draws a node and its descendants in a picture that begins at a point.
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

// colour returns the node's own colour, or a light one that depends on its fields.
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

package steps

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
)

// keep stores a picture and says where.
func (e *Env) keep(ctx context.Context, p *image.RGBA) (string, error) {
	if e.Keep == nil {
		return "", &Error{Code: Unavailable, Err: errors.New("there is nowhere to keep a picture"), Next: "run the step in a run that keeps captures"}
	}
	uri, err := e.Keep(ctx, p)
	if err != nil {
		return "", fmt.Errorf("keeping a picture: %w", err)
	}
	return uri, nil
}

// shrink is a picture with neither side longer than limit, and its scale; each
// pixel is the mean of those that it stands for. A limit of 0 is none.
func shrink(p *image.RGBA, limit int) (*image.RGBA, float64) {
	w, h := p.Rect.Dx(), p.Rect.Dy()
	longest := max(w, h)
	if limit <= 0 || longest <= limit {
		return p, 1
	}
	scale := float64(limit) / float64(longest)
	small := image.NewRGBA(image.Rect(0, 0, max(1, int(float64(w)*scale)), max(1, int(float64(h)*scale))))
	for y := range small.Rect.Dy() {
		for x := range small.Rect.Dx() {
			from := image.Pt(x*w/small.Rect.Dx(), y*h/small.Rect.Dy())
			to := image.Pt((x+1)*w/small.Rect.Dx(), (y+1)*h/small.Rect.Dy())
			small.SetRGBA(x, y, mean(p, image.Rectangle{from, to}.Add(p.Rect.Min)))
		}
	}
	return small, scale
}

// mean is the mean colour of an area.
func mean(p *image.RGBA, area image.Rectangle) color.RGBA {
	var r, g, b, n uint32
	for y := area.Min.Y; y < area.Max.Y; y++ {
		row := p.Pix[p.PixOffset(area.Min.X, y):p.PixOffset(area.Max.X, y)]
		for i := 0; i+3 < len(row); i += 4 {
			r, g, b, n = r+uint32(row[i]), g+uint32(row[i+1]), b+uint32(row[i+2]), n+1
		}
	}
	return color.RGBA{uint8(r / n), uint8(g / n), uint8(b / n), 255}
}

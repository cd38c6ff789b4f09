//go:build linux

package wayland

import (
	"context"
	"fmt"
	"image"
	"net/url"
	"os"

	"understudy/internal/desktop"
)

// portalCamera takes pictures by the portal, which writes them to files.
type portalCamera struct{ *portal }

func (c portalCamera) picture(ctx context.Context, part desktop.Rect, monitors []desktop.Monitor) (*image.RGBA, error) {
	if err := c.ready(); err != nil {
		return nil, err
	}
	whole, err := c.shoot(ctx)
	if err != nil {
		return nil, err
	}
	return partOf(whole, part, desktop.ScreenOf(monitors))
}

// shoot takes a picture of the whole screen.
func (p *portal) shoot(ctx context.Context) (image.Image, error) {
	answer, err := p.request(ctx, shotWithin, portalShots+".Screenshot", options{"interactive": false}, "")
	if err != nil {
		return nil, err
	}
	uri, _ := answer["uri"].Value().(string)
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "file" {
		return nil, fmt.Errorf("%w: the portal says that a picture is at %q, which is no file", desktop.ErrUnavailable, uri)
	}
	f, err := os.Open(u.Path)
	if err != nil {
		return nil, fmt.Errorf("the picture that the portal took: %w", err)
	}
	defer os.Remove(u.Path)
	defer f.Close()
	whole, err := desktop.DecodePicture(f)
	if err != nil {
		return nil, fmt.Errorf("the picture that the portal took: %w", err)
	}
	return whole, nil
}

// partOf returns a part of a picture of the whole screen, with one pixel per point.
func partOf(whole image.Image, part, all desktop.Rect) (*image.RGBA, error) {
	is := whole.Bounds()
	// At a scale of 1.25 the size in points is rounded.
	if d := is.Dx()*all.H - is.Dy()*all.W; max(d, -d) > is.Dx()+is.Dy() {
		return nil, fmt.Errorf("%w: the portal took a picture of %dx%d, and the screen is %s", desktop.ErrUnavailable, is.Dx(), is.Dy(), all)
	}
	scaled := func(v int) int { return v * is.Dx() / all.W }
	from := image.Rect(scaled(part.X-all.X), scaled(part.Y-all.Y), scaled(part.X-all.X+part.W), scaled(part.Y-all.Y+part.H)).Add(is.Min)
	cut, ok := whole.(interface {
		SubImage(r image.Rectangle) image.Image
	})
	if !ok {
		return nil, fmt.Errorf("%w: the portal took a picture of a sort that is not known here", desktop.ErrUnavailable)
	}
	return fitted(cut.SubImage(from), part), nil
}

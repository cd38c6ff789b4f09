package observe

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"slices"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// KeepPicture stores a picture and returns its URI.
func KeepPicture(ctx context.Context, env *steps.Env, p *image.RGBA) (string, error) {
	if env.Keep == nil {
		return "", &steps.Error{Code: steps.Unavailable, Err: errors.New("pictures cannot be stored here"), Next: "run the step in a run that keeps captures"}
	}
	uri, err := env.Keep(ctx, p)
	if err != nil {
		return "", fmt.Errorf("keeping a picture: %w", err)
	}
	return uri, nil
}

// Capture takes a picture of the part of an area that is on the screen, with password
// fields blanked, and returns it with that part. An empty area is the whole screen.
func Capture(ctx context.Context, env *steps.Env, area desktop.Rect) (*image.RGBA, desktop.Rect, error) {
	screen, err := aim.Screen(ctx, env.Desktop)
	if err != nil {
		return nil, area, err
	}
	if area.Empty() {
		area = screen
	}
	wanted := area
	if area = area.Intersect(screen); area.Empty() {
		return nil, area, &steps.Error{Code: steps.NotActionable, Err: fmt.Errorf("the area to show, %s, is not on the screen, which is %s", wanted, screen), Next: "take an area of the screen, or bring the window into it with move_window"}
	}
	known := env.Passwords
	if known == nil {
		known = &Passwords{}
	}
	fields := known.Where(ctx, env.Desktop)
	p, err := env.Desktop.Capture(ctx, area)
	if err != nil {
		return nil, area, fmt.Errorf("taking a picture: %w", err)
	}
	p = Blank(p, desktop.Point{X: area.X, Y: area.Y}, append(fields, known.Find(ctx, env.Desktop)...))
	return p, area, ctx.Err()
}

// keepPictures takes and stores the pictures that were asked for.
func keepPictures(ctx context.Context, env *steps.Env, o aim.WindowOptions, id desktop.WindowID, after *ActionResult) error {
	var areas []desktop.Rect
	if o.IncludeWindowScreenshot {
		windows, err := env.Desktop.Windows(ctx)
		if err != nil {
			return err
		}
		if w := windows.ByID(id); w != nil {
			if err := aim.Placed(*w); err != nil {
				return err
			}
			areas = append(areas, w.Bounds)
		}
	}
	if o.IncludeMonitorScreenshot {
		areas = append(areas, desktop.Rect{})
	}
	for _, area := range areas {
		p, shown, err := Capture(ctx, env, area)
		if err != nil {
			return err
		}
		uri, err := KeepPicture(ctx, env, p)
		if err != nil {
			return err
		}
		after.Screenshots, after.Shown = append(after.Screenshots, uri), append(after.Shown, shown)
	}
	return nil
}

// Blank returns a picture whose top left is at begin, with areas of the screen painted
// over.
func Blank(p *image.RGBA, begin desktop.Point, areas []desktop.Rect) *image.RGBA {
	if len(areas) == 0 {
		return p
	}
	c := *p
	c.Pix = slices.Clone(p.Pix)
	p = &c
	from := image.Pt(begin.X, begin.Y)
	for _, a := range areas {
		draw.Draw(p, a.Image().Sub(from).Add(p.Rect.Min), image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
	return p
}

package kinds

import (
	"context"
	"fmt"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// GetPixelColor reads the colour of a point.
var GetPixelColor = steps.Define(steps.Kind{
	Name:    "get_pixel_color",
	Summary: "Read the colour of a point of the screen.",
	Toolset: steps.Vision,
	Reads:   true,
}, PixelArgs{}, getPixelColor)

// PixelArgs says which point.
type PixelArgs struct {
	X int `json:"x" jsonschema:"the distance from the left edge of the screen, in pixels"`
	Y int `json:"y" jsonschema:"the distance from the top edge of the screen, in pixels"`
}

// PixelResult is a colour.
type PixelResult struct {
	Color string `json:"color" jsonschema:"the colour as #rrggbb"`
	R     int    `json:"r" jsonschema:"its red, 0 to 255"`
	G     int    `json:"g" jsonschema:"its green, 0 to 255"`
	B     int    `json:"b" jsonschema:"its blue, 0 to 255"`
}

func getPixelColor(ctx context.Context, env *steps.Env, a PixelArgs) (PixelResult, error) {
	at := desktop.Point{X: a.X, Y: a.Y}
	if err := aim.OnScreen(ctx, env.Desktop, at); err != nil {
		return PixelResult{}, err
	}
	p, err := env.Desktop.Capture(ctx, desktop.Rect{X: at.X, Y: at.Y, W: 1, H: 1})
	if err != nil {
		return PixelResult{}, fmt.Errorf("taking a picture: %w", err)
	}
	c := p.RGBAAt(p.Rect.Min.X, p.Rect.Min.Y)
	return PixelResult{fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B), int(c.R), int(c.G), int(c.B)}, nil
}

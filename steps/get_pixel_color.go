package steps

// GetPixelColor reads the colour of a point.
var GetPixelColor = Define[PixelArgs, PixelResult](Kind{
	Name:    "get_pixel_color",
	Summary: "Read the colour of a point of the screen.",
	Toolset: Vision,
	Touches: Look,
	Reads:   true,
}, PixelArgs{}, nil)

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

package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"image/png"
	"maps"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/internal/words"
	"understudy/steps"
)

// A tool that has a picture replies with a link to it. With include_image, and if the
// picture is all that it is for, it replies with the picture itself, scaled to a size that models can see, and states how its
// pixels map to those of the screen, which a click takes.

// includeImage is the argument that asks for the picture. It is no argument of a kind,
// because it affects only the reply.
const includeImage = "include_image"

// Limits of what models can see. Larger pictures are scaled down on the way, and then
// the model's coordinates are not those of the picture that was sent.
const (
	maxImageSide   = 1568
	maxImagePixels = 1_150_000
)

// splitIncludeImage returns the arguments without include_image, and whether to show the
// picture: that of a kind whose result is one, unless it is not wanted. A kind whose result is no picture is then made to take one.
func splitIncludeImage(k steps.Kind, args map[string]any) (map[string]any, bool) {
	wanted, said := args[includeImage].(bool)
	if !said {
		return args, k.Picture == steps.IsPicture
	}
	if k.Picture == steps.NoPicture {
		return args, false
	}
	args = maps.Clone(args)
	delete(args, includeImage)
	if flat := k.Spread(args); wanted && k.Picture == steps.PictureBeside && flat["include_monitor_screenshots"] != true && flat[steps.PictureArgument] == nil {
		args[steps.PictureArgument] = true
	}
	return args, wanted
}

// shot is a picture and the area of the screen that it shows; without an area it shows
// the whole screen, pixel by pixel.
type shot struct {
	uri   string
	area  desktop.Rect
	title words.Marked // a line of text before it
}

// shotsOf returns the pictures in a result.
func shotsOf(value any) []shot {
	var r struct {
		URI         string         `json:"uri"`
		Area        desktop.Rect   `json:"area"`
		Screenshots []string       `json:"screenshots"`
		Areas       []desktop.Rect `json:"screenshot_areas"`
	}
	if decode(value, &r) != nil {
		return nil
	}
	var all []shot
	if strings.HasPrefix(r.URI, captureURI) {
		all = append(all, shot{uri: r.URI, area: r.Area})
	}
	for i, uri := range r.Screenshots {
		if i < len(r.Areas) {
			all = append(all, shot{uri: uri, area: r.Areas[i]})
		}
	}
	return all
}

// picture adds a picture to the reply, as an image if show is set, else as a link.
func (r *reply) picture(p shot, show bool) {
	if show {
		r.shots = append(r.shots, p)
		return
	}
	r.attachments = append(r.attachments, &mcp.ResourceLink{URI: p.uri, Name: "picture", MIMEType: pngType})
}

// encodeForModel encodes a picture, scaled down to the size that models can see.
func encodeForModel(p image.Image) ([]byte, desktop.Size, error) {
	small, _ := vision.Fit(p, maxImageSide, maxImagePixels)
	var b bytes.Buffer
	err := png.Encode(&b, small)
	return b.Bytes(), desktop.Size{W: small.Rect.Dx(), H: small.Rect.Dy()}, err
}

// pixelMapping explains how the pixels of a picture map to the screen.
func pixelMapping(area desktop.Rect, size desktop.Size) words.Marked {
	if size.W == area.W && size.H == area.H && area.X == 0 && area.Y == 0 {
		return words.Say("it has %dx%d pixels, which are those of the screen", size.W, size.H)
	}
	fx, fy := float64(area.W)/float64(size.W), float64(area.H)/float64(size.H)
	return words.Say("it has %dx%d pixels: its point (x, y) is the screen's (%d + %.4g·x, %d + %.4g·y), which is what a click takes",
		size.W, size.H, area.X, fx, area.Y, fy)
}

// lastPicture shows the last picture of the steps of a run. The report may cover only
// earlier steps.
func (r *reply) lastPicture(ctx context.Context, runs engine.Runs, report engine.Report) error {
	if len(report.Steps) < report.StepsTotal {
		var err error
		if report, err = runs.Report(ctx, report.RunID, engine.Page{Offset: max(0, report.StepsTotal-normalSteps)}); err != nil {
			return err
		}
	}
	for _, s := range slices.Backward(report.Steps) {
		if n := len(s.Captures); n > 0 {
			c := s.Captures[n-1]
			r.picture(shot{uri: c.URI, title: words.Say("\nthe screen %s step %s:", c.When, cmp.Or(s.ID, s.Path))}, true)
			return nil
		}
	}
	r.captions += "\nno step left a picture"
	return nil
}

package mcpserver

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"image"
	"maps"
	"strings"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"understudy/engine"
	"understudy/internal/desktop"
	"understudy/internal/desktop/vision"
	"understudy/internal/words"
)

// imageSince asks for a picture as include_image does, restricted to what changed since
// an earlier picture that an answer named. Every tool with include_image takes it. Only
// one tool lists it; answers that show a picture mention it.
const imageSince = "image_since"

// takeImageSince removes image_since from arguments that were not checked yet.
func (t *tool) takeImageSince(args map[string]any) (since string) {
	if t.args.Properties[includeImage] == nil {
		return ""
	}
	if since, _ = args[imageSince].(string); since != "" {
		args[includeImage] = true
		delete(args, imageSince)
	}
	return since
}

// maxShown bounds the pictures that are remembered.
const maxShown = 200

// shownPictures remembers by short names which pictures were shown to which client.
type shownPictures struct {
	mu    sync.Mutex
	last  int
	named map[string]shot // by client and name
}

func pictureName(n int) string { return fmt.Sprintf("p%d", n) }

// add names a picture that is shown to a client.
func (s *shownPictures) add(client string, p shot) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.named == nil {
		s.named = map[string]shot{}
	}
	s.last++
	s.named[client+" "+pictureName(s.last)] = p
	maps.DeleteFunc(s.named, func(key string, _ shot) bool { return strings.HasSuffix(key, " "+pictureName(s.last-maxShown)) })
	return pictureName(s.last)
}

func (s *shownPictures) get(client, name string) (shot, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	p, known := s.named[client+" "+name]
	return p, known
}

// showPictures adds the pictures of a reply, or the parts of them that changed. A
// picture that cannot be shown is no failure of the call, which may have acted.
func (r *runner) showPictures(ctx context.Context, c *call, out *reply) {
	for _, p := range out.shots {
		if err := r.showPicture(ctx, c, out, p); err != nil {
			out.captions += words.Say("\nthe picture cannot be shown: %v", err)
		}
	}
}

func (r *runner) showPicture(ctx context.Context, c *call, out *reply, p shot) error {
	runs, err := r.runsOf(ctx, c)
	if err != nil {
		return err
	}
	now, err := loadPicture(ctx, runs, &p)
	if err != nil {
		return err
	}
	name := r.pictures.add(c.id(), p)
	text, part := r.partSince(ctx, runs, c, p, now)
	out.captions += p.title + words.Say("\npicture %s%s", name, text)
	if part.Empty() {
		return nil
	}
	small, size, err := encodeForModel(now.SubImage(part))
	if err != nil {
		return err
	}
	out.captions += pixelMapping(onScreen(part, now.Rect, p.area), size) + words.Say("; image_since: %q shows only what changes", name)
	out.attachments = append(out.attachments, &mcp.ImageContent{Data: small, MIMEType: pngType})
	return nil
}

// loadPicture reads a stored picture, and sets its area if that is unknown.
func loadPicture(ctx context.Context, runs engine.Runs, p *shot) (*image.RGBA, error) {
	stored, err := runs.File(ctx, engine.Captures, strings.TrimPrefix(p.uri, captureURI))
	if err != nil {
		return nil, fmt.Errorf("reading a picture: %w", err)
	}
	decoded, err := desktop.DecodePicture(bytes.NewReader(stored))
	if err != nil {
		return nil, fmt.Errorf("decoding a picture: %w", err)
	}
	m, _ := vision.Fit(decoded, 0, 0)
	if p.area.Empty() {
		p.area = desktop.Rect{W: m.Rect.Dx(), H: m.Rect.Dy()}
	}
	return m, nil
}

// partSince returns the part of a picture that the call asks for, with a text about it.
func (r *runner) partSince(ctx context.Context, runs engine.Runs, c *call, p shot, now *image.RGBA) (text words.Marked, part image.Rectangle) {
	if c.since == "" {
		return ": ", now.Rect
	}
	earlier, known := r.pictures.get(c.id(), c.since)
	var before *image.RGBA
	if known {
		before, _ = loadPicture(ctx, runs, &earlier) // it may have been removed with its run
	}
	if before == nil {
		return words.Say(" is complete, because no picture %s is known: ", c.since), now.Rect
	}
	if before = samePart(before, earlier.area, now, p.area); before == nil {
		return words.Say(" is complete, because %s shows another part of the screen: ", c.since), now.Rect
	}
	if part = changed(before, now); part.Empty() {
		return words.Say(" is not shown: it equals %s", c.since), part
	}
	return words.Say(" is shown where it differs from %s: ", c.since), part
}

// samePart returns the part of an earlier picture that shows the same area as now, or
// nil if the earlier one does not cover it or has another scale.
func samePart(before *image.RGBA, was desktop.Rect, now *image.RGBA, is desktop.Rect) *image.RGBA {
	if was == is && before.Rect == now.Rect {
		return before
	}
	r := image.Rect(0, 0, is.W, is.H)
	from := r.Add(image.Pt(is.X-was.X, is.Y-was.Y))
	if before.Rect.Dx() != was.W || now.Rect != r || !from.In(before.Rect) {
		return nil
	}
	part, _ := vision.Fit(before.SubImage(from), 0, 0)
	return part
}

// changeMargin is the margin that is shown around a change.
const changeMargin = 8

// changed returns the part of a picture that differs from an earlier one, with a
// margin.
func changed(before, now *image.RGBA) (part image.Rectangle) {
	for y := range now.Rect.Dy() {
		a, b := before.Pix[y*before.Stride:][:4*now.Rect.Dx()], now.Pix[y*now.Stride:][:4*now.Rect.Dx()]
		if bytes.Equal(a, b) {
			continue
		}
		first, last := 0, len(a)/4
		for bytes.Equal(a[4*first:4*first+4], b[4*first:4*first+4]) {
			first++
		}
		for bytes.Equal(a[4*last-4:4*last], b[4*last-4:4*last]) {
			last--
		}
		part = part.Union(image.Rect(first, y, last, y+1))
	}
	if part.Empty() {
		return part
	}
	return part.Inset(-changeMargin).Intersect(now.Rect)
}

// onScreen returns the area of the screen that a part of a picture shows.
func onScreen(part, whole image.Rectangle, area desktop.Rect) desktop.Rect {
	scale := func(v, pixels, length int) int { return v * length / cmp.Or(pixels, 1) }
	x, y := scale(part.Min.X, whole.Dx(), area.W), scale(part.Min.Y, whole.Dy(), area.H)
	return desktop.Rect{
		X: area.X + x, Y: area.Y + y,
		W: scale(part.Max.X, whole.Dx(), area.W) - x, H: scale(part.Max.Y, whole.Dy(), area.H) - y,
	}
}

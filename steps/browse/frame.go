package browse

import (
	"context"
	"strings"

	"understudy/steps"
)

// frameTree is a frame of a page, with those inside it.
type frameTree struct {
	Frame struct {
		ID, Name, URL string
	}
	ChildFrames []frameTree
}

// walk calls f for the frames inside a frame.
func (t frameTree) walk(f func(frameTree)) {
	for _, c := range t.ChildFrames {
		f(c)
		c.walk(f)
	}
}

// Type is "page", or "iframe" for a frame of another site, which is a page of its own.
func (p *Page) Type() string {
	if p.frame {
		return "iframe"
	}
	return "page"
}

// placeOf returns the page in which scripts for a frame run: a frame of another site has one
// of its own.
func (p *Page) placeOf(ctx context.Context, frame string) (*Page, error) {
	if frame == "" {
		return p, nil
	}
	frames, err := p.targets(ctx, "iframe")
	if err != nil {
		return nil, err
	}
	for _, t := range frames {
		if strings.Contains(t.URL, frame) {
			place, err := p.Attach(ctx, Tab{ID: t.ID, URL: t.URL, PID: p.PID})
			if err == nil {
				place.frame = true
			}
			return place, err
		}
	}
	return p, nil
}

// contextOf returns the context of a frame of the page's own site.
func (p *Page) contextOf(ctx context.Context, frame string) (int, error) {
	var got struct{ FrameTree frameTree }
	if err := p.call(ctx, "Page.getFrameTree", nil, &got); err != nil {
		return 0, advised(err)
	}
	var names, found []string
	got.FrameTree.walk(func(t frameTree) {
		names = append(names, steps.Quote(t.Frame.Name+" "+t.Frame.URL))
		if t.Frame.Name == frame || strings.Contains(t.Frame.URL, frame) {
			found = append(found, t.Frame.ID)
		}
	})
	if len(found) != 1 {
		code := steps.NotFound
		if len(found) > 1 {
			code = steps.Ambiguous
		}
		return 0, steps.Errorf(code, "%d frames have the name or address %q", len(found), frame).WithNext("the frames: " + strings.Join(names, ", "))
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.contexts {
		if c.AuxData.FrameID == found[0] {
			return c.ID, nil
		}
	}
	return 0, steps.Errorf(steps.NotActionable, "the frame %q runs no scripts", frame)
}

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

// A frame is one of a page. Frames of other sites are pages of their own to the browser, with
// frames inside them.
type frame struct {
	place         *Page
	id, name, url string // the id is empty for one that is its whole place
}

// add adds the frames inside a tree.
func (f frame) add(all []frame, t frameTree) []frame {
	for _, c := range t.ChildFrames {
		all = append(all, frame{f.place, c.Frame.ID, c.Frame.Name, c.Frame.URL})
		all = f.add(all, c)
	}
	return all
}

// placeOf returns the page in which scripts for a frame run, which the caller detaches, and the
// frame's ID there unless it is the whole of it.
func (p *Page) placeOf(ctx context.Context, text string) (place *Page, id string, err error) {
	if text == "" {
		return p, "", nil
	}
	all, err := p.frames(ctx)
	var names []string
	var found []frame
	for _, f := range all {
		names = append(names, steps.Quote(strings.TrimSpace(f.name+" "+f.url)))
		if f.name == text || strings.Contains(f.url, text) {
			found = append(found, f)
		}
	}
	if err == nil && len(found) != 1 {
		code := steps.NotFound
		if len(found) > 1 {
			code = steps.Ambiguous
		}
		err = steps.Errorf(code, "%d frames have the name or address %q", len(found), text).WithNext("the frames: " + strings.Join(names, ", "))
	}
	if err == nil {
		place, id = found[0].place, found[0].id
	}
	for _, f := range all {
		if f.id == "" && f.place != place {
			f.place.Detach()
		}
	}
	return place, id, err
}

// frames lists the frames of a page, connected to those of other sites.
func (p *Page) frames(ctx context.Context) (all []frame, err error) {
	own, err := p.frameTree(ctx)
	if err != nil {
		return nil, err
	}
	all = frame{place: p}.add(nil, own)
	sites, err := p.targets(ctx, "iframe")
	if err != nil {
		return nil, err
	}
	parents := map[string]string{}
	for _, t := range sites {
		parents[t.ID] = t.ParentID
	}
	for _, t := range sites {
		above := t.ID
		for above != "" && above != p.ID {
			above = parents[above]
		}
		if above == "" {
			continue // of another tab
		}
		place, err := p.Attach(ctx, Tab{ID: t.ID, URL: t.URL, PID: p.PID})
		if err != nil {
			continue // it is gone
		}
		tree, err := place.frameTree(ctx)
		if err != nil {
			place.Detach()
			continue
		}
		all = append(all, frame{place, "", tree.Frame.Name, tree.Frame.URL})
		all = frame{place: place}.add(all, tree)
	}
	return all, nil
}

func (p *Page) frameTree(ctx context.Context) (frameTree, error) {
	var got struct{ FrameTree frameTree }
	err := p.call(ctx, "Page.getFrameTree", nil, &got)
	return got.FrameTree, advised(err)
}

// contextOf returns the context of a frame.
func (p *Page) contextOf(id string) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, c := range p.contexts {
		if c.AuxData.FrameID == id {
			return c.ID, nil
		}
	}
	return 0, steps.Errorf(steps.NotActionable, "the frame runs no scripts")
}

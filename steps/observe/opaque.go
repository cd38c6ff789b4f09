package observe

import (
	"context"
	"image"
	"slices"

	"understudy/internal/desktop"
	"understudy/steps/aim"
)

const (
	leastOpaque = 32 // the least width and height of an opaque element
	edgeOpaque  = 3  // the width of the ignored edge, where a border or the focus may be drawn
	leastShade  = 32 // the least difference of a colour that is no shading
)

// markOpaque marks the elements that show more than the application exposes, such as
// canvases and the icon views of some toolkits. Whether an element without children is
// just empty is decided by its pixels.
func markOpaque(ctx context.Context, d *desktop.Desktop, t *desktop.Tree) {
	var doubtful []*desktop.Element
	t.Walk(func(e *desktop.Element) bool {
		switch {
		case e.Note != "" || !e.Leaf || !e.States.Has(desktop.Showing) || e.Text != "" || e.Value != nil || min(e.Bounds.W, e.Bounds.H) < leastOpaque:
		case e.Role == "canvas":
			e.Note = desktop.Opaque
		case mayBeOpaque(e):
			doubtful = append(doubtful, e)
		}
		return true
	})
	if len(doubtful) == 0 {
		return
	}
	windows, failed := d.Windows(ctx)
	screen, err := aim.Screen(ctx, d)
	if failed != nil || err != nil {
		return
	}
	picture, err := d.Capture(ctx, screen)
	if err != nil {
		return
	}
	for _, e := range doubtful {
		area, besides := visiblePart(e, windows, t)
		from := image.Pt(screen.X, screen.Y).Sub(picture.Rect.Min)
		if drawnIn(picture, area.Intersect(screen).Image().Sub(from).Inset(edgeOpaque), besides, from) {
			e.Note = desktop.Opaque
		}
	}
}

// mayBeOpaque reports whether elements of this role usually have children. An empty part
// of a page is mere decoration, and a part of a field shows its text.
func mayBeOpaque(e *desktop.Element) bool {
	if slices.Contains([]desktop.Role{"calendar", "dialog", "document", "embedded", "frame", "media"}, e.Role) {
		return true
	}
	within := e.Enclosing(func(p *desktop.Element) bool { return p.Role == "document" || p.Role == "text" && p.Text != "" })
	return within == nil && e.Role.Is(desktop.Container|desktop.Rows) && e.Role != "separator"
}

// visiblePart returns the part of an element that its ancestors show, and what lies over
// it: other elements, and windows.
func visiblePart(e *desktop.Element, windows desktop.Windows, t *desktop.Tree) (area desktop.Rect, over []image.Rectangle) {
	area = e.Bounds
	around := map[*desktop.Element]bool{e: true}
	for p := e.Parent; p != nil; p = p.Parent {
		around[p] = true
		if !p.Bounds.Empty() {
			area = area.Intersect(p.Bounds)
		}
	}
	t.Walk(func(o *desktop.Element) bool {
		if o.Window == e.Window && !around[o] && !o.Role.Is(desktop.Container) && !o.Bounds.Intersect(area).Empty() {
			over = append(over, o.Bounds.Image())
		}
		return true
	})
	above := false
	for _, w := range windows {
		if above && w.Shows() {
			over = append(over, w.Bounds.Image())
		}
		above = above || w.ID == e.Window
	}
	return area, over
}

// drawnIn reports whether an area of a picture has more than one colour outside of the
// areas over it; from is the offset from points of the picture to points of the screen.
func drawnIn(p *image.RGBA, area image.Rectangle, over []image.Rectangle, from image.Point) bool {
	var plain []byte
	for y := area.Min.Y; y < area.Max.Y; y++ {
	next:
		for x := area.Min.X; x < area.Max.X; x++ {
			for _, o := range over {
				if at := image.Pt(x, y).Add(from); at.In(o) {
					x = o.Max.X - from.X - 1
					continue next
				}
			}
			colour := p.Pix[p.PixOffset(x, y):][:3]
			if plain == nil {
				plain = colour
			}
			for i, c := range colour {
				if max(c, plain[i])-min(c, plain[i]) >= leastShade {
					return true
				}
			}
		}
	}
	return false
}

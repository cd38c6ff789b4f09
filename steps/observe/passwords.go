package observe

import (
	"context"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"slices"
	"sync"
	"time"

	"understudy/steps/desktop"
)

// password is the role of the fields that are blanked.
const password desktop.Role = "password"

// blankWithin bounds the search for password fields.
const blankWithin = 3 * time.Second

// Passwords remembers where password fields are, so that they can be painted over on
// pictures. They are searched after a picture was taken, when what it shows may be
// gone already; so the places of the last search are painted over too, as long as
// their windows exist. A field that was a password field once stays one, because
// applications report one that reveals its text as an ordinary field. Fields of
// applications that do not answer in time, and fields that reveal their text from the
// start, are not covered.
type Passwords struct {
	mu    sync.Mutex
	of    desktop.Session                     // whose fields they are; guarded by mu
	seen  map[desktop.WindowID][]desktop.Rect // the last time, from the corner of their window; guarded by mu
	known map[desktop.Handle]desktop.WindowID // all that were ever seen, while their windows stand; guarded by mu
}

// Where returns where the fields of the last search must be now.
func (w *Passwords) Where(ctx context.Context, d *desktop.Desktop) []desktop.Rect {
	seen := w.recall(d)
	if len(seen) == 0 {
		return nil
	}
	windows, err := d.Windows(ctx)
	if err != nil {
		return nil
	}
	var all []desktop.Rect
	for _, window := range windows {
		if !window.Shows() {
			continue
		}
		for _, field := range seen[window.ID] {
			all = append(all, moved(field, window.Bounds.X, window.Bounds.Y))
		}
	}
	return all
}

// Find searches for the fields that show now.
func (w *Passwords) Find(ctx context.Context, d *desktop.Desktop) (fields []desktop.Rect) {
	ctx, cancel := context.WithTimeout(ctx, blankWithin)
	defer cancel()
	tree, err := d.Tree(ctx, desktop.Scope{Full: true, Of: password})
	if err != nil {
		return nil
	}
	shown := map[desktop.Handle]bool{}
	var all []*desktop.Element
	tree.Walk(func(e *desktop.Element) bool {
		if e.Role == password {
			w.Note(d, e)
			all, shown[e.Handle] = append(all, e), true
		}
		return true
	})
	all = append(all, w.revealed(ctx, d, shown)...)
	seen := map[desktop.WindowID][]desktop.Rect{}
	for _, e := range all {
		field := cover(e)
		nowhere := isUnplaced(ctx, d, e)
		if nowhere {
			field = anywhere
		}
		if nowhere || !e.Bounds.Empty() {
			fields = append(fields, field)
			seen[e.Window] = append(seen[e.Window], moved(field, -e.WindowBounds.X, -e.WindowBounds.Y))
		}
	}
	w.remember(d, seen, len(tree.Unread) == 0)
	return fields
}

// Note remembers an element if it is a password field, and reports whether it is or was
// one.
func (w *Passwords) Note(d *desktop.Desktop, e *desktop.Element) bool {
	if e.Handle == "" {
		return e.Role == password
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.startOver(d)
	if e.Role == password {
		w.known[e.Handle] = e.Window
	}
	_, known := w.known[e.Handle]
	return known
}

// revealed returns the fields that were password fields and show as others now. Fields
// that are gone are forgotten.
func (w *Passwords) revealed(ctx context.Context, d *desktop.Desktop, shown map[desktop.Handle]bool) (all []*desktop.Element) {
	before := w.before(d)
	if len(before) == 0 { // as on most screens: nothing need be asked
		return nil
	}
	windows, err := d.Windows(ctx)
	for h, id := range before {
		if shown[h] {
			continue
		}
		gone := err == nil && id != 0 && windows.ByID(id) == nil
		e, failed := (*desktop.Element)(nil), error(desktop.ErrNotFound)
		if !gone {
			e, failed = d.Refresh(ctx, h)
		}
		switch {
		case errors.Is(failed, desktop.ErrNotFound):
			w.forget(h)
		case failed == nil && e.States.Has(desktop.Showing):
			all = append(all, e)
		}
	}
	return all
}

// before returns the fields that were ever seen.
func (w *Passwords) before(d *desktop.Desktop) map[desktop.Handle]desktop.WindowID {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.startOver(d)
	return maps.Clone(w.known)
}

func (w *Passwords) forget(h desktop.Handle) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.known, h)
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

// margin is how far around the box of a field is painted over: toolkits differ in whether
// its border and what lies beside its text belong to it, and some are a little off.
const margin = 12

// anywhere is an area that holds every screen.
var anywhere = desktop.Rect{X: -1 << 20, Y: -1 << 20, W: 1 << 21, H: 1 << 21}

// isUnplaced reports whether a field shows in a window of which nobody tells where it is.
func isUnplaced(ctx context.Context, d *desktop.Desktop, e *desktop.Element) bool {
	if !e.Bounds.Empty() || !e.States.Has(desktop.Showing) {
		return false
	}
	windows, err := d.Windows(ctx)
	w := windows.ByID(e.Window)
	return err != nil || w != nil && !w.Unplaced.Empty()
}

// cover returns the area in which the text of a field may show.
func cover(e *desktop.Element) desktop.Rect {
	b := e.Bounds
	return desktop.Rect{X: b.X - margin, Y: b.Y - margin, W: b.W + 2*margin + e.Loose.X, H: b.H + 2*margin + e.Loose.Y}
}

func moved(r desktop.Rect, x, y int) desktop.Rect {
	r.X, r.Y = r.X+x, r.Y+y
	return r
}

// startOver forgets everything if d is another desktop than before. Sessions are
// compared, because wrapped desktops are the same one. The caller holds mu.
func (w *Passwords) startOver(d *desktop.Desktop) {
	if w.of != d.Session || w.known == nil {
		w.of, w.seen, w.known = d.Session, nil, map[desktop.Handle]desktop.WindowID{}
	}
}

func (w *Passwords) recall(d *desktop.Desktop) map[desktop.WindowID][]desktop.Rect {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.startOver(d)
	return w.seen
}

// remember replaces the fields that were seen, or adds to them if not every
// application answered.
func (w *Passwords) remember(d *desktop.Desktop, seen map[desktop.WindowID][]desktop.Rect, all bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.startOver(d)
	for id, fields := range w.seen {
		if _, again := seen[id]; !again && !all {
			seen[id] = fields
		}
	}
	w.seen = seen
}

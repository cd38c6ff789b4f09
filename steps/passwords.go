package steps

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"maps"
	"slices"
	"sync"
	"time"

	"understudy/steps/desktop"
)

// blankWithin is how long finding the password fields may take. It is mostly
// done beside the run.
const blankWithin = 3 * time.Second

// Passwords knows where the password fields of a screen are, and paints over
// them on pictures. It reads where they are once a picture was taken, and by
// then what it shows may have gone; so it also paints over those that it saw
// the last time, while their windows stand. A field that was a password field
// once stays one, also when it shows what it holds: applications then say that
// it is like any other. Its limit: the fields of an application that tells
// nothing in time, and what was shown in the clear from its first sight on,
// stay as they are.
type Passwords struct {
	mu    sync.Mutex
	of    desktop.Session                     // whose fields they are; guarded by mu
	seen  map[desktop.WindowID][]desktop.Rect // the last time, from the corner of their window; guarded by mu
	known map[desktop.Handle]desktop.WindowID // all that were ever seen, while their windows stand; guarded by mu
}

// Where is where the fields must be that were seen the last time.
func (w *Passwords) Where(ctx context.Context, d *desktop.Desktop) []desktop.Rect {
	seen := w.recall(d)
	if len(seen) == 0 {
		return nil
	}
	windows, err := d.Windows.Windows(ctx)
	if err != nil {
		return nil
	}
	var all []desktop.Rect
	for _, window := range windows {
		if window.Minimized || window.Hidden {
			continue
		}
		for _, field := range seen[window.ID] {
			all = append(all, moved(field, window.Bounds.X, window.Bounds.Y))
		}
	}
	return all
}

// Blank paints over the password fields that show on a picture of the screen,
// which begins at a point of it, and over more areas of the screen.
func (w *Passwords) Blank(ctx context.Context, d *desktop.Desktop, p *image.RGBA, begin desktop.Point, more []desktop.Rect) {
	ctx, cancel := context.WithTimeout(ctx, blankWithin)
	defer cancel()
	fields := slices.Clone(more)
	if tree, err := d.Tree(ctx, desktop.Scope{Full: true}); err == nil {
		seen := map[desktop.WindowID][]desktop.Rect{}
		for _, e := range w.among(d, tree) {
			if !e.Bounds.Empty() {
				fields = append(fields, e.Bounds)
				seen[e.Window] = append(seen[e.Window], moved(e.Bounds, -e.WindowBounds.X, -e.WindowBounds.Y))
			}
		}
		w.remember(d, seen, len(tree.Unread) == 0)
		w.forget(ctx, d)
	}
	from := image.Pt(begin.X, begin.Y)
	for _, field := range fields {
		draw.Draw(p, field.Image().Sub(from).Add(p.Rect.Min), image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
}

// Note remembers an element if it is a password field. Nil remembers nothing.
func (w *Passwords) Note(d *desktop.Desktop, e *desktop.Element) {
	if w != nil && e.Role == "password" && e.Handle != "" {
		w.among(d, &desktop.Tree{Roots: []*desktop.Element{e}})
	}
}

// among are the elements of a tree that are password fields, or were.
func (w *Passwords) among(d *desktop.Desktop, tree *desktop.Tree) []*desktop.Element {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turnTo(d)
	var all []*desktop.Element
	tree.Walk(func(e *desktop.Element) bool {
		if _, before := w.known[e.Handle]; before || e.Role == "password" {
			w.known[e.Handle] = e.Window
			all = append(all, e)
		}
		return true
	})
	return all
}

// forget drops what was in windows that are gone.
func (w *Passwords) forget(ctx context.Context, d *desktop.Desktop) {
	windows, err := d.Windows.Windows(ctx)
	if err != nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	maps.DeleteFunc(w.known, func(_ desktop.Handle, id desktop.WindowID) bool {
		return id != 0 && !slices.ContainsFunc(windows, func(o desktop.Window) bool { return o.ID == id })
	})
}

func moved(r desktop.Rect, x, y int) desktop.Rect {
	r.X, r.Y = r.X+x, r.Y+y
	return r
}

// turnTo forgets all when it is asked of another desktop than before. A desktop
// that is watched is the same: only its session says which it is. The caller
// holds mu.
func (w *Passwords) turnTo(d *desktop.Desktop) {
	if w.of != d.Session || w.known == nil {
		w.of, w.seen, w.known = d.Session, nil, map[desktop.Handle]desktop.WindowID{}
	}
}

func (w *Passwords) recall(d *desktop.Desktop) map[desktop.WindowID][]desktop.Rect {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turnTo(d)
	return w.seen
}

// remember keeps what was seen now. When not every application told, what was
// seen before stays.
func (w *Passwords) remember(d *desktop.Desktop, seen map[desktop.WindowID][]desktop.Rect, all bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.turnTo(d)
	for id, fields := range w.seen {
		if _, again := seen[id]; !again && !all {
			seen[id] = fields
		}
	}
	w.seen = seen
}

package steps

import (
	"context"
	"image"
	"image/color"
	"image/draw"
	"sync"
	"time"

	"understudy/steps/desktop"
)

// password is the role of the fields that are blanked.
const password desktop.Role = "password"

// blankWithin is how long finding the password fields may take. It is mostly
// done beside the run.
const blankWithin = 3 * time.Second

// Passwords knows where the password fields of a screen are, to paint over them
// on pictures. It finds them once a picture was taken, and by then what that
// shows may have gone; so it also says where those must be that it found the last
// time, while their windows stand. Its limit: the fields of an
// application that tells nothing in time stay as they are, which is bullets.
type Passwords struct {
	mu   sync.Mutex
	of   *desktop.Desktop                    // whose fields they are; guarded by mu
	seen map[desktop.WindowID][]desktop.Rect // the last time, from the corner of their window; guarded by mu
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

// Find is where the fields are that show now.
func (w *Passwords) Find(ctx context.Context, d *desktop.Desktop) (fields []desktop.Rect) {
	ctx, cancel := context.WithTimeout(ctx, blankWithin)
	defer cancel()
	tree, err := d.Tree(ctx, desktop.Scope{Full: true, Of: password})
	if err != nil {
		return nil
	}
	seen := map[desktop.WindowID][]desktop.Rect{}
	tree.Walk(func(e *desktop.Element) bool {
		if e.Role == password && !e.Bounds.Empty() {
			fields = append(fields, e.Bounds)
			seen[e.Window] = append(seen[e.Window], moved(e.Bounds, -e.WindowBounds.X, -e.WindowBounds.Y))
		}
		return true
	})
	w.remember(d, seen, len(tree.Unread) == 0)
	return fields
}

// Blank paints over areas of the screen on a picture, which begins at a point of
// it.
func Blank(p *image.RGBA, begin desktop.Point, areas []desktop.Rect) {
	from := image.Pt(begin.X, begin.Y)
	for _, a := range areas {
		draw.Draw(p, a.Image().Sub(from).Add(p.Rect.Min), image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
}

func moved(r desktop.Rect, x, y int) desktop.Rect {
	r.X, r.Y = r.X+x, r.Y+y
	return r
}

func (w *Passwords) recall(d *desktop.Desktop) map[desktop.WindowID][]desktop.Rect {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.of != d {
		return nil
	}
	return w.seen
}

// remember keeps what was seen now. When not every application told, what was
// seen before stays.
func (w *Passwords) remember(d *desktop.Desktop, seen map[desktop.WindowID][]desktop.Rect, all bool) {
	before := w.recall(d)
	w.mu.Lock()
	defer w.mu.Unlock()
	for id, fields := range before {
		if _, again := seen[id]; !again && !all {
			seen[id] = fields
		}
	}
	w.of, w.seen = d, seen
}

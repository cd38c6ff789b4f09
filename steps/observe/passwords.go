package observe

import (
	"context"
	"errors"
	"maps"
	"sync"
	"time"

	"understudy/internal/desktop"
	"understudy/steps"
	"understudy/steps/aim"
)

// password is the role of the fields that are blanked.
const password desktop.Role = "password"

// blankWithin bounds the search for password fields.
const blankWithin = 3 * time.Second

// Passwords tracks password fields, so that they can be blanked on pictures. They are
// searched after a picture was taken, when what it shows may be gone already; so the
// places of the last search are blanked too, as long as their windows exist. A field that
// once was a password field stays one, because applications report a field that reveals
// its text as an ordinary one. Fields of applications that do not answer in time, and
// fields that reveal their text from the start, are not covered.
type Passwords struct {
	mu    sync.Mutex
	of    desktop.Session                     // of the fields; guarded by mu
	seen  map[desktop.WindowID][]desktop.Rect // in the last search, from the corner of their window; guarded by mu
	known map[desktop.Handle]desktop.WindowID // all that were ever seen and still exist; guarded by mu
}

// Where returns where the fields of the last search must be now.
func (w *Passwords) Where(ctx context.Context, d *desktop.Desktop) []desktop.Rect {
	unlock := w.lock(d)
	seen := w.seen
	unlock()
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
	defer w.lock(d)()
	if e.Role == password {
		w.known[e.Handle] = e.Window
	}
	_, known := w.known[e.Handle]
	return known
}

// revealed returns the fields that once were password fields and now show as others.
// Fields that are gone are removed.
func (w *Passwords) revealed(ctx context.Context, d *desktop.Desktop, shown map[desktop.Handle]bool) (all []*desktop.Element) {
	unlock := w.lock(d)
	before := maps.Clone(w.known)
	unlock()
	if len(before) == 0 { // the usual case needs no call
		return nil
	}
	windows, err := d.Windows(ctx)
	for h, id := range before {
		if shown[h] {
			continue
		}
		gone := err == nil && id != 0 && windows.ByID(id) == nil
		var e *desktop.Element
		var failed error
		if !gone {
			e, failed = d.Refresh(ctx, h)
		}
		switch {
		case gone, errors.Is(failed, desktop.ErrNotFound):
			unlock := w.lock(d)
			delete(w.known, h)
			unlock()
		case failed == nil && e.States.Has(desktop.Showing):
			all = append(all, e)
		}
	}
	return all
}

// margin is the blanked border around the box of a field: toolkits differ in what belongs
// to the box, and some are a little off.
const margin = 12

// anywhere is an area that holds every screen.
var anywhere = desktop.Rect{X: -1 << 20, Y: -1 << 20, W: 1 << 21, H: 1 << 21}

// isUnplaced reports whether a field shows in a window whose place is unknown.
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

// lock locks w, and forgets everything if d is another desktop than before. Sessions are
// compared, because wrapped desktops are the same one.
func (w *Passwords) lock(d *desktop.Desktop) (unlock func()) {
	w.mu.Lock()
	if w.of != d.Session || w.known == nil {
		w.of, w.seen, w.known = d.Session, nil, map[desktop.Handle]desktop.WindowID{}
	}
	return w.mu.Unlock
}

// remember replaces the fields that were seen, or adds to them if not every
// application answered.
func (w *Passwords) remember(d *desktop.Desktop, seen map[desktop.WindowID][]desktop.Rect, all bool) {
	defer w.lock(d)()
	for id, fields := range w.seen {
		if _, again := seen[id]; !again && !all {
			seen[id] = fields
		}
	}
	w.seen = seen
}

// NoteTarget notes that the text of the arguments goes into el. A password field is kept,
// so that it is blanked even when it reveals its text. nil, an unknown element, counts as
// no password field.
func NoteTarget(env *steps.Env, el *desktop.Element) {
	hidden := el != nil && el.Role == password
	if el != nil && env.Passwords != nil {
		hidden = env.Passwords.Note(env.Desktop, el)
	}
	env.NoteTyped(hidden)
}

// NoteFocus notes that the text goes into the focused element.
func NoteFocus(ctx context.Context, env *steps.Env) {
	if el := aim.Focused(ctx, env.Desktop); ctx.Err() == nil {
		NoteTarget(env, el)
	}
}

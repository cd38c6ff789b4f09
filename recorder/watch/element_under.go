package watch

import (
	"context"
	"image"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

const (
	// elementTimeout bounds a hit test after a button press, and a read of a field.
	elementTimeout = 100 * time.Millisecond
	// maxSelectors is the most selectors that are kept of an element.
	maxSelectors = 6
)

// underPointer is the result of the last hit test, made when the pointer rested.
type underPointer struct {
	at      desktop.Point
	seen    *recorder.Seen
	sheet   desktop.Handle // the sheet of the cell
	shot    *image.RGBA    // a picture of it
	shotAt  desktop.Point  // the middle of the picture
	program programHandles // the elements of its program at that time
	when    time.Time
	known   time.Time // when the answer came; an earlier press may have changed it
	late    bool      // more input had arrived by then
	turned  time.Time // when the wheel was turned there last, which may have moved another element there
}

// pointer is where the pointer is, and what is under it.
type pointer struct {
	*shared
	keys      *focus // of the keyboard
	at        desktop.Point
	pressedAt *desktop.Point // where a button was pressed
	under     underPointer
	// underBefore is what was under the pointer until windowsMoved, for a press reported after it.
	underBefore  underPointer
	windowsMoved time.Time
	restTimer    *time.Timer
	restPending  bool           // a hit test is due
	lastPressed  programHandles // the elements of the program of the last press, at that time
}

// scheduleLook schedules a hit test under the pointer.
func (p *pointer) scheduleLook(after time.Duration) {
	p.restTimer.Reset(after)
	p.restPending = true
}

// rest makes a hit test where the pointer rests. A page is asked what it shows there: of the boxes
// of its elements it is unknown which covers which.
func (p *pointer) rest(ctx context.Context) {
	p.under = p.lookAt(ctx, p.at, treeTimeout, func(ctx context.Context, at desktop.Point) (*desktop.Element, error) {
		if e, err := p.desktop.Hit(ctx, at); err == nil && e.Role != "document" {
			return e, nil
		}
		return p.desktop.ElementAt(ctx, at)
	})
}

// lookAt makes a hit test, bounded by a timeout.
func (p *pointer) lookAt(ctx context.Context, at desktop.Point, within time.Duration, hitTest func(context.Context, desktop.Point) (*desktop.Element, error)) underPointer {
	u := underPointer{at: at, when: time.Now()}
	short, cancel := context.WithTimeout(ctx, p.timeout(within))
	defer cancel()
	var e *desktop.Element
	w := p.windows.At(at)
	inPopup := w != nil && w.Popup
	if inPopup {
		e = p.menuItemAt(short, p.windows.Active(), at)
	}
	if e == nil {
		e = p.cellAt(short, at)
	}
	if e == nil {
		e, _ = hitTest(short, at)
	}
	if e != nil {
		u.seen = p.describe(ctx, e)
		u.program = p.lastRead
		known := same(p.view.roots, e)
		if box := dropDownFrom(known); box != nil && box.Bounds.Contains(at) && !inPopup {
			u.seen = seenIn(box, p.view.roots)
		}
		nameOption(u.seen, known)
		if known != nil && isSheetCell(known) {
			u.sheet = known.Parent.Handle
		}
	} else {
		u.seen = p.recall(at)
	}
	u.shot, u.shotAt = p.capture(ctx, at, u.seen)
	u.known, u.late = time.Now(), p.queue.hasAction()
	return u
}

// nameOption sets the name of an option to that of its label, as GTK 4 has it.
func nameOption(t *recorder.Seen, e *desktop.Element) {
	if e == nil || t.Name != "" || !t.Role.Is(desktop.Option) {
		return
	}
	e.Walk(func(o *desktop.Element) bool {
		if o.Role == "label" && t.Name == "" {
			t.Name = o.Name
		}
		return t.Name == ""
	})
}

// recall finds the element at a point in the last tree, unless input came since. A click
// that closes its window can be faster than the hit test.
func (p *pointer) recall(at desktop.Point) *recorder.Seen {
	w := p.windows.At(at)
	if w == nil || w.Popup || p.view.pid != w.PID || !p.view.when.After(p.lastEffect) {
		return nil
	}
	best := findLast(p.view.roots, func(e *desktop.Element) bool {
		return e.Window == w.ID && e.States.Has(desktop.Showing) && e.Bounds.Contains(at) && !recorder.IsContainer(&recorder.Seen{Element: *e})
	})
	if best == nil || isSheet(best) {
		return nil
	}
	return seenIn(best, p.view.roots)
}

// menuItemAt returns the item of a menu or drop-down list at a point, in the active program. A hit
// test misses these, as they lie outside the boxes of their ancestors. Of items without bounds it is
// the highlighted one.
func (r *reader) menuItemAt(ctx context.Context, w *desktop.Window, at desktop.Point) *desktop.Element {
	if w == nil {
		return nil
	}
	return findLast(r.readProgram(ctx, &desktop.Element{PID: w.PID, Process: w.Process}), func(e *desktop.Element) bool {
		highlighted := e.Bounds.Empty() && (e.States.Has(desktop.Focused) || e.States.Has(desktop.Selected))
		return (e.Bounds.Contains(at) || highlighted) && (e.Role.Is(desktop.InMenu) || e.Role.Is(desktop.Option) && within(e, "combobox"))
	})
}

// elementAt returns the element at a point as it was before the press, which may change the screen.
func (p *pointer) elementAt(ctx context.Context, at desktop.Point) *recorder.Seen {
	if !recorder.Near(p.under.at, at) || !p.under.when.After(p.lastEffect) {
		p.under = p.lookAt(ctx, at, elementTimeout, p.desktop.ElementAt)
	}
	return p.under.seen
}

// describe adds the ancestors and selectors of an element.
func (r *reader) describe(ctx context.Context, e *desktop.Element) *recorder.Seen {
	r.hidePassword(e)
	roots := r.programOf(ctx, e)
	if found := same(roots, e); found != nil {
		found.States, found.Role = e.States, e.Role
		r.hidePassword(found)
		e = found
	}
	return seenIn(e, roots)
}

// seenIn returns an element of a program with its ancestors and selectors.
func seenIn(e *desktop.Element, roots []*desktop.Element) *recorder.Seen {
	known := candidates(e, roots) // may drop a label that is none
	t := &recorder.Seen{Element: *e, In: ancestors(e), Selectors: known}
	t.Children, t.Parent = nil, nil
	return t
}

// ancestors returns the elements around one, the nearest first.
func ancestors(e *desktop.Element) (kin []recorder.Ancestor) {
	const most = 8
	for p := e.Parent; p != nil && len(kin) < most; p = p.Parent {
		kin = append(kin, recorder.Ancestor{Role: p.Role, Name: p.Name})
	}
	return kin
}

// notePress records a button press.
func (r *recording) notePress(ctx context.Context, ev desktop.InputEvent) {
	r.noteActivity(ev.Time)
	rested := r.under.when
	if b := r.underBefore; b.seen != nil && ev.Time.Before(r.windowsMoved) && recorder.Near(b.at, ev.At) && b.when.Before(ev.Time) {
		r.under = b
	}
	r.underBefore = underPointer{}
	t := r.elementAt(ctx, ev.At)
	if t != nil {
		t.New = r.lastPressed.lack(&r.under)
		r.lastPressed = r.under.program
	}
	if (t == nil || t.Drawn()) && r.under.when.After(ev.Time) {
		r.under.shot = nil // it shows what the press did
	}
	r.write(recorder.Event{
		Type: recorder.Pressed, Time: ev.Time, At: ev.At, Picture: r.journal.savePicture(r.under.shot), PictureAt: r.under.shotAt, Button: ev.Button, Mods: ev.Mods,
		Element: t, Window: r.windows.At(ev.At),
	})
	r.unnamed.add(t, 0)
	r.pressedAt, r.at = &ev.At, ev.At
	if t != nil {
		r.pressedOn = t.Handle
	}
	r.lastEffect = time.Now()
	r.focusClicked(ctx, t)
	if c := &r.choice; t != nil && c.is(t.Handle) && !t.DropDown() {
		late := c.box == t && (r.under.late || r.under.when != rested || ev.Time.Before(r.under.known))
		if late || ev.Time.Before(c.known) && c.box != t {
			c.shows = "" // the hit test came after the press, which may have changed it
		}
	}
}

// noteRelease records a button release, with the element under it after a drag.
func (r *recording) noteRelease(ctx context.Context, ev desktop.InputEvent) {
	out := recorder.Event{Type: recorder.Released, Time: ev.Time, At: ev.At, Button: ev.Button}
	if r.pressedAt != nil && !recorder.Near(*r.pressedAt, ev.At) {
		if windows, err := r.desktop.Windows(ctx); err == nil {
			out.Window = windows.At(ev.At) // the drag may have moved some
		}
		out.Element = r.lookAt(ctx, ev.At, elementTimeout, r.desktop.ElementAt).seen
	}
	r.pressedAt, r.lastActivity, r.lastPress = nil, ev.Time, ev.Time
	r.write(out)
	r.rereadSoon()
	r.lastEffect = time.Now()
	r.scheduleLook(2 * restDelay)
}

// noteTurn records a turn of the wheel. Turns without other input between them are of the same
// element, which the first may have scrolled away.
func (r *recording) noteTurn(ctx context.Context, ev desktop.InputEvent) {
	r.noteActivity(ev.Time)
	r.textTimer.Reset(rereadDelay)
	r.view.stale = true
	r.noteHidden(ctx, ev.At)
	if again := r.under.turned; again.IsZero() || r.lastEffect.After(again) || !recorder.Near(r.under.at, ev.At) {
		r.elementAt(ctx, ev.At)
	}
	r.write(recorder.Event{Type: recorder.Turned, Time: ev.Time, At: ev.At, DX: ev.DX, DY: ev.DY, Mods: ev.Mods, Element: r.under.seen, Window: r.windows.At(ev.At)})
	r.lastEffect = time.Now()
	r.under.turned = r.lastEffect
	r.scheduleLook(turnsDelay)
}

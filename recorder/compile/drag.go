package compile

import (
	"math"
	"strings"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// middle is the part of an element's size around its middle in which a drag means the whole element.
const middle = 0.25

// dragged handles a press and a release at two places. Only the points are kept if no element is
// known, or the drag leaves its program.
func (p *pointer) dragged(down, up recorder.Event) {
	p.waitForText()
	if down.Element == nil || down.Element.Drawn() { // its picture has the place in its middle
		at := placeOf(down, p.pictureOf(down))
		up.At.X, up.At.Y = up.At.X+at.X-down.At.X, up.At.Y+at.Y-down.At.Y
		down.At = at
	}
	s := &step{kind: mouseDrag, subject: "drag", summary: "drag from " + down.At.String() + " to " + up.At.String(), letGo: &up.At, begin: down.Time}
	t := down.Element
	if t != nil {
		s.subject, s.summary = "drag "+nameOf(t), "drag "+describe(t)
		s.setTarget(t)
	} else {
		s.setWindow(down.Window)
	}
	if !p.dragTo(s, down, up) {
		p.dragPoints(s, down, up)
	}
	s.selects = t.TakesText() && t.Bounds.Contains(up.At)
	if down.Button != desktop.Left {
		s.set("button", string(down.Button))
	}
	s.doubtHeld(strings.Join(modNames(down.Mods), "+"))
	p.act(s)
}

// dragTo describes a drag relative to its element, if possible.
func (p *pointer) dragTo(s *step, down, up recorder.Event) bool {
	t, to, from, end := down.Element, up.Element, down.At, up.At
	if t == nil || !t.Bounds.Contains(from) || len(unique(t)) == 0 {
		return false
	}
	inside := t.Bounds.Contains(end)
	if inside || t.Drawn() || !nearMiddle(t, from) {
		s.set("start_position", position(t, from))
		p.setDrawn(s, down)
	}
	switch {
	case !inside && to != nil && to.Bounds.Contains(end) && t.PID == to.PID && len(unique(to)) > 0 && !sameElement(t, to) && !encloses(to, t) && !recorder.IsContainer(to):
		s.set("to_selector", unique(to)[0])
		if !nearMiddle(to, end) {
			s.set("end_position", position(to, end))
		}
		s.summary += " to " + describe(to)
	case inside:
		s.set("end_position", position(t, end))
	case to == nil || t.PID == to.PID:
		s.set("by_x", end.X-from.X)
		s.set("by_y", end.Y-from.Y)
	default:
		s.drop("start_position", "drawn")
		return false
	}
	return true
}

// dragPoints describes a drag by points: of its window, unless it ends in another, or else of the
// screen. A drag that leaves its window, as one of its title bar or of its corner, ends some way from
// its start.
func (p *pointer) dragPoints(s *step, down, up recorder.Event) {
	w, to := down.Window, up.Window
	if !inWindow(down) || to != nil && to.ID != w.ID && !to.Popup {
		s.set("start_x", down.At.X)
		s.set("start_y", down.At.Y)
		s.set("end_x", up.At.X)
		s.set("end_y", up.At.Y)
		s.doubt("this drag goes from point to point of the screen, so its window must be where it was")
		return
	}
	s.set("process", programName(w.Process))
	s.set("start_x", down.At.X-w.Bounds.X)
	s.set("start_y", down.At.Y-w.Bounds.Y)
	if w.Bounds.Contains(up.At) {
		s.set("end_x", up.At.X-w.Bounds.X)
		s.set("end_y", up.At.Y-w.Bounds.Y)
	} else {
		s.set("by_x", up.At.X-down.At.X)
		s.set("by_y", up.At.Y-down.At.Y)
	}
	s.set("in_window", true)
	file := ""
	if down.Element == nil || down.Element.Drawn() { // else the picture shows the element
		file = p.pictureOf(down)
	}
	s.set("drawn", drawnIn(w, file))
	s.doubt("this drag goes from place to place of its window, if %s", sameAs(file))
}

// setDrawn keeps the size of the element of a press, and the picture of the place, if it draws its
// content itself.
func (p *pointer) setDrawn(s *step, ev recorder.Event) {
	if !ev.Element.Drawn() {
		return
	}
	s.set("drawn", drawn(ev.Element.Bounds, p.pictureOf(ev)))
}

// encloses reports whether an element lies around another.
func encloses(outer, inner *recorder.Seen) bool {
	return outer.Bounds.Contains(inner.Bounds.Center()) && outer.Bounds.W >= inner.Bounds.W && outer.Bounds.H >= inner.Bounds.H
}

// nearMiddle reports whether a point is about the middle of an element.
func nearMiddle(t *recorder.Seen, at desktop.Point) bool {
	m := t.Bounds.Center()
	far := func(d, size int) bool { return math.Abs(float64(d)) > middle*float64(size) }
	return !far(at.X-m.X, t.Bounds.W) && !far(at.Y-m.Y, t.Bounds.H)
}

// position returns a point as a place in an element, to a tenth of a percent.
func position(t *recorder.Seen, at desktop.Point) []arg {
	percent := func(at, from, size int) float64 {
		return math.Round((float64(at-from)+0.5)*1000/float64(size)) / 10
	}
	return []arg{
		{Key: "x_percentage", Value: percent(at.X, t.Bounds.X, t.Bounds.W)},
		{Key: "y_percentage", Value: percent(at.Y, t.Bounds.Y, t.Bounds.H)},
	}
}

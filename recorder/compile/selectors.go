package compile

import (
	"fmt"
	"slices"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
)

// untried is the doubt about a selector that was not tried.
const untried = "its selector was not tried when it was recorded"

// maxAlternatives is how many other selectors a step gets beside its first.
const maxAlternatives = 2

// setTarget sets the element of a step: its program, best selector and alternatives.
func (s *step) setTarget(t *recorder.Seen) {
	s.target, s.process, s.pid, s.window = t, programName(t.Process), t.PID, t.Window
	s.targetDoubts = nil
	s.drop("alternative_selectors", "fallback_selectors", "fallback_point")
	if t.Process != "" {
		s.set("process", s.process)
	}
	good := unique(t)
	if len(good) == 0 {
		s.set("selector", s.guessSelector(t))
		return
	}
	s.set("selector", good[0])
	if recorder.Positional(good[0]) {
		s.targetDoubts = append(s.targetDoubts, "it is distinguished from similar elements only by its position among them")
	}
	if others := alternatives(good[1:], good[0]); len(others) > 0 {
		s.insert("selector", "alternative_selectors", others)
	}
}

// unique returns the selectors that match only the element and that a person might write.
// If there are none, it returns those that name the program again, a part of the toolkit
// or the content of the element.
func unique(t *recorder.Seen) []string {
	var good, last []string
	for _, c := range t.Selectors {
		switch {
		case c.Matches != 1:
		case strings.Contains(c.Selector, "process:") || !selector.Lasting(c.Selector) || recorder.NamesToolkit(c.Selector) || namesContent(c.Selector, t) || namesChoice(c.Selector, t):
			last = append(last, c.Selector)
		default:
			good = append(good, c.Selector)
		}
	}
	if len(good) == 0 {
		return last
	}
	return good
}

// namesContent reports whether a selector names an element by its content.
func namesContent(sel string, t *recorder.Seen) bool {
	text := strings.Join(strings.Fields(t.Text), " ")
	return text != "" && recorder.ShowsContent(t) && (strings.Contains(sel, "name:"+selector.Quote(text)) || strings.Contains(sel, "text:"+selector.Quote(text)))
}

// namesChoice reports whether a selector names a combo box by what is chosen in it,
// as Qt does, though a label beside it says what it is for.
func namesChoice(sel string, t *recorder.Seen) bool {
	if !t.DropDown() || t.Name == "" || !strings.Contains(sel, "name:"+selector.Quote(t.Name)) {
		return false
	}
	return slices.ContainsFunc(t.Selectors, func(c selector.Candidate) bool {
		way := wayOf(c.Selector)
		return c.Matches == 1 && (way == "rightof:" || way == "below:") && !strings.Contains(c.Selector, t.Name)
	})
}

// alternatives returns a few selectors that find the element in another way than the first and than
// each other: by position only if the first does.
func alternatives(all []string, first string) []string {
	var some []string
	for _, s := range all {
		same := func(o string) bool { return wayOf(o) == wayOf(s) || strings.HasSuffix(s, ">> "+o) }
		if len(some) < maxAlternatives && (recorder.Positional(first) || !recorder.Positional(s)) && !same(first) && !slices.ContainsFunc(some, same) {
			some = append(some, s)
		}
	}
	return some
}

// wayOf returns the property by which a selector distinguishes its element.
func wayOf(sel string) string {
	last := sel[strings.LastIndex(sel, ">>")+1:]
	for _, way := range []string{"nth", "pos:", "rightof:", "below:", "id:", "text:", "name:"} {
		if strings.HasPrefix(last, way) || strings.Contains(last, " "+way) {
			return way
		}
	}
	return "role:"
}

// guessSelector returns a selector for an element that has no unique one.
func (s *step) guessSelector(t *recorder.Seen) string {
	if len(t.Selectors) > 0 {
		c := t.Selectors[0]
		s.targetDoubts = append(s.targetDoubts, fmt.Sprintf("%d elements matched its selector when it was recorded", c.Matches))
		return c.Selector
	}
	s.targetDoubts = append(s.targetDoubts, untried)
	name := t.Name
	if !t.Named() {
		name = t.Label
	}
	if strings.TrimSpace(name) == "" {
		return "role:" + string(t.Role)
	}
	return "role:" + string(t.Role) + " && name:" + selector.Quote(name)
}

// setWindow sets the window of a step without an element.
func (s *step) setWindow(w *desktop.Window) {
	if w != nil {
		s.process, s.pid, s.window = programName(w.Process), w.PID, w.ID
	}
}

// setPoint sets a point of the screen.
func (s *step) setPoint(at desktop.Point) {
	s.set("x", at.X)
	s.set("y", at.Y)
	s.doubt("no element was found there, so only the point of the screen is known")
}

// hasPlaces reports whether a place can be told by its window.
func hasPlaces(w *desktop.Window) bool {
	return w != nil && w.Process != "" && !w.Bounds.Empty()
}

func inWindow(ev recorder.Event) bool {
	return hasPlaces(ev.Window) && ev.Window.Bounds.Contains(ev.At)
}

// placeOf returns the place of a press: the middle of its picture, if that is used.
func placeOf(ev recorder.Event, picture string) desktop.Point {
	if picture != "" && ev.PictureAt != (desktop.Point{}) {
		return ev.PictureAt
	}
	return ev.At
}

// offset returns a point as a place in a window, from its corner.
func offset(at desktop.Point, w *desktop.Window) []arg {
	return []arg{{Key: "x", Value: at.X - w.Bounds.X}, {Key: "y", Value: at.Y - w.Bounds.Y}}
}

// drawn returns the size of an element or a window, and the picture of a place in it, if there is
// one.
func drawn(box desktop.Rect, picture string) []arg {
	known := []arg{{Key: "width", Value: box.W}, {Key: "height", Value: box.H}}
	if picture != "" {
		known = append(known, arg{Key: "picture", Value: picture})
	}
	return known
}

// drawnIn returns the same of a window.
func drawnIn(w *desktop.Window, picture string) []arg {
	known := drawn(w.Bounds, picture)
	if w.Popup {
		known = append(known, arg{Key: "popup", Value: true})
	}
	return known
}

// programName returns the name of a program as a person knows it.
func programName(process string) string { return strings.TrimSuffix(process, ".bin") }

// named handles late selectors: steps with the element get them.
func (c *Compiler) named(ev recorder.Event) {
	t := ev.Element
	if t == nil {
		return
	}
	c.replaceElements(func(o *recorder.Seen) *recorder.Seen {
		if isNamed(o, t) && len(o.Selectors) == 0 {
			return t
		}
		return o
	})
}

// narrowed handles better selectors of an element, for all steps with it.
func (c *Compiler) narrowed(ev recorder.Event) {
	c.replaceElements(func(o *recorder.Seen) *recorder.Seen {
		if !isNamed(o, ev.Element) {
			return o
		}
		better := *o
		better.Selectors = ev.Element.Selectors
		return &better
	})
}

// isNamed reports whether selectors that were found for an element are for another: the same one,
// and not one that has its place on another page.
func isNamed(o, t *recorder.Seen) bool { return o != nil && sameElement(o, t) && o.Name == t.Name }

// replaceElements updates elements wherever they are kept.
func (c *Compiler) replaceElements(now func(*recorder.Seen) *recorder.Seen) {
	for n, field := range c.fields {
		c.fields[n] = now(field)
	}
	if c.typing != nil {
		c.typing.target = now(c.typing.target)
	}
	if c.press != nil {
		c.press.Element = now(c.press.Element)
	}
	for _, s := range c.steps {
		if better := now(s.target); better != s.target {
			s.setTarget(better)
		}
	}
}

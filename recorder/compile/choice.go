package compile

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// chosen handles a new value: the steps that led to it become one step that sets it.
func (c *Compiler) chosen(ev recorder.Event) {
	if ev.Element == nil || isBlank(ev.Value) || c.chosenLate(ev) {
		return
	}
	if ev.Element.Role == "radiobutton" && *ev.Value == recorder.Off {
		return // another of its group is on: what chose that stays as it is
	}
	c.flush()
	from := c.steps.causeOf(ev.Element)
	s := selects(ev.Element, *ev.Value)
	switch {
	case from >= 0:
		c.list.closed = c.list.closed || c.list.window == 0 && byKeys(c.steps[from:])
		s.begin, s.letGo, s.known = c.steps[from].begin, c.steps.last().letGo, ev.Time
		c.steps = c.steps[:from]
	case c.misses(desktop.KeyPress):
		c.switchTo(ev.Element.Window)
	default:
		return // the program did it by itself
	}
	c.popup = nil
	c.emit(s)
}

// chosenLate corrects the value of a slider used some steps ago: browsers report it when the slider
// loses the focus, and may report intermediate values first.
func (c *Compiler) chosenLate(ev recorder.Event) bool {
	if !ev.Element.Slider() {
		return false
	}
	for i, old := range slices.Backward(c.steps) {
		if !sameElement(old.target, ev.Element) {
			continue
		}
		newest := i == len(c.steps)-1 && (c.typing == nil || sameElement(c.typing.target, ev.Element))
		s := selects(ev.Element, *ev.Value)
		s.begin, s.end, s.expect, s.letGo = old.begin, old.end, old.expect, old.letGo
		if newest || old.letGo == nil || old.isChoice() && s.distance() >= old.distance() {
			return false
		}
		c.steps[i] = s
		return true
	}
	return false
}

// openList is the list of a combo box. Some are no window of their own: of these it is unknown
// where they are, and when they close.
type openList struct {
	window desktop.WindowID
	closed bool
}

// inList reports whether a point may be in the list of the combo box that was clicked last.
func (c *compilation) inList(at desktop.Point) bool {
	return !c.list.closed && (c.list.window == 0 || c.inPopup(at))
}

// byKeys reports whether steps used a combo box with the keyboard only, so its list was not open.
func byKeys(steps stepList) bool {
	keys := false
	for _, s := range steps {
		if s.click != nil {
			return false
		}
		keys = keys || s.kind == pressKey || s.kind == pressKeyGlobal
	}
	return keys
}

// distance returns how far the value of a slider is from the point where the pointer let
// go of it: a value that the program sets afterwards, as a reset does, is further away
// than the intended value. It is 0 for sliders that are not horizontal.
func (s *step) distance() float64 {
	b, r := s.target.Bounds, s.target.Value
	value, ok := s.arg("value").(float64)
	if !ok || b.W <= b.H {
		return 0
	}
	return math.Abs(value - r.Min - (r.Max-r.Min)*float64(s.letGo.X-b.X)/float64(b.W))
}

// isChoice reports whether a step sets the value of an element.
func (s *step) isChoice() bool {
	return s.kind == selectOption || s.kind == setValue || s.kind == setSelected
}

// worksTarget reports whether a step can change the value of its element.
func (s *step) worksTarget() bool {
	return s.isChoice() || s.click != nil || s.wheel != nil || s.kind == pressKey || s.kind == mouseDrag
}

// causeOf returns the index of the first step that led to a new value, or -1: the last steps on the
// element and in its list. An earlier choice counts only if it directly precedes them.
func (l stepList) causeOf(box *recorder.Seen) int {
	from := -1
	for i, s := range slices.Backward(l) {
		switch {
		case sameElement(s.target, box) && s.isChoice():
			if i == len(l)-1 || i == from-1 {
				from = i
			}
			return from
		case sameElement(s.target, box) && s.worksTarget():
			from = i
		case !box.DropDown(), !s.fitsList():
			return from
		}
	}
	return from
}

// fitsList reports whether a step can be one in the open list of a combo box.
func (s *step) fitsList() bool {
	switch s.kind {
	case clickElement:
		return s.target == nil || recorder.IsOption(s.target.Role) || s.target.Role == "window"
	case pressKey, pressKeyGlobal:
		text, _ := s.arg("key").(string)
		chords, err := desktop.ParseKeys(text)
		return err == nil && !slices.ContainsFunc(chords, func(k desktop.Chord) bool { return !worksElement(k.Key) || len(k.Mods) > 0 })
	}
	return s.kind == typeText
}

// inOpenList reports whether a key goes to an open list whose new value is known already.
func (k *keyboard) inOpenList(ev recorder.Event) bool {
	s := k.steps.last()
	if s == nil || s.kind != selectOption || !worksElement(ev.Key) || len(ev.Mods) > 0 {
		return false
	}
	return k.windows.any(func(w desktop.Window) bool { return w.Popup })
}

// ledToChoice reports whether a key, reported late, led to the value that the last step sets.
func (k *keyboard) ledToChoice(ev recorder.Event) bool {
	s := k.steps.last()
	if s == nil || !s.isChoice() || !ev.Time.Before(s.known) || !worksElement(ev.Key) || len(ev.Mods) > 0 {
		return false
	}
	t := k.fields[ev.Field]
	return t == nil || sameElement(t, s.target) || s.target.DropDown() && recorder.IsOption(t.Role) && t.PID == s.pid
}

// dropIdleKeys removes keys on a combo box after its choice that did not change it.
func (l *stepList) dropIdleKeys() {
	n := len(*l)
	if n < 2 {
		return
	}
	s, before := (*l)[n-1], (*l)[n-2]
	if s.kind == pressKey && len(s.expect) == 0 && before.kind == selectOption && s.target.DropDown() && sameElement(s.target, before.target) && s.fitsList() {
		l.pop()
	}
}

// chosenAlready reports whether the value of the clicked option was reported before the click.
func (s *step) chosenAlready(t *recorder.Seen) bool {
	return s != nil && s.kind == selectOption && t != nil && recorder.IsOption(t.Role) && s.input.value == nameOf(t) && s.pid == t.PID
}

// highlighted returns the last choice if a click is in its open list, or nil: some programs report
// the highlighted option as chosen.
func (p *pointer) highlighted(ev recorder.Event) *step {
	s := p.steps.last()
	if s == nil || s.kind != selectOption || ev.Element == nil || ev.Element.PID != s.pid || !p.inPopup(ev.At) {
		return nil
	}
	return s
}

// selects returns the step that sets the value of an element.
func selects(t *recorder.Seen, shows string) *step {
	s := &step{subject: nameOf(t)}
	s.subject = cmp.Or(s.subject, "choose "+shows)
	s.setTarget(t)
	switch {
	case recorder.Selectable(t.Role):
		s.kind, s.summary = clickElement, "click "+describe(t)
	case recorder.IsToggle(t):
		s.setToggle(shows == recorder.On)
	case t.Slider():
		n, _ := strconv.ParseFloat(shows, 64) // recorder.Shown wrote it
		s.kind, s.summary = setValue, "set "+describe(t)+" to "+shows
		s.set("value", n)
	default:
		s.kind, s.summary = selectOption, "choose "+quoteShort(shows)+" in "+describe(t)
		s.set("option_name", "")
		s.input = &input{arg: "option_name", value: shows}
	}
	return s
}

// setToggle makes a step turn its element on or off.
func (s *step) setToggle(to bool) {
	s.kind = setSelected
	s.set("state", to)
	s.summary = map[bool]string{true: "turn on ", false: "turn off "}[to] + describe(s.target)
}

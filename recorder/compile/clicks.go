package compile

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"understudy/recorder"
	"understudy/steps/desktop"
)

const (
	// doubleClickTime is the longest time between two presses of a double click.
	doubleClickTime = 500 * time.Millisecond
	// wheelGap is the longest time between two turns of the wheel in one step.
	wheelGap = 500 * time.Millisecond
	// hoverTime is the longest time in which a menu opens under a resting pointer.
	hoverTime = time.Second
	// clickEffectTime is how long after a click a menu counts as its effect.
	clickEffectTime = 500 * time.Millisecond
)

func (c *Compiler) pressed(ev recorder.Event) {
	if c.typing != nil && (ev.Element == nil || c.typing.target == nil || !sameField(c.typing.target, ev.Element)) {
		c.flush()
	}
	c.press, c.lastPress = &ev, ev.Time
}

func (c *Compiler) released(ev recorder.Event) {
	down := c.press
	if down == nil || down.Button != ev.Button {
		return
	}
	c.press = nil
	switch {
	case c.typing != nil: // it moved the caret, or selected, in the field
		c.typing.unreadable = true
	case recorder.Near(down.At, ev.At):
		c.clicked(*down)
	case down.Element != nil && ev.Element != nil && recorder.InMenu(down.Element) && recorder.InMenu(ev.Element):
		c.clicked(*down)
		c.clicked(recorder.Event{Type: recorder.Pressed, Time: ev.Time, At: ev.At, Button: ev.Button, Element: ev.Element})
	default:
		c.dragged(*down, ev)
	}
}

// clicked handles a press and a release at one place.
func (c *Compiler) clicked(ev recorder.Event) {
	mods := modNames(ev.Mods)
	k := &click{at: ev.At, button: ev.Button, mods: strings.Join(mods, "+"), count: 1, down: ev.Time}
	if c.extendClick(k) {
		return
	}
	if c.chooseOption(ev) {
		return
	}
	c.keepHover(ev)
	c.waitForText()
	t := ev.Element
	s := &step{kind: clickElement, click: k, letGo: &k.at, begin: ev.Time, picture: ev.Picture}
	if t == nil {
		if ev.Window != nil {
			c.switchTo(ev.Window.ID)
		}
		s.subject, s.summary = "click", "click at "+ev.At.String()
		s.setPoint(ev.At, ev.Window)
	} else {
		c.switchTo(t.Window)
		s.subject, s.summary = nameOf(t), "click "+describe(t)
		s.subject = cmp.Or(s.subject, "click "+string(t.Role))
		s.setTarget(t)
		if t.Bounds.Empty() && recorder.InMenu(t) && ev.Button == desktop.Left && len(mods) == 0 {
			s.kind = invokeElement // in a popup without a known place
		}
	}
	c.addFallbacks(s, ev)
	if ev.Button != desktop.Left {
		s.set("button", string(ev.Button))
		s.summary = string(ev.Button) + " " + s.summary
	}
	if len(mods) > 0 {
		s.set("modifiers", mods)
	}
	if t != nil && ev.Button == desktop.Left && len(mods) == 0 && recorder.IsToggle(t) {
		s.setToggle(t.Role == "radiobutton" || !t.States.Has(desktop.Checked)) // until its state is read
	}
	s.setPosition(t, ev.At)
	c.emit(s)
	if t.DropDown() {
		c.dropDown = s
	}
	if t != nil && recorder.InMenu(t) && (t.Name == "Copy" || t.Name == "Cut") {
		c.copied = s
	}
}

func modNames(mods []desktop.Key) (names []string) {
	for _, m := range mods {
		names = append(names, string(m))
	}
	return names
}

// extendClick makes the last click a double or a triple one.
func (c *Compiler) extendClick(k *click) bool {
	s := c.steps.last()
	if s == nil || s.click == nil || s.kind != clickElement || s.click.button != k.button || s.click.mods != k.mods ||
		!recorder.Near(s.click.at, k.at) || k.down.Sub(s.click.down) > doubleClickTime || s.click.count >= 3 || c.popup != nil && c.popup.Time.After(s.end) {
		return false
	}
	if s.target != nil && (s.target.Role == "button" || s.target.Role == "togglebutton" || recorder.InMenu(s.target)) {
		return false // quick presses of a button are several clicks
	}
	s.click.count++
	s.click.down = k.down
	s.set("count", s.click.count)
	s.summary = map[int]string{2: "double ", 3: "triple "}[s.click.count] + strings.TrimPrefix(s.summary, "double ")
	s.end = c.now
	return true
}

// setPosition says where in a large element a click was.
func (s *step) setPosition(t *recorder.Seen, at desktop.Point) {
	if t == nil || s.kind != clickElement || !slices.Contains([]desktop.Role{"canvas", "image", "slider", "scrollbar", "document", "terminal", "table", "tree", "list"}, t.Role) || t.Bounds.Empty() {
		return
	}
	percent := func(at, from, size int) int { return (at - from) * 100 / size }
	s.set("click_position", []arg{{Key: "x_percentage", Value: percent(at.X, t.Bounds.X, t.Bounds.W)}, {Key: "y_percentage", Value: percent(at.Y, t.Bounds.Y, t.Bounds.H)}})
}

// chooseOption turns a click on an option of an open list into the choice of that option.
func (c *Compiler) chooseOption(ev recorder.Event) bool {
	s, t := c.dropDown, ev.Element
	if c.steps.last().chosenAlready(t) {
		return true
	}
	if s == nil {
		s = c.highlighted(ev)
	}
	if s == nil || s != c.steps.last() || t == nil || ev.Button != desktop.Left || nameOf(t) == "" ||
		t.Role == "combobox" && t.Bounds == s.target.Bounds || !recorder.IsOption(t.Role) {
		return false
	}
	c.dropDown, c.popup = nil, nil
	begin := s.begin
	*s = *selects(s.target, nameOf(t))
	s.begin, s.end = begin, ev.Time
	return true
}

// unclick removes a click that only focused a field, or a drag that selected in it.
func (c *Compiler) unclick(t *recorder.Seen) (picture string) {
	s := c.steps.last()
	switch {
	case !t.TakesText(), s == nil, s.target == nil: // what is clicked and takes no text does something
	case s.selects && sameField(s.target, t):
		c.steps.pop()
	case s.click == nil, s.kind != clickElement, s.click.button != desktop.Left, s.click.mods != "":
	case s.target.Window == t.Window && len(s.expect) == 0 && (sameField(s.target, t) || recorder.IsContainer(s.target) && encloses(s.target, t)):
		c.steps.pop()
		return s.picture
	}
	return ""
}

// sameField reports whether an element is a field, which may have moved since.
func sameField(a, b *recorder.Seen) bool {
	if sameElement(a, b) {
		return true
	}
	one, other := unique(a), unique(b)
	return a.Role == b.Role && a.Window == b.Window && len(one) > 0 && len(other) > 0 && one[0] == other[0]
}

// revealed removes scrolling that only brought the next element into view: a replay does that.
func (c *Compiler) revealed(next *step) {
	if next.wheel != nil || next.target == nil || next.target.New || len(unique(next.target)) == 0 {
		return
	}
	for s := c.steps.last(); s != nil && s.wheel != nil && s.window == next.window && len(s.expect) == 0 && (!zooms(s.target) || c.steps.lastFollowsChoice()); s = c.steps.last() {
		c.steps.pop()
	}
}

// lastFollowsChoice reports whether the step before the last sets the value of the same
// element, which the last did not change.
func (l stepList) lastFollowsChoice() bool {
	n := len(l)
	return n > 1 && l[n-2].isChoice() && sameElement(l[n-2].target, l[n-1].target)
}

// zooms reports whether the wheel may do something else over an element than scroll.
func zooms(t *recorder.Seen) bool {
	return t != nil && slices.Contains([]desktop.Role{"canvas", "image", "slider", "scrollbar", "spinbutton", "combobox", "terminal", "tablist"}, t.Role)
}

// keepHover makes a step of resting on an element that opened the menu now clicked in.
func (c *Compiler) keepHover(ev recorder.Event) {
	p, r := c.popup, c.rested
	if p == nil || r == nil || r.Element == nil || !p.Window.Bounds.Contains(ev.At) || p.Time.Before(r.Time) || p.Time.Sub(r.Time) > hoverTime {
		return
	}
	if s := c.steps.last(); s != nil && s.click != nil && p.Time.Sub(s.end) < clickEffectTime || c.lastKey.After(r.Time) {
		return // that opened it
	}
	c.popup = nil
	c.switchTo(r.Element.Window)
	s := &step{kind: hoverElement, subject: "hover " + nameOf(r.Element), summary: "rest on " + describe(r.Element), begin: r.Time}
	s.setTarget(r.Element)
	c.emit(s)
}

// turned handles the wheel: turns in one direction over one element are one step.
func (c *Compiler) turned(ev recorder.Event) {
	c.flush()
	direction, amount := wheelDirection(ev)
	s := c.steps.last()
	if s != nil && s.wheel != nil && s.wheel.direction == direction && ev.Time.Sub(s.end) <= wheelGap && sameElement(s.target, ev.Element) {
		s.wheel.amount += amount
		s.set("amount", s.wheel.amount)
		s.end = ev.Time
		return
	}
	s = &step{kind: scroll, subject: "scroll " + direction, summary: "scroll " + direction, begin: ev.Time, wheel: &wheel{direction, amount}}
	if t := ev.Element; t != nil {
		c.switchTo(t.Window)
		s.kind = scrollElement
		s.summary += " in " + describe(t)
		s.setTarget(t)
	} else {
		s.setPoint(ev.At, ev.Window)
	}
	s.set("direction", direction)
	s.set("amount", amount)
	c.emit(s)
}

func wheelDirection(ev recorder.Event) (string, int) {
	switch {
	case ev.DY < 0:
		return "up", -ev.DY
	case ev.DX < 0:
		return "left", -ev.DX
	case ev.DX > 0:
		return "right", ev.DX
	}
	return "down", ev.DY
}

func sameElement(a, b *recorder.Seen) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Role == b.Role && a.Window == b.Window && a.Bounds == b.Bounds
}

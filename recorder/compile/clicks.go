package compile

import (
	"cmp"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
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

// pointer turns presses of buttons and turns of the wheel into steps.
type pointer struct {
	*compilation
	pictures  string          // the folder of the pictures, or ""
	press     *recorder.Event // a button that is held
	rested    *recorder.Event
	popup     *recorder.Event // the last popup that opened
	lastPress time.Time       // when a button was pressed last
	lastKey   time.Time       // when the last key came
}

func (c *Compiler) pressed(ev recorder.Event) {
	if c.typing != nil && (ev.Button == desktop.Right || ev.Element == nil || c.typing.target == nil || !sameField(c.typing.target, ev.Element)) {
		if t := c.typing; t != nil && ev.Element.InPage() && recorder.IsOption(ev.Element.Role) && !c.inPopup(ev.At) {
			c.forgetReadsAfter(ev.Time) // the press changed the field
		}
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
	if c.typing != nil && c.typing.target.MultiLine() && len(c.typing.net.parts) > 0 {
		c.flush() // what is typed then has another place in the document
	}
	switch {
	case c.typing != nil: // it moved the caret, or selected, in a field whose value counts
		c.typing.add(keystroke{Event: ev, pointed: down.Button == desktop.Left && (c.typing.target == nil || c.typing.target.Role != "spinbutton")})
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
func (p *pointer) clicked(ev recorder.Event) {
	mods := modNames(ev.Mods)
	k := &click{at: ev.At, button: ev.Button, mods: strings.Join(mods, "+"), count: 1, down: ev.Time, inPopup: p.inPopup(ev.At)}
	if p.extendClick(k) {
		return
	}
	if p.chooseOption(ev) {
		return
	}
	p.keepHover(ev)
	p.waitForText()
	t := ev.Element
	s := &step{kind: clickElement, click: k, letGo: &k.at, begin: ev.Time, picture: ev.Picture}
	if t == nil {
		s.subject, s.summary = "click", "click at "+ev.At.String()
		p.setPlace(s, ev)
	} else {
		s.subject, s.summary = nameOf(t), "click "+describe(t)
		s.subject = cmp.Or(s.subject, "click "+string(t.Role))
		s.setTarget(t)
	}
	switch plain := t != nil && ev.Button == desktop.Left && len(mods) == 0; {
	case plain && recorder.IsToggle(t):
		s.setToggle(t.Role == "radiobutton" || !t.States.Has(desktop.Checked)) // until its state is read
	case plain && recorder.InMenu(t) && t.Bounds.Empty():
		s.kind = invokeElement // in a popup without a known place
	default:
		p.setPosition(s, ev)
		if t != nil {
			p.addFallbacks(s, ev)
		}
	}
	if ev.Button != desktop.Left {
		s.set("button", string(ev.Button))
		s.summary = string(ev.Button) + " " + s.summary
	}
	if len(mods) > 0 {
		s.set("modifiers", mods)
	}
	p.act(s)
	if t.DropDown() {
		p.dropDown = s
		if p.list.closed {
			p.list = openList{}
		}
	}
}

// addFallbacks adds fallbacks to an uncertain step: the picture of its element, which may not be
// unique, then its place in the window, which may change.
func (p *pointer) addFallbacks(s *step, ev recorder.Event) {
	file := p.pictureOf(ev)
	if s.arg("click_position") != nil { // it is a place in what the picture shows
		file = ""
	}
	if file == "" && len(unique(ev.Element)) > 0 || len(s.doubts()) == 0 {
		return
	}
	var left []string
	if file != "" {
		s.set("fallback_selectors", []string{"image:" + selector.Quote(file)})
		left = append(left, "its picture is looked for (low confidence)")
	}
	if inWindow(ev) && !ev.Window.Popup {
		s.set("fallback_point", append(offset(placeOf(ev, file), ev.Window), arg{Key: "drawn", Value: drawnIn(ev.Window, file)}))
		left = append(left, "its place in the window is clicked, if "+sameAs(file)+" (the lowest)")
	}
	if len(left) > 0 {
		s.targetDoubts = append(s.targetDoubts, "if it is not found, "+strings.Join(left, ", then "))
	}
}

// sameAs says when a place in a window counts.
func sameAs(picture string) string {
	if picture == "" {
		return "that has the size it had"
	}
	return "that looks as it did"
}

// setPlace sets what is known of a click where no element was found: the place in its window, and
// what that drew; in a window of an unknown program, the picture; else the point of the screen.
func (p *pointer) setPlace(s *step, ev recorder.Event) {
	file := p.pictureOf(ev)
	s.setWindow(ev.Window)
	switch {
	case inWindow(ev):
		s.set("process", s.process)
		s.args = append(s.args, offset(placeOf(ev, file), ev.Window)...)
		s.set("in_window", true)
		s.set("drawn", drawnIn(ev.Window, file))
		s.doubt("no element was found there, so the place in its window is clicked, if %s", sameAs(file))
	case file != "":
		s.set("selector", "image:"+selector.Quote(file))
		s.doubt("no element was found there, at %s, so its picture is looked for (low confidence)", ev.At)
	default:
		s.setPoint(ev.At)
	}
}

// pictureOf returns the file of the picture of a press as the workflow names it, or "".
func (p *pointer) pictureOf(ev recorder.Event) string {
	if p.pictures == "" || ev.Picture == "" {
		return ""
	}
	return path.Join(filepath.ToSlash(p.pictures), ev.Picture)
}

func modNames(mods []desktop.Key) (names []string) {
	for _, m := range mods {
		names = append(names, string(m))
	}
	return names
}

// extendClick makes the last click a double or a triple one.
func (p *pointer) extendClick(k *click) bool {
	s := p.steps.last()
	if s == nil || s.click == nil || s.kind != clickElement || s.click.button != k.button || s.click.mods != k.mods ||
		!recorder.Near(s.click.at, k.at) || k.down.Sub(s.click.down) > doubleClickTime || s.click.count >= 3 || p.popup != nil && p.popup.Time.After(s.end) {
		return false
	}
	if s.target != nil && (s.target.Role == "button" || s.target.Role == "togglebutton" || recorder.InMenu(s.target)) {
		return false // quick presses of a button are several clicks
	}
	s.click.count++
	s.click.down = k.down
	s.set("count", s.click.count)
	s.summary = map[int]string{2: "double ", 3: "triple "}[s.click.count] + strings.TrimPrefix(s.summary, "double ")
	s.end = p.now
	return true
}

// setPosition sets the place of a click in an element whose parts act differently.
// Where those are not known, the place in it is uncertain.
func (p *pointer) setPosition(s *step, ev recorder.Event) {
	t := ev.Element
	if t == nil || t.Bounds.Empty() {
		return
	}
	unknown := recorder.IsContainer(t) || t.Role.Is(desktop.Container)
	switch {
	case unknown, t.Role.Is(desktop.Rows):
	case t.Role == "combobox" && t.TakesText(): // whose arrow opens a list, and whose text does not
	case slices.Contains([]desktop.Role{"calendar", "canvas", "colorchooser", "image", "media", "slider", "scrollbar", "spinbutton", "pagetablist", "terminal"}, t.Role):
	default:
		return
	}
	if !t.Bounds.Contains(ev.At) {
		s.doubt("it had moved when it was clicked, so the place inside it is unknown")
		return
	}
	if unknown && t.Role != "document" {
		s.doubt("no element was found there, so only the place in the %s is known", t.Role)
	}
	at := ev.At
	if t.Drawn() {
		at = placeOf(ev, p.pictureOf(ev))
	}
	s.set("click_position", position(t, at))
	p.setDrawn(s, ev)
}

// chooseOption turns a click on an option of an open list into the choice of that option.
func (p *pointer) chooseOption(ev recorder.Event) bool {
	s, t := p.dropDown, ev.Element
	if !p.inList(ev.At) {
		s = nil
	} else if p.steps.last().chosenAlready(t) {
		return true
	}
	if s == nil {
		s = p.highlighted(ev)
	}
	if s == nil || s != p.steps.last() || t == nil || ev.Button != desktop.Left || nameOf(t) == "" ||
		t.Role == "combobox" && t.Bounds == s.target.Bounds || !recorder.IsOption(t.Role) {
		return false
	}
	p.dropDown, p.popup = nil, nil
	begin := s.begin
	*s = *selects(s.target, nameOf(t))
	s.begin, s.end = begin, ev.Time
	return true
}

// unclick removes a click that only focused a field, or a drag that selected in it, and returns it.
func (l *stepList) unclick(t *recorder.Seen) *step {
	s := l.last()
	switch {
	case !t.TakesText(), s == nil, s.target == nil: // what is clicked and takes no text does something
	case s.selects && sameField(s.target, t):
		l.pop()
		return s
	case s.click == nil, s.kind != clickElement, s.click.button == desktop.Right, s.click.mods != "":
	case s.target.Window == t.Window && len(s.expect) == 0 && (sameField(s.target, t) || recorder.IsContainer(s.target) && encloses(s.target, t)):
		l.pop()
		return s
	}
	return nil
}

// sameField reports whether two elements are one field, which may have moved.
func sameField(a, b *recorder.Seen) bool {
	if sameElement(a, b) {
		return true
	}
	one, other := unique(a), unique(b)
	return a.Role == b.Role && a.Window == b.Window && len(one) > 0 && len(other) > 0 && one[0] == other[0]
}

// dropScrolling removes scrolling that only brought the next element into view: a replay
// does that by itself.
func (l *stepList) dropScrolling(next *step) {
	if next.wheel != nil || next.target == nil || next.target.New || len(unique(next.target)) == 0 {
		return
	}
	for s := l.last(); s != nil && s.wheel != nil && s.wheel.mods == "" && s.window == next.window && len(s.expect) == 0 && (!zooms(s.target) || l.lastFollowsChoice()); s = l.last() {
		l.pop()
	}
}

// lastFollowsChoice reports whether the step before the last sets the value of the same
// element, which the last did not change.
func (l stepList) lastFollowsChoice() bool {
	n := len(l)
	return n > 1 && l[n-2].isChoice() && sameElement(l[n-2].target, l[n-1].target)
}

// zooms reports whether the wheel over an element may do more than scroll.
func zooms(t *recorder.Seen) bool {
	return t != nil && slices.Contains([]desktop.Role{"canvas", "image", "slider", "scrollbar", "spinbutton", "combobox", "terminal", "pagetablist"}, t.Role)
}

// keepHover makes a step of a rest on an element that opened the menu of the click.
func (p *pointer) keepHover(ev recorder.Event) {
	opened, r := p.popup, p.rested
	if opened == nil || r == nil || r.Element == nil || !opened.Window.Bounds.Contains(ev.At) || opened.Time.Before(r.Time) || opened.Time.Sub(r.Time) > hoverTime {
		return
	}
	if s := p.steps.last(); s != nil && s.click != nil && (opened.Time.Sub(s.end) < clickEffectTime || sameElement(s.target, r.Element)) || p.lastKey.After(r.Time) {
		return // this opened it
	}
	p.popup = nil
	s := &step{kind: hoverElement, subject: "hover " + nameOf(r.Element), summary: "rest on " + describe(r.Element), begin: r.Time}
	s.setTarget(r.Element)
	p.act(s)
}

// turned handles the wheel: turns in one direction over one element are one step.
func (p *pointer) turned(ev recorder.Event) {
	direction, amount := wheelDirection(ev)
	mods := strings.Join(modNames(ev.Mods), "+")
	s := p.steps.last()
	if s != nil && s.wheel != nil && s.wheel.direction == direction && s.wheel.mods == mods && ev.Time.Sub(s.end) <= wheelGap && sameElement(s.target, ev.Element) {
		s.wheel.amount += amount
		s.set("amount", s.wheel.amount)
		s.end = ev.Time
		return
	}
	s = &step{kind: scroll, subject: "scroll " + direction, summary: "scroll " + direction, begin: ev.Time, wheel: &wheel{direction, amount, mods}}
	if t := ev.Element; t != nil {
		p.switchTo(t.Window)
		s.kind = scrollElement
		s.summary += " in " + describe(t)
		s.setTarget(t)
	} else {
		s.setWindow(ev.Window)
		s.setPoint(ev.At)
	}
	s.set("direction", direction)
	s.set("amount", amount)
	s.doubtHeld(mods)
	p.emit(s)
}

// doubtHeld notes keys that were held during a step whose kind holds none.
func (s *step) doubtHeld(mods string) {
	if mods != "" {
		s.doubt("%s was held, which can turn scrolling into zooming and moving into copying; it is played without", mods)
	}
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

package compile

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"

	"understudy/internal/desktop"
	"understudy/recorder"
)

// Input that is not reported is inferred from its effects: a focused field that changed
// was typed into, a control was set, and a button that got the focus before something
// changed was pressed, with a doubt.

// misses reports whether a type of input is not reported.
func (c *compilation) misses(sort desktop.InputType) bool { return slices.Contains(c.unreported, sort) }

// typedInferred begins the typing that a new value of a field implies: keys were not reported, or a
// click in the field turned or pasted its value.
func (k *keyboard) typedInferred(ev recorder.Event) {
	thing := k.fields[ev.Field]
	clicked := k.typing == nil && k.steps.last().changesField(thing)
	if !clicked && (!k.misses(desktop.KeyPress) || ev.Clicked && k.typing == nil) || !thing.TakesText() || thing.Secret() || *ev.Value == k.value(ev.Field) {
		return
	}
	k.beginTyping(recorder.Event{Type: recorder.Typed, Time: ev.Time, Field: ev.Field}, thing)
	t, before := k.typing, k.value(ev.Field)
	added, behind := strings.CutPrefix(*ev.Value, before)
	t.first.Time = ev.Time.Add(-1)
	t.add(keystroke{Event: recorder.Event{Time: t.first.Time}, browses: true})
	t.net = net{text: added, typed: true, other: clicked || !behind || before == ""}
}

// changesField reports whether a step is a click that may have changed the value of its field: on
// an arrow beside a number, or with the middle button, which pastes.
func (s *step) changesField(t *recorder.Seen) bool {
	return t != nil && s != nil && s.target != nil && s.click != nil && s.kind == clickElement && (t.Role == "spinbutton" && s.click.button == desktop.Left || s.click.button == desktop.Middle) && sameField(s.target, t)
}

// clickedTime is how long after a reported press a focus change counts as its effect.
const clickedTime = time.Second

// reach notes a button that got the focus, perhaps by a press that was not reported.
func (c *Compiler) reach(ev recorder.Event) {
	c.reached = nil
	if c.misses(desktop.KeyPress) && recorder.Pressable(ev.Element) && !ev.Element.New && ev.Time.Sub(c.lastPress) > clickedTime {
		c.reached = &ev
	}
}

// conclude makes a click step on the focused button after something changed, and reports whether the
// change is explained.
func (c *Compiler) conclude() bool {
	ev := c.reached
	if c.reached = nil; ev == nil {
		return false
	}
	c.flush()
	t := ev.Element
	if s := c.steps.last(); s != nil && s.click != nil && !s.end.Before(ev.Time.Add(-clickEffectTime)) {
		return true // the press was reported
	}
	s := &step{kind: clickElement, subject: cmp.Or(nameOf(t), "click "+string(t.Role)), summary: "click " + describe(t), begin: ev.Time}
	if t.Bounds.Empty() {
		s.kind = invokeElement
	}
	s.concluded = true
	s.setTarget(t)
	s.doubt("this click was not reported: it is inferred from what changed after the element got the focus")
	c.act(s)
	return true
}

// caused reports whether it is known why a window opened or closed; if not, the next step gets a
// doubt.
func (c *Compiler) caused(w *desktop.Window, happened string, at time.Time) bool {
	if !c.misses(desktop.KeyPress) && !c.misses(desktop.ButtonPress) || c.conclude() {
		return true
	}
	t := c.typing
	if t != nil && t.target != nil && t.target.Window == w.ID && w.Dialog && !t.target.MultiLine() {
		if s := c.flushEntered(t.last); s != nil {
			s.doubt("Enter was not reported: it is inferred from the dialog, which closed")
		}
		return true
	}
	if s := c.steps.last(); s != nil && t == nil && (s.click != nil || s.concluded) && at.Sub(s.end) <= closeTime && (happened == "opened" || s.window == w.ID) {
		return true
	}
	c.missed = fmt.Sprintf("the window %q %s here, and the cause was not reported: a step may be missing", bareTitle(w.Title), happened)
	return false
}

// sayMissed adds the doubt to a step that a step before it may be missing.
func (c *compilation) sayMissed(s *step) {
	if c.missed != "" && s != nil {
		s.doubt("%s", c.missed)
	}
	c.missed = ""
}

package recorder

import (
	"fmt"
	"time"

	"understudy/steps/desktop"
)

// Options say how a workflow is made of events.
type Options struct {
	// Name and Description are those of the workflow.
	Name, Description string
	// Pictures is the folder of the recording's pictures, as the workflow names
	// it; "" uses none.
	Pictures string
	// Literal keeps typed values in their steps, instead of making them
	// variables with what was typed as default. What is secret is always one.
	Literal bool
	// Ask is asked what the variable of a typed value is called; "" keeps the
	// value in its step. Nil: each value gets the proposed name.
	Ask func(proposed, value string) string
}

// Note says what a person should know of a step of the workflow.
type Note struct {
	Step string `json:"step"`
	Text string `json:"text"`
}

// Compile makes a workflow of what was seen. It is pure: equal events make
// equal documents.
func Compile(events []Event, o Options) ([]byte, []Note, error) {
	c := newCompiler()
	c.pictures = o.Pictures
	for _, ev := range events {
		c.add(ev)
	}
	c.finish()
	return write(c.steps, o)
}

// compiler turns events into steps, one after the other.
type compiler struct {
	steps    []*step
	pictures string // the folder of the pictures, or ""
	now      time.Time

	windows map[desktop.WindowID]desktop.Window
	fresh   map[desktop.WindowID]bool // opened, and not acted in yet
	active  desktop.WindowID
	front   desktop.WindowID // where the workflow is, at this point of it
	process string           // the program of that
	gone    bool             // whether that window was closed

	fields map[int]*Seen
	values map[int]string
	field  int // the one that has the keyboard
	typing *typing

	press  *Event  // a button that is held
	later  []Event // what came of it before it was let go
	rested *Event
	keyed  time.Time                 // when the last key came
	worked map[desktop.WindowID]bool // where something was clicked
	popup  *Event                    // opened last
	combo  *step                     // the click that opened a combo box
	news   *Event                    // a text that changed while nothing was done
}

func newCompiler() *compiler {
	return &compiler{
		windows: map[desktop.WindowID]desktop.Window{}, fresh: map[desktop.WindowID]bool{},
		fields: map[int]*Seen{}, values: map[int]string{}, worked: map[desktop.WindowID]bool{},
	}
}

// add understands one more event.
func (c *compiler) add(ev Event) {
	if c.press != nil && c.comesOf(ev) {
		c.later = append(c.later, ev)
		return
	}
	c.now = ev.Time
	switch ev.Type {
	case Begun:
		c.begin(ev)
	case Pressed:
		c.letGo()
		c.pressed(ev)
	case Released:
		c.released(ev)
		if c.press == nil {
			c.letGo()
		}
	case Turned:
		c.turned(ev)
	case Rested:
		c.rested = &ev
	case Typed:
		c.keyed = ev.Time
		c.typed(ev)
	case Focused:
		c.focused(ev)
	case Held:
		c.held(ev)
	case Chosen:
		c.chose(ev)
	case Named:
		c.named(ev)
	case Changed:
		c.news = &ev
	case Opened:
		c.opened(ev)
	case Closed:
		c.closed(ev)
	case Switched:
		if ev.Window != nil {
			c.active = ev.Window.ID
		}
	case Asserted:
		c.asserted(ev)
	case Paused, Ended:
		c.flush()
	}
}

// comesOf says whether something is what a button that is held does. What it
// does to windows and lists, it does when it is let go.
func (c *compiler) comesOf(ev Event) bool {
	switch ev.Type {
	case Opened, Closed, Switched:
		return true
	case Chosen:
		t := c.press.Element
		return t == nil || optional(t.Role) || alike(t, ev.Element)
	}
	return false
}

// finish understands what was still open.
func (c *compiler) finish() {
	c.letGo()
	c.flush()
}

// letGo says that no button is held, and understands what happened to windows
// while one was.
func (c *compiler) letGo() {
	later := c.later
	c.press, c.later = nil, nil
	for _, ev := range later {
		c.add(ev)
	}
}

// emit adds a step. Whatever was typed before comes first.
func (c *compiler) emit(s *step) *step {
	if s.begin.IsZero() {
		s.begin = c.now
	}
	if s.end.IsZero() {
		s.end = c.now
	}
	c.steps = append(c.steps, s)
	c.combo = nil
	return s
}

// last is the step that was understood last, or nil.
func (c *compiler) last() *step {
	if len(c.steps) == 0 {
		return nil
	}
	return c.steps[len(c.steps)-1]
}

// asserted makes a check of the element that the person pointed at.
func (c *compiler) asserted(ev Event) {
	c.flush()
	if ev.Element == nil {
		return
	}
	s := &step{kind: "validate_element", subject: "check " + ev.Element.name(), says: "check that there is " + ev.Element.words()}
	s.aim(ev.Element)
	if sel, ok := s.arg("selector").(string); ok {
		s.expect = append(s.expect, exists(s.process, sel))
	}
	c.emit(s)
}

// exists is the condition that an element of a program is there.
func exists(process, sel string) string {
	if process != "" {
		sel = "process:" + quoted(process) + " >> " + sel
	}
	return fmt.Sprintf("exists(%s)", literal(sel))
}

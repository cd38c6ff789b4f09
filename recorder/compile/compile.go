package compile

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"understudy/internal/desktop"
	"understudy/internal/desktop/selector"
	"understudy/recorder"
	"understudy/steps"
	"understudy/workflows"
)

// Options configure the workflow that is made of events.
type Options struct {
	// Kinds are those of the steps, which say in which groups arguments are written.
	Kinds []steps.Kind
	// Name and Description are those of the workflow.
	Name, Description string
	// Pictures is the folder of the pictures, as the workflow names it; "" uses none.
	Pictures string
	// Literal keeps typed values in their steps instead of variables. A secret is always one.
	Literal bool
	// Ask returns the name of the variable of a typed value; "" keeps the value in its
	// step. Nil: each value gets the proposed name.
	Ask func(proposed, value string) string
	// Onto is a document into which the steps are inserted at At. A fallback without a
	// condition gets the sign of the recording as its condition.
	Onto []byte
	At   workflows.Insertion
}

// Note is a remark on a step of the workflow for the person.
type Note struct {
	Step string `json:"step"`
	Text string `json:"text"`
}

// Step is a step of a workflow, for the person who recorded it.
type Step struct {
	recorder.Line
	ID      string
	Doubts  []string // why it may not work again
	Notes   []string // of the person
	Picture string   // the file of a picture of the clicked element, or ""
	Typed   bool     // it types a value
	Secret  bool     // which is a secret
}

// Made is the result of compiling a recording.
type Made struct {
	Text    []byte
	Notes   []Note
	Steps   []Step
	Secrets []string // the variables that a run asks for
	// Sign is a condition that held when the recording began and shows that its steps apply, or "".
	Sign string
}

// Events makes a workflow of the events of a recording. It is pure: equal events make
// equal documents.
func Events(events []recorder.Event, o Options) ([]byte, []Note, error) {
	w, err := Recording(events, o)
	return w.Text, w.Notes, err
}

// Recording is Events that also returns the steps.
func Recording(events []recorder.Event, o Options) (Made, error) {
	c := New()
	c.pictures = o.Pictures
	for _, ev := range events {
		c.Add(ev)
	}
	c.Finish()
	w, err := write(c.steps, c.sign(), o)
	for i, line := range c.Lines() {
		s := c.steps[i]
		w.Steps = append(w.Steps, Step{
			Line: line, ID: s.id, Doubts: s.doubts(), Notes: s.notes, Picture: s.picture,
			Typed: s.input != nil && len(s.input.parts) == 0, Secret: s.input != nil && s.input.secret,
		})
	}
	return w, err
}

// Compiler turns events into steps, one after the other.
type Compiler struct {
	compilation
	keyboard
	pointer

	deferred []recorder.Event // effects of a button that is held, handled on release
	reached  *recorder.Event  // a button that got the focus, without an effect yet
}

// New returns a Compiler that has seen nothing.
func New() *Compiler {
	c := &Compiler{compilation: compilation{
		copied:  map[int]*step{},
		windows: windows{open: map[desktop.WindowID]desktop.Window{}, unvisited: map[desktop.WindowID]bool{}, programs: map[int]bool{}},
	}}
	c.keyboard = keyboard{compilation: &c.compilation, fields: map[int]*recorder.Seen{}, reads: map[int][]read{}}
	c.pointer = pointer{compilation: &c.compilation}
	return c
}

// Add handles the next event.
func (c *Compiler) Add(ev recorder.Event) {
	if c.press != nil && c.isEffect(ev) {
		c.deferred = append(c.deferred, ev)
		return
	}
	c.now = ev.Time
	ev.Window = c.known(ev.Window)
	switch ev.Type {
	case recorder.Begun:
		c.windows.begin(ev.Windows)
		c.clip = cmp.Or(ev.Clip, c.clip)
	case recorder.Copied:
		c.clipboardTaken(ev)
	case recorder.Limited:
		c.unreported = ev.Unreported
	case recorder.Pressed:
		c.release()
		c.pressed(ev)
	case recorder.Released:
		c.released(ev)
		if c.press == nil {
			c.release()
		}
	case recorder.Turned:
		c.flush()
		c.turned(ev)
	case recorder.Rested:
		c.rested = &ev
	case recorder.Typed:
		c.lastKey = ev.Time
		c.typed(ev)
	case recorder.Focused:
		if ev.Field > 0 && ev.Element != nil {
			c.reach(ev)
			c.focused(ev)
		}
	case recorder.Held:
		c.held(ev)
	case recorder.Chosen:
		c.chosen(ev)
	case recorder.Named:
		c.named(ev)
	case recorder.Narrowed:
		c.narrowed(ev)
	case recorder.Changed:
		if !c.misses(desktop.KeyPress) {
			c.textChange = &ev
		} else {
			c.conclude()
		}
	case recorder.Opened:
		c.opened(ev)
	case recorder.Closed:
		c.closed(ev)
	case recorder.Switched:
		if ev.Window != nil {
			c.windows.active = ev.Window.ID
		}
	case recorder.Asserted:
		c.asserted(ev)
	case recorder.Edited:
		c.flush()
		c.edited(ev.Edit)
	case recorder.Paused, recorder.Ended:
		c.flush()
	}
}

// isEffect reports whether an event is an effect of the button that is held. Effects of a
// click on windows and lists count from its release.
func (c *Compiler) isEffect(ev recorder.Event) bool {
	switch ev.Type {
	case recorder.Opened, recorder.Closed, recorder.Switched, recorder.Copied:
		return true
	case recorder.Chosen:
		t := c.press.Element
		return t == nil || recorder.IsOption(t.Role) || sameElement(t, ev.Element)
	}
	return false
}

// Finish completes the steps that were still open.
func (c *Compiler) Finish() {
	c.release()
	c.flush()
	c.pressTabs()
	c.steps.dropIdleKeys()
	c.sayMissed(c.steps.last())
}

// release notes that no button is held, and handles the deferred effects.
func (c *Compiler) release() {
	later := c.deferred
	c.press, c.deferred = nil, nil
	for _, ev := range later {
		c.Add(ev)
	}
}

// Lines returns the steps so far, each in a few words.
func (c *Compiler) Lines() []recorder.Line {
	lines := make([]recorder.Line, len(c.steps))
	for i, s := range c.steps {
		lines[i] = recorder.Line{Step: i + 1, Text: s.summary}
		if s.named != "" {
			lines[i].Text += ", called " + quoteShort(s.named)
		}
	}
	return lines
}

// asserted makes a step that checks the element that the person pointed at.
func (c *Compiler) asserted(ev recorder.Event) {
	c.flush()
	if ev.Element == nil {
		return
	}
	s := &step{kind: validateElement, subject: "check " + nameOf(ev.Element), summary: "check that there is " + describe(ev.Element)}
	s.setTarget(ev.Element)
	switch {
	case isBlank(ev.Value):
		s.mustExist = true
	case recorder.IsToggle(ev.Element):
		s.summary = "check that " + describe(ev.Element) + " is " + *ev.Value
		s.mustHave = fmt.Sprintf("$.exists && $.checked == %t", *ev.Value == recorder.On)
	case ev.Element.Slider() && isNumber(*ev.Value):
		s.summary = "check that " + describe(ev.Element) + " is at " + *ev.Value
		s.mustHave = "$.element.value.now == " + *ev.Value
	default:
		s.kind, s.summary = waitForElement, "check that "+describe(ev.Element)+" shows "+quoteShort(*ev.Value)
		s.set("condition", "text")
		s.set("text", *ev.Value)
	}
	c.emit(s)
}

// isBlank reports whether there is no text, or only white space.
func isBlank(text *string) bool { return text == nil || strings.TrimSpace(*text) == "" }

func isNumber(text string) bool {
	_, err := strconv.ParseFloat(text, 64)
	return err == nil
}

// exists returns the condition that an element of a program is there.
func exists(process, sel string) string {
	if process != "" {
		sel = "process:" + selector.Quote(process) + " >> " + sel
	}
	return fmt.Sprintf("exists(%s)", quoteExpression(sel))
}

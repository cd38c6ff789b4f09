package recorder

import (
	"strconv"
	"time"

	"understudy/steps/desktop"
	"understudy/steps/desktop/selector"
)

// Event is one thing that was seen while a person worked.
type Event struct {
	Type EventType `json:"type"`
	Time time.Time `json:"time"`

	// Of input.
	At desktop.Point `json:"at,omitzero"`
	// Picture is the file of what it looked like, in the folder of pictures.
	Picture string         `json:"picture,omitempty"`
	Button  desktop.Button `json:"button,omitempty"`
	DX      int            `json:"dx,omitempty"`
	DY      int            `json:"dy,omitempty"`
	Key     desktop.Key    `json:"key,omitempty"`
	Mods    []desktop.Key  `json:"mods,omitempty"`
	Text    string         `json:"text,omitempty"`
	// Hidden says that text was typed which must not be written. It stands
	// for all that was typed there, so that its length is not told either.
	Hidden bool `json:"hidden,omitempty"`

	// Field is the number of the element that has the keyboard; 0: not known.
	Field int `json:"field,omitempty"`
	// Element is what the pointer met, or the field that got the keyboard.
	Element *Seen `json:"element,omitempty"`
	// Value is what a field holds.
	Value *string `json:"value,omitempty"`

	// Of windows.
	Window  *desktop.Window  `json:"window,omitempty"`
	Windows []desktop.Window `json:"windows,omitempty"` // all, when the recording begins
	Command string           `json:"command,omitempty"` // what started the program of a new window
	Origins []int            `json:"origins,omitempty"` // the processes that started it, the nearest first
}

// EventType is the sort of an event.
type EventType string

// The sorts of events.
const (
	Begun    EventType = "begun"    // the recording; Windows are there
	Pressed  EventType = "pressed"  // a button; Element is under it
	Released EventType = "released" // a button; Element is under it after a drag
	Turned   EventType = "turned"   // the wheel
	Rested   EventType = "rested"   // the pointer stayed on Element
	Typed    EventType = "typed"    // a key
	Focused  EventType = "focused"  // Field is Element, and holds Value
	Held     EventType = "held"     // Field holds Value now
	Chosen   EventType = "chosen"   // Element, such as a combo box, shows Value now
	Named    EventType = "named"    // Element is Field, or what was pressed last, and now its Selectors are known
	Changed  EventType = "changed"  // Element shows Value now, after a while in which nothing was done
	Opened   EventType = "opened"   // Window
	Closed   EventType = "closed"   // Window
	Switched EventType = "switched" // Window has the keyboard now
	Asserted EventType = "asserted" // the person says that Element must be there
	Paused   EventType = "paused"   // what follows is not recorded
	Ended    EventType = "ended"    // the recording
)

// Seen is an element as it was when a person used it, and how it can be
// found again.
type Seen struct {
	desktop.Element
	// New says that its program did not have it when a button was pressed there
	// before.
	New bool `json:"new,omitempty"`
	// In are the elements around it, the nearest first.
	In []Ancestor `json:"in,omitempty"`
	// Selectors are ways to name it inside its program, the best first.
	Selectors []selector.Candidate `json:"selectors,omitempty"`
}

// Ancestor is an element around another.
type Ancestor struct {
	Role desktop.Role `json:"role"`
	Name string       `json:"name,omitempty"`
}

// secret says whether what is typed into it must not be written.
func (t *Seen) secret() bool { return t == nil || t.Role == "password" }

// takesText says whether it is a field for text.
func (t *Seen) takesText() bool {
	if t == nil {
		return false
	}
	switch t.Role {
	case "password", "entry", "editbar":
		return true
	case "text", "spinbutton", "combobox", "paragraph", "document", "terminal":
		return t.States.Has(desktop.Editable)
	}
	return t.States.Has(desktop.Editable)
}

// chooses says whether it is a combo box that only offers, where one cannot
// write.
func (t *Seen) chooses() bool {
	return t != nil && t.Role == "combobox" && !t.States.Has(desktop.Editable)
}

// slides says whether it is set to a number by moving it.
func (t *Seen) slides() bool { return t != nil && t.Role == "slider" && t.Value != nil }

// What a check box shows.
const on, off = "on", "off"

// shown is what an element shows as chosen: whether it is on, a number, or what
// a toolkit tells as text, or as the name.
func shown(e *desktop.Element) string {
	switch t := (&Seen{Element: *e}); {
	case switchable(t) && e.States.Has(desktop.Checked):
		return on
	case switchable(t):
		return off
	case t.slides():
		return strconv.FormatFloat(e.Value.Now, 'f', -1, 64)
	}
	if e.Text != "" {
		return e.Text
	}
	return e.Name
}

// manyLines says whether Enter begins a new line in it.
func (t *Seen) manyLines() bool {
	return t != nil && (t.States.Has(desktop.MultiLine) || t.Role == "text" && !t.States.Has(desktop.MultiLine) && t.Bounds.H > lineHeight)
}

// lineHeight is more than a field of one line has.
const lineHeight = 60

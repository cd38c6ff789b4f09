package recorder

import (
	"time"

	"understudy/internal/desktop"
)

// Event is one observation of a person at work.
type Event struct {
	Type EventType `json:"type"`
	Time time.Time `json:"time"`

	// Of input.
	At desktop.Point `json:"at,omitzero"`
	// Picture is the file of a picture of the element, in the folder of pictures.
	Picture string `json:"picture,omitempty"`
	// PictureAt is the middle of the picture.
	PictureAt desktop.Point  `json:"picture_at,omitzero"`
	Button    desktop.Button `json:"button,omitempty"`
	DX        int            `json:"dx,omitempty"`
	DY        int            `json:"dy,omitempty"`
	Key       desktop.Key    `json:"key,omitempty"`
	Mods      []desktop.Key  `json:"mods,omitempty"`
	Text      string         `json:"text,omitempty"`
	// Hidden stands for all text typed there that must not be written; its length is unknown too.
	Hidden bool `json:"hidden,omitempty"`

	// Field is the number of the element that has the keyboard; 0: unknown.
	Field int `json:"field,omitempty"`
	// Element is the element under the pointer, or the field that got the keyboard.
	Element *Seen `json:"element,omitempty"`
	// Value is the value of a field.
	Value *string `json:"value,omitempty"`

	// Of windows.
	Window  *desktop.Window  `json:"window,omitempty"`
	Windows []desktop.Window `json:"windows,omitempty"` // all, when the recording begins
	Command string           `json:"command,omitempty"` // starts the program of a new window
	Origins []int            `json:"origins,omitempty"` // the ancestors of its process, the nearest first

	// Clip is the number of what the clipboard holds, which is not written: equal texts have the same.
	Clip int `json:"clip,omitempty"`

	Edit *Edit `json:"edit,omitempty"`
	// Clicked: a click elsewhere set the value, as on a key of a calculator; it was not typed.
	Clicked bool `json:"clicked,omitempty"`
	// Unreported are the types of input that are not reported.
	Unreported []desktop.InputType `json:"unheard,omitempty"`
}

// EventType is the sort of an event.
type EventType string

// The sorts of events.
const (
	Begun    EventType = "begun"    // the recording; Windows are there
	Limited  EventType = "limited"  // Unreported input is not reported: only its effects
	Pressed  EventType = "pressed"  // a button; Element is under it
	Released EventType = "released" // a button; Element is under it after a drag
	Turned   EventType = "turned"   // the wheel
	Rested   EventType = "rested"   // the pointer stayed on Element
	Typed    EventType = "typed"    // a key
	Focused  EventType = "focused"  // Field is Element, and holds Value
	Held     EventType = "held"     // Field holds Value now
	Chosen   EventType = "chosen"   // Element, such as a combo box, shows Value now
	Named    EventType = "named"    // late Selectors for Field, or for the Element that was pressed last
	Narrowed EventType = "narrowed" // better Selectors for Element: its first matched another later
	Changed  EventType = "changed"  // Element shows Value now, while the person was idle
	Copied   EventType = "copied"   // the clipboard was taken, and holds Clip now
	Opened   EventType = "opened"   // Window
	Closed   EventType = "closed"   // Window
	Switched EventType = "switched" // Window has the keyboard now
	Asserted EventType = "asserted" // the person says that Element must be there, and show Value
	Edited   EventType = "edited"   // the person changed a step
	Paused   EventType = "paused"   // what follows is not recorded
	Ended    EventType = "ended"    // the recording
)

// Edit is a change of a step by the person. It is an event, so that compiling again repeats it.
type Edit struct {
	Action EditAction `json:"action"`
	// Step is the number of the step at that time, from 1; 0 is the last step that the action fits.
	Step int `json:"step,omitempty"`
	// Text is the step's new name, a note, or the name of a variable.
	Text string `json:"text,omitempty"`
	// To is the new number of a moved step.
	To int `json:"to,omitempty"`
}

// EditAction is the sort of a change.
type EditAction string

// The actions.
const (
	Remove       EditAction = "remove"
	Move         EditAction = "move"
	Rename       EditAction = "rename"
	Annotate     EditAction = "note"
	Confirm      EditAction = "confirm"  // drops the doubts about it
	MakeVariable EditAction = "variable" // makes a variable of its typed value
	MakeConstant EditAction = "constant" // keeps the value in the step
	MakeSecret   EditAction = "secret"   // makes a secret of it, and erases it from all events
)

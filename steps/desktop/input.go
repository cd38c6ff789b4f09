package desktop

import "time"

// InputEvent is one thing that a person did with the pointer or the keyboard.
type InputEvent struct {
	Type   InputType `json:"type"`
	At     Point     `json:"at"`
	Time   time.Time `json:"time"`
	Button Button    `json:"button,omitempty"` // of button events
	DX     int       `json:"dx,omitempty"`     // of wheel events
	DY     int       `json:"dy,omitempty"`
	Key    Key       `json:"key,omitempty"`  // of key events: the key's name
	Text   string    `json:"text,omitempty"` // what the key typed, after layout and dead keys
	Mods   []Key     `json:"mods,omitempty"` // the modifiers that were held
}

// InputType is the sort of an input event.
type InputType string

// The sorts of input events.
const (
	WatchBegan    InputType = "watch_began" // nothing that is done from now on is missed
	KeyPress      InputType = "key_press"
	KeyRelease    InputType = "key_release"
	ButtonPress   InputType = "button_press"
	ButtonRelease InputType = "button_release"
	PointerMove   InputType = "pointer_move"
	WheelTurn     InputType = "wheel"
)

package desktop

import (
	"slices"
	"time"
)

// InputEvent is one event of a person's pointer or keyboard.
type InputEvent struct {
	Type   InputType `json:"type"`
	At     Point     `json:"at"`
	Time   time.Time `json:"time"`
	Button Button    `json:"button,omitempty"` // of button events
	DX     int       `json:"dx,omitempty"`     // of wheel events
	DY     int       `json:"dy,omitempty"`
	Key    Key       `json:"key,omitempty"`  // of key events: the key's name
	Text   string    `json:"text,omitempty"` // that the key typed, after layout and dead keys
	Mods   []Key     `json:"mods,omitempty"` // the held modifiers
	// Unreported, of WatchBegan, are the types of events that are never reported.
	Unreported []InputType `json:"unheard,omitempty"`
}

// InputType is the type of an input event.
type InputType string

// The types of input events.
const (
	WatchBegan    InputType = "watch_began" // nothing is missed from now on
	KeyPress      InputType = "key_press"
	KeyRelease    InputType = "key_release"
	ButtonPress   InputType = "button_press"
	ButtonRelease InputType = "button_release"
	PointerMove   InputType = "pointer_move"
	WheelTurn     InputType = "wheel"
	// ClipboardTaken: a program put something on the clipboard, mostly because of the input before.
	ClipboardTaken InputType = "clipboard_taken"
)

// Limits explains to a person what cannot be recorded if these types of events are
// never reported.
func Limits(unreported []InputType) (says []string) {
	if slices.Contains(unreported, KeyPress) {
		says = append(says, "keys are not reported: a field is recorded with its content afterwards; shortcuts, Enter, menus that keys open, and what is typed into a terminal are not recorded")
	}
	switch {
	case slices.Contains(unreported, ButtonPress):
		says = append(says, "the mouse is not reported: a click on a button is inferred from its effect and marked as uncertain; clicks on a focused button, menus, drags and the wheel are not recorded")
	case slices.Contains(unreported, WheelTurn):
		says = append(says, "the wheel is not reported: scrolling is not recorded")
	}
	return says
}
